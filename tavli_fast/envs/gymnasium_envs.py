"""Gymnasium: one game against an opponent, and many at once. It needs the extra ``gymnasium``."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tavli_fast._common.arguments import MAX_PLIES, Int8Array, flag, shown, whole_number
from tavli_fast._common.results import Afterstates
from tavli_fast.envs.choosing import boards_of_net, choices_of
from tavli_fast.envs.single_game import OBSERVATION, SingleGame, checked_actions, roll_by
from tavli_fast.envs.spaces import max_afterstates
from tavli_fast.envs.steps import Steps
from tavli_fast.envs.vector_game import VectorGame
from tavli_fast.evaluation.evaluator import PolicyLike, player
from tavli_fast.notation.view import view
from tavli_fast.rules.presets import RulesLike, resolve_rules

__all__ = ["TavliEnv", "TavliVectorEnv"]

_ID: Final = "tavli_fast/Tavli-v0"
"""The name for ``gymnasium.make`` and ``gymnasium.make_vec``."""

_ILLEGAL: Final = ("lose", "raise")
_NOTHING: Final = np.empty((0, 2, 26), np.int8)


def _observation_space() -> Any:
    """Return the space of a board and the dice that are left."""
    return gymnasium.spaces.Box(-1, 24, (OBSERVATION,), np.int8)


class TavliEnv(gymnasium.Env):
    """One game against an opponent, who plays as soon as the agent's turn is over.

    ``gymnasium.make("tavli_fast.envs.gymnasium_envs:tavli_fast/Tavli-v0", rules=…)`` makes one too.

    The observation, ``int8[58]``, is the board, ``[2, 26]`` with the agent first, and then how many
    moves of each of the six dice are left to play. ``info["action_mask"]``, ``int8[size]``, has 1
    for the legal actions. The reward is 0 until the game ends, and then the points that the agent
    has won; a game that is cut is truncated.

    Two action spaces:

    - ``"afterstates"``: the index of one of the positions after each legal play of the roll, which
      the attribute `afterstates` has, in the order of `tf.afterstates`. The space has
      `max_afterstates` actions. If no move can be made, action 0 passes.
    - ``"moves"``: single moves until the turn is over, ``6 * source + die - 1`` (source 25 is the
      bar), 156 to pass if no move can be made. All orders of a turn are legal, and none that wastes
      dice: each sequence of legal actions is a legal play.

    Args:
        rules: a `Rules` or the name of a preset; None for Portes.
        opponent: ``"random"``, ``"net"``, a `Net`, a `Linear`, a callable from afterstates to
            equities or outcome probabilities, or a `Policy`.
        actions: the action space.
        illegal: what an action that is not legal does. ``"lose"``: the episode ends with the loss
            of as many points as a game can cost, and ``info["illegal_action"]``; ``"raise"``: a
            ValueError.
        max_plies: the turns of both sides after which a game is cut.
        render_mode: ``"ansi"`` for a picture of the board as text; None.

    Raises:
        ValueError: an argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> env = tf.envs.TavliEnv(rules="fevga", opponent="random", actions="moves")
        >>> observation, info = env.reset(seed=1)
        >>> action = env.action_space.sample(info["action_mask"])
        >>> observation, reward, terminated, truncated, info = env.step(action)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        rules: RulesLike | None = None,
        opponent: PolicyLike = "random",
        actions: str = "afterstates",
        *,
        illegal: str = "lose",
        max_plies: int = MAX_PLIES,
        render_mode: str | None = None,
    ) -> None:
        """Check the arguments; `reset` begins a game."""
        self.rules = resolve_rules(rules)
        self.actions = checked_actions(actions)
        self.max_plies = whole_number(max_plies, "max_plies", 1)
        if illegal not in _ILLEGAL:
            raise ValueError(f"illegal={shown(illegal)}: expected 'lose' or 'raise'")
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode={shown(render_mode)}: expected 'ansi' or None")
        self.illegal = illegal
        self.render_mode = render_mode
        self.opponent = player(opponent, self.rules, "opponent")
        self.observation_space = _observation_space()
        self._game: SingleGame | None = None
        size = SingleGame(self.rules, self.actions, 0).size
        self.action_space = gymnasium.spaces.Discrete(size)
        # With it the checker, and whoever wants another one like this, can make it again.
        self.spec = EnvSpec(
            _ID,
            TavliEnv,
            kwargs={
                "rules": self.rules,
                "opponent": opponent,
                "actions": actions,
                "illegal": illegal,
                "max_plies": max_plies,
                "render_mode": render_mode,
            },
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Int8Array, dict[str, Any]]:
        """Begin a game, up to the agent's first roll; who starts is drawn.

        Args:
            seed: of the dice and of an opponent who plays at random.
            options: none are used.

        Returns:
            The observation, and ``info``.
        """
        super().reset(seed=seed)
        while True:  # anew if the opponent's first turn ends the game
            self._game = game = SingleGame(
                self.rules, self.actions, int(self.np_random.integers(2))
            )
            self._to_the_agent(game)
            if not game.over:
                return self._seen(game)

    def step(self, action: Any) -> tuple[Int8Array, float, bool, bool, dict[str, Any]]:
        """Take an action, and let the opponent play when the agent's turn is over.

        Args:
            action: an integer of the action space.

        Returns:
            Observation, reward, terminated, truncated and ``info``.

        Raises:
            ValueError: it is none; it is not legal and ``illegal="raise"``; no game is under way.
        """
        game = self._game
        if game is None or game.over or game.plies >= self.max_plies:
            raise ValueError("no game is under way: expected reset() first")
        number = whole_number(action, "action", 0, game.size - 1)
        if number not in game.legal:
            return self._refused(game, number)
        game.act(number)
        if not game.over and game.dice is None:
            self._to_the_agent(game)
        truncated = game.points is None and (game.cut or game.plies >= self.max_plies)
        observation, info = self._seen(game)
        return observation, float(game.points or 0), game.points is not None, truncated, info

    @property
    def afterstates(self) -> Int8Array:
        """``int8[M, 2, 26]``: the positions after each legal play of the agent's roll; none if no
        move can be made, and with ``actions="moves"``.

        They are no part of ``info``, which has to have one shape for many environments.
        """
        return _NOTHING if self._game is None else self._game.options.copy()

    def render(self) -> Any:
        """Return the board as text with ``render_mode="ansi"``, seen by the agent."""
        if self.render_mode is None or self._game is None:
            return None
        board = self._game.observation(0)[:52].reshape(2, 26)
        picture = str(view(board, self.rules)).rstrip()
        return f"{picture}\ndice: {self._game.dice or 'none'}\n"

    def _refused(
        self, game: SingleGame, action: int
    ) -> tuple[Int8Array, float, bool, bool, dict[str, Any]]:
        """End the game at an action that is not legal, as the loss of it."""
        if self.illegal == "raise":
            raise ValueError(
                f"action={action} is not legal: expected one of {shown(game.legal.tolist())}"
            )
        rules = self.rules
        game.points = -max(rules.single_points, rules.gammon_points, rules.backgammon_points)
        game.legal = game.legal[:0]
        observation, info = self._seen(game)
        return observation, float(game.points), True, False, {**info, "illegal_action": action}

    def _to_the_agent(self, game: SingleGame) -> None:
        """Let the opponent play until the agent has dice, or the game is over."""
        while not game.over and game.plies < self.max_plies:
            game.lay(roll_by(self.np_random, game))
            if game.player == 0 or game.cut:
                return
            assert game.dice is not None
            boards, dice = game.board[None], np.array([game.dice], np.int8)
            if self.opponent.weights is not None and not self.rules.cascade:
                game.play(boards_of_net(self.opponent, boards, dice, self.rules)[0])
                continue
            game.play(self._chosen(game, boards, dice))

    def _chosen(self, game: SingleGame, boards: Int8Array, dice: Int8Array) -> Int8Array:
        """Return the afterstate that an opponent who sees them all chooses."""
        after = game.options
        if game.actions == "moves":
            whole = SingleGame(self.rules, "afterstates", 1)
            whole.board = game.board
            whole.lay(game.dice or (1, 1))
            after = whole.options
        if not len(after):
            return game.board
        if self.opponent.at_random:
            random: Int8Array = after[self.np_random.integers(len(after))]
            return random
        listed = Afterstates(after, np.array([0, len(after)]))
        chosen: Int8Array = after[choices_of(self.opponent, boards, dice, listed, self.rules)[0]]
        return chosen

    def _seen(self, game: SingleGame) -> tuple[Int8Array, dict[str, Any]]:
        """Return the agent's observation and info."""
        return game.observation(0), {"action_mask": game.mask()}


class TavliVectorEnv(VectorEnv):
    """Many games at once against an opponent, on `VectorGame`: compiled, with no Python per game.

    A step is the agent's turn and the opponent's in every game. Observations, rewards and the
    actions are those of `TavliEnv` with ``actions="afterstates"``, but an action that is not legal
    is a ValueError. A game that has ended begins again in the same step; its last observation is in
    ``info["final_obs"]``.

    ``info["counts"]``, ``int32[N]``, is how many plays each game has, 0 if it cannot move, and
    ``info["action_mask"]``, ``int8[N, size]``, the legal actions. `games` is the `VectorGame`,
    whose `afterstates`, `padded` and `features` are those that the agent chooses from.

    Args:
        num_envs: the number of games.
        rules: a `Rules` or the name of a preset; None for Portes.
        opponent: as in `TavliEnv`; a callable gets the afterstates of all games at once.
        width: the size of the action space; None for `max_afterstates`. Of a roll with more plays
            those beyond cannot be chosen.
        mask: whether ``info`` has the masks, which take most of the time of a wide space.
        threads: as in `VectorGame`.
        max_plies: the turns of both sides after which a game is cut.

    Raises:
        ValueError: an argument is invalid.
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int,
        rules: RulesLike | None = None,
        opponent: PolicyLike = "random",
        *,
        width: int | None = None,
        mask: bool = True,
        threads: int | None = 1,
        max_plies: int = MAX_PLIES,
    ) -> None:
        """Check the arguments; `reset` begins the games."""
        self.games = VectorGame(num_envs, rules, 0, threads=threads, max_plies=max_plies)
        self.num_envs = self.games.n
        self.opponent = player(opponent, self.games.rules, "opponent")
        self.width = max_afterstates(self.games.rules)
        if width is not None:
            self.width = whole_number(width, "width", 1, self.width)
        self.mask = flag(mask, "mask")
        self.single_observation_space = _observation_space()
        self.single_action_space = gymnasium.spaces.Discrete(self.width)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._begun = False

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Int8Array, dict[str, Any]]:
        """Begin all games anew; who starts is drawn in each of them.

        Args:
            seed: an integer, as `VectorGame` takes; None goes on with the random numbers.
            options: none are used.

        Returns:
            ``int8[N, 58]``, and ``info``.
        """
        if seed is None:
            seed = int(self.np_random.integers(2**62))
        self.games.reset(seed)
        super().reset(seed=seed)
        self._begun = True
        self._to_the_agent()
        return self._seen()

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        Int8Array,
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Make the agent's plays and let the opponent answer.

        Args:
            actions: integers ``[N]``, for each game one of its plays; 0 if it cannot move.

        Returns:
            Observations, rewards, terminated, truncated and ``info``.

        Raises:
            ValueError: an action is not legal; `reset` comes first.
        """
        if not self._begun:
            raise ValueError("no games are under way: expected reset() first")
        mine = self.games.step(actions)
        rewards, done, cut = mine.rewards.astype(np.float64), mine.done, mine.truncated
        last = np.zeros((self.num_envs, OBSERVATION), np.int8)
        last[done, :52] = mine.boards[done].reshape(-1, 52)
        answer = self._opponent_turn()
        theirs = answer.done & ~done  # what ends in a game that has just begun is no step of his
        rewards[theirs] = -answer.rewards[theirs]
        last[theirs, :52] = answer.boards[theirs, ::-1].reshape(-1, 52)
        cut = cut | (theirs & answer.truncated)
        done = done | theirs
        self._to_the_agent()
        observations, info = self._seen()
        if done.any():
            info |= {"final_obs": last, "_final_obs": done}
        return observations, rewards, done & ~cut, cut, info

    def _opponent_turn(self) -> Steps:
        """Let the opponent play where he is on roll."""
        return self.games.step_policy(self.opponent, self.games.players == 1)

    def _to_the_agent(self) -> None:
        """Let the opponent play until the agent is on roll everywhere, and roll."""
        while (self.games.players == 1).any():
            self._opponent_turn()
        self.games.roll()

    def _seen(self) -> tuple[Int8Array, dict[str, Any]]:
        """Return the agent's observations and info."""
        seen = np.zeros((self.num_envs, OBSERVATION), np.int8)
        seen[:, :52] = self.games.boards.reshape(-1, 52)
        dice = self.games.dice
        rows = np.arange(self.num_envs)
        equal = dice[:, 0] == dice[:, 1]
        seen[rows, 51 + dice[:, 0]] = np.where(equal, 4, 1)
        seen[rows[~equal], 51 + dice[~equal, 1]] = 1
        if self.games.rules.cascade:
            seen[:, 52:][equal[:, None] & (np.arange(1, 7) > dice[:, :1])] = 4
        counts = np.diff(self.games.afterstates().offsets).astype(np.int32)
        info: dict[str, Any] = {"counts": counts}
        if self.mask:
            most = np.maximum(counts, 1)
            info["action_mask"] = (np.arange(self.width) < most[:, None]).view(np.int8)
        return seen, info


if _ID not in gymnasium.registry:
    gymnasium.register(
        _ID,
        entry_point=f"{__name__}:TavliEnv",
        vector_entry_point=f"{__name__}:TavliVectorEnv",
    )
