"""OpenSpiel: the games registered as ``tavli``, in Python. It needs the extra ``openspiel``."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Final

import numpy as np
import pyspiel

from tavli_fast._common.arguments import shown, whole_number
from tavli_fast.envs.single_game import OBSERVATION, SingleGame, action_text, checked_actions
from tavli_fast.evaluation.outcomes import CHANCES, ROLLS
from tavli_fast.notation.view import view
from tavli_fast.rules.presets import RULES, Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["TavliGame", "TavliState", "openspiel_game"]

MAX_PLIES: Final = 2_000
"""Where a game is a draw if it is not over: OpenSpiel's games are finite."""

_STARTERS: Final = (len(ROLLS), len(ROLLS) + 1)
"""The chance outcomes that say who starts, behind the 21 rolls."""

_HOUSE: Final[dict[str, Rules]] = {}
"""Rules that are no preset, by the names that they have got in this process."""

_TYPE: Final = pyspiel.GameType(
    short_name="tavli",
    long_name="Tavli and backgammon (tavli_fast)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=False,
    parameter_specification={"rules": "portes", "actions": "moves", "max_plies": MAX_PLIES},
)


def openspiel_game(
    rules: RulesLike | None = None, actions: str = "moves", *, max_plies: int = MAX_PLIES
) -> Any:
    """Return an OpenSpiel game.

    After this call ``pyspiel.load_game("tavli(rules=plakoto)")`` works too.

    A game begins with a chance node that says who starts; each turn with one for the roll, of 21
    outcomes (15 in the first turn where the rules begin with the dice of the contest). The action
    spaces are those of `TavliEnv`. The observation tensor is that of `TavliEnv` and who acts: 58
    numbers, the player asked for first, then 1 for player 0 to act, player 1, chance. It is there
    at chance nodes too, as is the information state, the actions so far. Returns are points.

    Args:
        rules: a `Rules` or the name of a preset; None for Portes. House rules get a name in this
            process, ``house_1`` and so on, which is the game's parameter.
        actions: the action space, ``"moves"`` or ``"afterstates"``.
        max_plies: the turns after which a game is a draw.

    Returns:
        A ``pyspiel.Game``.

    Raises:
        ImportError: OpenSpiel is missing.
        ValueError: an argument is invalid.
    """
    found = resolve_rules(rules)
    name = next((name for name, preset in RULES.items() if preset == found), "")
    if not name:
        name = next((name for name, house in _HOUSE.items() if house == found), "")
        name = name or f"house_{len(_HOUSE) + 1}"
        _HOUSE[name] = found
    parameters = {
        "rules": name,
        "actions": checked_actions(actions),
        "max_plies": whole_number(max_plies, "max_plies", 1, 10**6),
    }
    return pyspiel.load_game("tavli", parameters)


class TavliGame(pyspiel.Game):
    """The game, with its rules and action space."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Read the parameters."""
        given = dict(_TYPE.parameter_specification) | dict(params or {})
        name = given["rules"]
        self.rules = _HOUSE[name] if name in _HOUSE else resolve_rules(name)
        self.actions = checked_actions(given["actions"])
        self.max_plies = whole_number(given["max_plies"], "max_plies", 1, 10**6)
        most = max(
            self.rules.single_points,
            self.rules.gammon_points,
            self.rules.backgammon_points,
            self.rules.mother_points,
        )
        moves = 1 if self.actions == "afterstates" else 24 if self.rules.cascade else 4
        info = pyspiel.GameInfo(
            num_distinct_actions=SingleGame(self.rules, self.actions, 0).size,
            max_chance_outcomes=len(ROLLS) + 2,
            num_players=2,
            min_utility=float(-most),
            max_utility=float(most),
            utility_sum=0.0,
            max_game_length=self.max_plies * moves,
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self) -> TavliState:
        """Return the state before it is drawn who starts."""
        return TavliState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return how many chance nodes a game can have."""
        return self.max_plies + 1

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> _Observer:
        """Return what writes observations, or information states with perfect recall."""
        if params:
            raise ValueError(f"params={shown(params)}: expected none")
        return _Observer(iig_obs_type is not None and iig_obs_type.perfect_recall)


class _Terms:
    """What all states of a game have in common, which clones of them share."""

    def __init__(self, game: TavliGame) -> None:
        """Take the rules and the rest from the game."""
        self.rules = game.rules
        self.actions = game.actions
        self.max_plies = game.max_plies

    def __deepcopy__(self, memo: Any) -> _Terms:
        """Return the same."""
        return self


class TavliState(pyspiel.State):
    """A position of the game, with all that has happened."""

    def __init__(self, game: TavliGame) -> None:
        """Begin before it is drawn who starts."""
        super().__init__(game)
        self._terms = _Terms(game)
        self._game: SingleGame | None = None

    def current_player(self) -> int:
        """Return who acts: 0, 1, chance, or nobody."""
        game = self._game
        if game is None:
            return int(pyspiel.PlayerId.CHANCE)
        if game.over or game.plies >= self._terms.max_plies:
            return int(pyspiel.PlayerId.TERMINAL)
        return game.player if game.dice else int(pyspiel.PlayerId.CHANCE)

    def _legal_actions(self, player: int) -> list[int]:
        """Return the actions of the player who acts, ascending."""
        return self._game.legal.tolist() if self._game is not None else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a chance node with their probabilities."""
        game = self._game
        if game is None:
            return [(outcome, 0.5) for outcome in _STARTERS]
        chances = CHANCES
        if game.plies == 0 and self._terms.rules.opening != "fresh_roll":
            chances = np.where(ROLLS[:, 0] == ROLLS[:, 1], 0, 1 / 15)
        return [(roll, float(chance)) for roll, chance in enumerate(chances) if chance]

    def _apply_action(self, action: int) -> None:
        """Take an action, or the outcome of a chance node."""
        if self._game is None:
            self._game = SingleGame(self._terms.rules, self._terms.actions, action - _STARTERS[0])
            return
        self._game = copy(self._game)
        if self._game.dice is None:
            first, second = ROLLS[action].tolist()
            self._game.lay((max(first, second), min(first, second)))
        else:
            self._game.act(action)

    def _action_to_string(self, player: int, action: int) -> str:
        """Return an action as text."""
        if player == pyspiel.PlayerId.CHANCE:
            if action in _STARTERS:
                return f"player {action - _STARTERS[0]} starts"
            first, second = ROLLS[action].tolist()
            return f"roll {max(first, second)}{min(first, second)}"
        return action_text(action, self._terms.actions)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return bool(self.current_player() == pyspiel.PlayerId.TERMINAL)

    def returns(self) -> list[float]:
        """Return the points of both players, 0 before the end."""
        points = (self._game.points if self._game else None) or 0
        return [float(points), float(-points)]

    def __str__(self) -> str:
        """Return the board as text, seen by player 0, the dice, and who acts."""
        if self._game is None:
            return f"{rules_name(self._terms.rules)}: who starts?"
        board = self._game.observation(0)[:52].reshape(2, 26)
        turn = f"player {self._game.player} on roll"
        if self.is_terminal():
            turn = f"over: {self._game.points or 0} points for player 0"
        elif self._game.dice:
            turn = f"player {self._game.player} to play {self._game.dice[0]}{self._game.dice[1]}"
        return f"{str(view(board, self._terms.rules)).rstrip()}\n{turn}"

    def seen_by(self, player: int) -> Any:
        """Return ``float32[61]``: the observation of a player, and who acts."""
        seen = np.zeros(OBSERVATION + 3, np.float32)
        game = self._game or SingleGame(self._terms.rules, self._terms.actions, 0)
        seen[:OBSERVATION] = game.observation(player)
        acts = self.current_player()
        seen[OBSERVATION + (acts if acts >= 0 else 2)] = 1
        return seen


class _Observer:
    """Writes what a player sees to a tensor and a string."""

    def __init__(self, perfect_recall: bool) -> None:
        """Set up the tensor, which is the observation in both cases."""
        self.tensor = np.zeros(OBSERVATION + 3, np.float32)
        self.dict = {"observation": self.tensor}
        self._perfect_recall = perfect_recall

    def set_from(self, state: TavliState, player: int) -> None:
        """Write to the tensor what the player sees."""
        self.tensor[:] = state.seen_by(player)

    def string_from(self, state: TavliState, player: int) -> str:
        """Return what the player sees as text: with perfect recall the actions so far."""
        if self._perfect_recall:
            return " ".join(map(str, state.history()))
        return str(state)


if "tavli" not in pyspiel.registered_names():
    pyspiel.register_game(_TYPE, TavliGame)
