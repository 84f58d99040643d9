"""The plan of a rollout: who plays, how, and the tasks into which the trials are divided."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import Int8Array, flag, four_words, number, shown, whole_number
from tavli_fast._core import constants
from tavli_fast._core.constants import CUBE_LEVELS
from tavli_fast.cube.setting import CubeSetting, ladder_of
from tavli_fast.evaluation.evaluator import Player, player
from tavli_fast.exact.bearoff import has_table
from tavli_fast.nets.bundled import lender
from tavli_fast.notation.xgid import XGID
from tavli_fast.rollouts.lockstep import play_chunk
from tavli_fast.rollouts.options import CHUNK, PlayOptions, Settings, Workload
from tavli_fast.rules.presets import Rules

RANDOM: Final = (
    np.zeros(1, np.float32),
    constants.RANDOM,
    constants.BLOCK,
    constants.OUTPUTS - 1,
)
"""A player without a net, in the form that the core takes."""


@dataclass(frozen=True)
class Match:
    """Two players, and how they play: everything a worker must know but the board."""

    rules: Rules
    players: tuple[Player, Player]
    judge: Player | None
    settings: Settings
    cube: CubeSetting | None = None

    @property
    def name(self) -> str:
        """The policies by name: one if both sides have the same."""
        first, second = (each.name for each in self.players)
        return first if first == second else f"{first} against {second}"

    @property
    def compiled(self) -> bool:
        """Whether the core can play it."""
        judges = () if self.judge is None else (self.judge,)
        return all(each.compiled for each in (*self.players, *judges))

    @property
    def plain_random(self) -> bool:
        """Whether the core's faster games of random play will do."""
        random = all(each.at_random for each in self.players)
        settings = self.settings
        special = settings.stratified or settings.opening or settings.same_dice
        return random and settings.exact and not special and self.cube is None

    @property
    def piece(self) -> int:
        """How many trials make a piece of work: some 10 ms, so that interruption acts soon."""
        if self.plain_random:
            return CHUNK
        if not self.compiled:
            return 256  # a batch for the evaluator
        return 8 if self.settings.variance_reduction else CHUNK

    @property
    def in_python(self) -> bool:
        """Whether a `Policy` plays: turn by turn, in the order of the trials, in one thread, as it
        may remember what it has been asked."""
        return any(each.policy is not None for each in self.players)

    def turned(self) -> Match:
        """Return the same with the other player on roll."""
        cube = None if self.cube is None else self.cube.turned()
        return replace(self, players=(self.players[1], self.players[0]), cube=cube)

    def load(self, load: Workload) -> Workload:
        """Return a workload with workers who can play this match.

        Raises:
            ValueError: an executor with a `Policy`, which plays here and in order.
        """
        if not self.in_python:
            return load
        if load.executor is not None:
            raise ValueError(
                f"executor={shown(load.executor)}: expected None with a Policy, which is asked "
                "here, one turn after another"
            )
        return replace(load, threads=1)

    def play(
        self,
        board: Int8Array,
        key: npt.NDArray[np.uint64],
        first: int,
        trials: int,
        stop: npt.NDArray[np.uint8],
    ) -> npt.NDArray[np.float64]:
        """Play trials of a board that is not over.

        Returns:
            ``float64[trials, 8]`` or more: the six outcomes as plane 0 has them, plies, and points
            (or `TRUNCATED`, `UNFINISHED`). With a cube, from `TRIAL_VALUES` on, what the game is
            worth with the cube in the middle, plane 0's, his opponent's, and his opponent's after
            a double.
        """
        settings = self.settings
        if not self.compiled:
            return play_chunk(
                board, self.rules, self.players, self.judge, settings, key, first, trials
            )
        # One tuple for one net: whose judge is his own net is judged without another look.
        nets = {id(each.weights): _compiled(each) for each in (*self.players, self.judge) if each}
        return _core.net_games.play_trials(
            board,
            self.rules,
            (nets[id(self.players[0].weights)], nets[id(self.players[1].weights)]),
            None if self.judge is None else nets[id(self.judge.weights)],
            key,
            first,
            trials,
            settings.max_plies,
            settings.truncate or 0,
            settings.variance_reduction,
            settings.opening,
            settings.stratified,
            self._cube(),
            stop,
            settings.tables,
        )

    def _cube(self) -> Any:
        """Return the cube as the core has it."""
        if self.cube is None:
            return None
        ladder = ladder_of(self.cube)
        sides = tuple(
            (
                np.ascontiguousarray(side.values, np.float64),
                np.ascontiguousarray(side.centre, np.float64),
                side.mine,
                side.theirs,
                side.endless,
            )
            for side in (ladder, ladder.turned())
        )
        return *sides, self.settings.efficiency, self.cube.beavers, self.cube.beaver_refusable


def match(rules: Rules, policy: Any, options: PlayOptions) -> Match:
    """Return who plays, and how.

    Raises:
        ValueError: an argument is bad, or nobody is there to judge what it takes.
    """
    players = players_of(policy, rules)
    truncate = options.truncate
    if truncate is not None:
        truncate = whole_number(truncate, "truncate", 1, 2**31)
    variance_reduction = flag(options.variance_reduction, "variance_reduction")
    stratified = flag(options.stratified, "stratified")
    opening = flag(options.opening, "opening")
    same_dice = flag(options.same_dice, "same_dice")
    setting = options.cube
    if setting is not None:
        require_heights(setting)
    judge, evaluator = None, options.evaluator
    if truncate is not None or variance_reduction or setting is not None:
        judge = player(evaluator, rules, "evaluator") if evaluator is not None else players[0]
        if not judge.judges:
            wanted = "truncate" if truncate is not None else "variance_reduction"
            wanted = "cube" if setting is not None else wanted
            raise ValueError(
                f"evaluator={shown(evaluator)}: expected a Net or another evaluator, which "
                f"{wanted}= takes, as random play and a Policy judge nothing"
            )
        if variance_reduction and not all(each.judges for each in players):
            raise ValueError(
                "variance_reduction=True: expected policies that choose by an evaluator, not at "
                "random"
            )
    elif evaluator is not None:
        raise ValueError(
            f"evaluator={shown(evaluator)}: expected None, as nothing is to be judged without "
            "truncate=, variance_reduction= or cube="
        )
    settings = Settings(
        truncate,
        variance_reduction,
        stratified,
        opening,
        same_dice,
        "" if judge is None else judge.name,
        whole_number(options.max_plies, "max_plies", 1, 2**62),
        "" if setting is None else str(setting),
        0.0 if setting is None else number(options.efficiency, "efficiency", 0, 1),
        # With the cube the value depends on more than the tables' outcomes.
        setting is None and has_table(rules) and all(each.tables for each in players),
    )
    found = Match(rules, players, judge, settings, setting)
    if setting is not None and not found.compiled:
        raise ValueError(
            "cube=…: expected nets for policies and evaluator, as callables play without a cube; "
            "cube=False leaves out the cube of an XGID"
        )
    return found


def players_of(policy: Any, rules: Rules) -> tuple[Player, Player]:
    """Return the players of both sides, the one on roll first; see `rollout` for the policies."""
    if policy is None:
        policy = default_policy(rules)
    if not isinstance(policy, tuple | list):
        return (player(policy, rules),) * 2
    if len(policy) != 2:
        raise ValueError(f"policy={shown(policy)}: expected one policy, or one for each side")
    return player(policy[0], rules, "policy[0]"), player(policy[1], rules, "policy[1]")


def default_policy(rules: Rules) -> str:
    """Return who plays if nobody is named: the net of the rules, their own or lent, else random."""
    try:
        lender(rules)
    except ValueError:
        return "random"
    return "net"


def policies(policy: Any) -> tuple[Any, ...]:
    """Return the one or two policies of an argument, to see what rules they are for."""
    return tuple(policy) if isinstance(policy, tuple | list) else (policy,)


def cube_setting(cube: Any, xgid: XGID | None = None) -> CubeSetting | None:
    """Return the setting that `cube=` of a rollout means.

    Raises:
        ValueError: neither a bool, None nor a `CubeSetting`.
    """
    if cube is None:  # the score of a match is not dropped
        return CubeSetting.of(xgid) if xgid is not None and xgid.match_length else None
    if cube is False:
        return None
    if cube is True:
        return CubeSetting() if xgid is None else CubeSetting.of(xgid)
    if not isinstance(cube, CubeSetting):
        raise ValueError(f"cube={shown(cube)}: expected a CubeSetting, True, False or None")
    return cube


def require_heights(setting: CubeSetting) -> None:
    """Refuse a cube that goes higher than the core follows.

    Raises:
        ValueError: it does.
    """
    heights = len(ladder_of(setting).values)
    if heights > CUBE_LEVELS:
        raise ValueError(
            f"cube={setting.cube} with cap={setting.cap}: expected at most {CUBE_LEVELS - 1} "
            "doubles from the one to the other, or no cap"
        )


def board_key(entropy: int, board: int, same_dice: bool) -> npt.NDArray[np.uint64]:
    """Return the key of a board's dice."""
    return four_words(entropy, (0 if same_dice else board,))[:2].copy()


class Piece(NamedTuple):
    """Some trials of one board of a batch."""

    board: int
    first: int
    trials: int


def play_pieces(
    match: Match,
    boards: Int8Array,
    pieces: list[Piece],
    entropy: int,
    stop: npt.NDArray[np.uint8] | None,
) -> npt.NDArray[Any]:
    """Play pieces of work; `boards` holds a board for each. Runs in a worker, maybe elsewhere.

    Returns:
        For plain random play ``int64[len(pieces), 9]``: games ended at -3..+3 points, unfinished
        ones, plies. Otherwise the rows of `Match.play`, one trial after another.
    """
    if stop is None:
        stop = np.zeros(1, np.uint8)
    if match.plain_random:
        rows = np.zeros((len(pieces), 9), np.int64)
        most = match.settings.max_plies
        for row, (piece, board) in enumerate(zip(pieces, boards, strict=True)):
            words = four_words(entropy, (piece.board, piece.first // CHUNK))
            rows[row] = _core.random_games.random_games(
                board, match.rules, words, piece.trials, most, stop
            )
        return rows
    trials = []
    for piece, board in zip(pieces, boards, strict=True):
        key = board_key(entropy, piece.board, match.settings.same_dice)
        trials.append(match.play(board, key, piece.first, piece.trials, stop))
    return np.concatenate(trials)


def _compiled(who: Player) -> tuple[npt.NDArray[np.float32], int, int, int]:
    """Return a player as the core has him."""
    weights = who.weights
    if weights is None:
        return RANDOM
    return weights.packed, weights.kind, weights.columns, weights.outputs
