// Asks wildbg's engine from lines: "plays D1 D2 N0 ... N25", "outcome N0 ... N25" or "id N0 ... N25",
// a position as 26 numbers, index 25 the bar of the side on roll. Answers are a line each.
// wildbg.py puts it among the sources of the engine and builds it.

#![allow(dead_code, unused)]

pub mod dice;
pub mod position;

use dice::Dice;
use position::{GameResult, GameState, Position};
use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines().map(Result::unwrap) {
        let (what, rest) = line.split_once(' ').unwrap();
        let mut numbers: Vec<i8> = rest.split(' ').map(|n| n.parse().unwrap()).collect();
        let dice = if what == "plays" { numbers.drain(..2).collect() } else { vec![] };
        let pips: [i8; 26] = numbers.try_into().unwrap();
        let position = Position::try_from(pips).unwrap();
        match what {
            "plays" => {
                let dice = Dice::new(dice[0] as usize, dice[1] as usize);
                let after: Vec<String> = position
                    .all_positions_after_moving(&dice)
                    .iter()
                    .map(|each| <[i8; 26]>::from(each.sides_switched()).map(|n| n.to_string()).join(" "))
                    .collect();
                println!("{}", after.join(","));
            }
            "outcome" => println!("{}", match position.game_state() {
                GameState::Ongoing => "",
                GameState::GameOver(GameResult::WinNormal) => "1",
                GameState::GameOver(GameResult::WinGammon) => "2",
                GameState::GameOver(GameResult::WinBg) => "3",
                GameState::GameOver(GameResult::LoseNormal) => "-1",
                GameState::GameOver(GameResult::LoseGammon) => "-2",
                GameState::GameOver(GameResult::LoseBg) => "-3",
            }),
            _ => println!("{}", position.position_id()),
        }
    }
}
