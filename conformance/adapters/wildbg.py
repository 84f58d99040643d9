"""wildbg's engine, from a checkout of it (https://github.com/carsten-wenderdel/wildbg), by rustc.

    WILDBG=path/to/wildbg python conformance/run.py wildbg

Its rules need none of the crates that its nets and its server need, but base64 for Position IDs, in
place of which the few lines below stand. So they are compiled alone, with `wildbg.rs` around them.
"""

import atexit
import os
import pathlib
import shutil
import subprocess
import tempfile

DIGITS = "0123456789abcdef"
SAME_MOVES = ("backgammon", "nackgammon", "longgammon", "portes", "portes_cube")
SAME_POINTS = ("backgammon", "portes_cube")
BASE64 = """
pub trait Engine {
    fn encode(&self, key: [u8; 10]) -> String;
    fn decode_slice(&self, _: &str, _: &mut [u8; 10]) -> Result<(), &str> { Err("not needed") }
}
pub mod engine { pub mod general_purpose {
    pub struct NoPad;
    pub const STANDARD_NO_PAD: NoPad = NoPad;
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    impl crate::Engine for NoPad {
        fn encode(&self, key: [u8; 10]) -> String {
            let number = key.iter().fold(0u128, |all, &byte| all << 8 | byte as u128) << 4;
            (0..14).rev().map(|i| SIGNS[(number >> (6 * i) & 63) as usize] as char).collect()
        }
    }
} }
"""


def built():
    """Start the program; it is built from a copy of the sources."""
    checkout = pathlib.Path(os.environ["WILDBG"])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="wildbg-"))
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(checkout / "crates" / "engine" / "src", folder, dirs_exist_ok=True)
    shutil.copy(pathlib.Path(__file__).with_suffix(".rs"), folder / "main.rs")
    (folder / "base64.rs").write_text(BASE64)
    build = ["rustc", "--edition", "2024", "-O", "--cap-lints", "allow", "--out-dir", folder]
    subprocess.run([*build, "--crate-type", "rlib", folder / "base64.rs"], check=True)
    library = f"base64={folder / 'libbase64.rlib'}"
    subprocess.run([*build, "--extern", library, folder / "main.rs"], check=True)
    pipe = subprocess.PIPE
    return subprocess.Popen([folder / "main"], stdin=pipe, stdout=pipe, text=True)


PROGRAM = built()


def ask(what, *numbers):
    print(what, *numbers, file=PROGRAM.stdin, flush=True)
    answer = PROGRAM.stdout.readline()
    if not answer:
        raise EOFError("the program has ended")
    return answer.strip()


def both_of(text):
    mover, other = ([DIGITS.index(c) for c in part] for part in (text[:26], text[26:]))
    return [-other[25], *(mover[p] - other[25 - p] for p in range(1, 25)), mover[25]]


def text_of(both):
    mover = [0, *(max(n, 0) for n in both[1:25]), both[25]]
    other = [0, *(max(-both[25 - p], 0) for p in range(1, 25)), -both[0]]
    mover[0], other[0] = 15 - sum(mover), 15 - sum(other)
    return "".join(DIGITS[n] for n in mover + other)


def supports(rules, changes):
    return rules in SAME_MOVES and not changes


def plays(rules, changes, board, dice):
    both = both_of(board)
    if ask("outcome", *both):
        return []
    after = ask("plays", *dice, *both).split(",")
    return [
        text for text in (text_of([*map(int, each.split())]) for each in after) if text != board
    ]


def outcome(rules, changes, board):
    if rules not in SAME_POINTS:
        return None
    found = ask("outcome", *both_of(board))
    return int(found) if found else ""


def position_id(board):
    return ask("id", *both_of(board))
