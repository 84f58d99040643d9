"""PettingZoo: both players of one game take turns. It needs the extra ``pettingzoo``."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from tavli_fast._common.arguments import MAX_PLIES, Int8Array, shown, whole_number
from tavli_fast.envs.single_game import OBSERVATION, SingleGame, checked_actions, roll_by
from tavli_fast.notation.view import view
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules

__all__ = ["aec"]

AGENTS = ("player_0", "player_1")


def aec(
    rules: RulesLike | None = None,
    actions: str = "moves",
    *,
    max_plies: int = MAX_PLIES,
    render_mode: str | None = None,
) -> Any:
    """Return a game of two agents as a PettingZoo AEC environment.

    An observation is a dict: ``"observation"``, ``int8[58]`` as in `TavliEnv` with the agent first,
    and ``"action_mask"``, ``int8[size]``, all 0 for who does not act. The action spaces are those
    of `TavliEnv`; the info of who acts has the mask too, and the attribute `afterstates` of the
    environment without its wrappers (``env.unwrapped.afterstates``) the positions. At the end each
    agent's reward is what it has won or lost in points. An action that is not legal loses the
    game (PettingZoo's ``TerminateIllegalWrapper``).

    Args:
        rules: a `Rules` or the name of a preset; None for Portes.
        actions: the action space, ``"moves"`` or ``"afterstates"``.
        max_plies: the turns after which a game is truncated.
        render_mode: ``"ansi"`` for a picture of the board as text; None.

    Raises:
        ImportError: PettingZoo is missing.
        ValueError: an argument is invalid.
    """
    if render_mode not in (None, "ansi"):
        raise ValueError(f"render_mode={shown(render_mode)}: expected 'ansi' or None")
    found = resolve_rules(rules)
    env: Any = TavliAEC(
        found, checked_actions(actions), whole_number(max_plies, "max_plies", 1), render_mode
    )
    worst = max(found.single_points, found.gammon_points, found.backgammon_points)
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-worst)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)


class TavliAEC(AECEnv):
    """The game under the wrappers of `aec`."""

    metadata: ClassVar[dict[str, Any]] = {
        "name": "tavli_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, rules: Rules, actions: str, max_plies: int, render_mode: str | None) -> None:
        """Set up the spaces; `reset` begins a game."""
        super().__init__()
        self.rules = rules
        self.actions = actions
        self.max_plies = max_plies
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        size = SingleGame(rules, actions, 0).size
        self.action_spaces = {agent: gymnasium.spaces.Discrete(size) for agent in AGENTS}
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {
                    "observation": gymnasium.spaces.Box(-1, 24, (OBSERVATION,), np.int8),
                    "action_mask": gymnasium.spaces.Box(0, 1, (size,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self._rng, _ = seeding.np_random()
        self._begin()

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; who starts is drawn."""
        if seed is not None:
            self._rng, _ = seeding.np_random(seed)
        self._begin()

    def _begin(self) -> None:
        """Set up a game, and roll."""
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._game = SingleGame(self.rules, self.actions, int(self._rng.integers(2)))
        self._roll()

    def _roll(self) -> None:
        """Roll for who is on roll, and make that agent the one who acts."""
        game = self._game
        game.lay(roll_by(self._rng, game))
        self.agent_selection = AGENTS[game.player]
        self.infos = {agent: {} for agent in AGENTS}
        self._tell(self.agent_selection)

    def _tell(self, agent: str) -> None:
        """Write the info of who acts."""
        self.infos[agent] = {"action_mask": self._game.mask()}

    @property
    def afterstates(self) -> Int8Array:
        """``int8[M, 2, 26]``: the positions after each legal play of who acts; none if no move can
        be made, and with ``actions="moves"``."""
        return self._game.options.copy()

    def observe(self, agent: str) -> dict[str, Int8Array]:
        """Return an agent's observation."""
        player = AGENTS.index(agent)
        mask = self._game.mask()
        if player != self._game.player or agent != self.agent_selection:
            mask[:] = 0
        return {"observation": self._game.observation(player), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Take the action of the agent who is to act."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        game = self._game
        if action not in game.legal:
            raise ValueError(
                f"action={shown(action)} is not legal: expected one of {shown(game.legal.tolist())}"
            )
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        game.act(int(action))
        if game.points is None and game.dice is None and game.plies < self.max_plies:
            self._roll()
        else:
            self._tell(agent)
        if game.points is not None:
            self.rewards = {AGENTS[0]: float(game.points), AGENTS[1]: float(-game.points)}
            self.terminations = dict.fromkeys(AGENTS, True)
        elif game.cut or game.plies >= self.max_plies:
            self.truncations = dict.fromkeys(AGENTS, True)
        if game.over or game.plies >= self.max_plies:
            self.infos = {each: {} for each in AGENTS}
            self.agent_selection = AGENTS[1 - AGENTS.index(agent)]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the board as text with ``render_mode="ansi"``, seen by player_0."""
        if self.render_mode is None:
            return None
        board = self._game.observation(0)[:52].reshape(2, 26)
        picture = str(view(board, self.rules)).rstrip()
        return f"{picture}\ndice: {self._game.dice or 'none'}\n"

    def close(self) -> None:
        """Release nothing."""
