"""Growing nets: more units that change nothing until they have learnt something."""

from __future__ import annotations

import numpy as np

from tavli_fast.nets.net import BLOCK, MOST_HIDDEN, Net
from tavli_fast.rules.presets import Rules

_SCALE = 0.1
"""The largest weight of a new unit."""


_NEVER = -12.0
"""The bias of an output for what the rules do not have: a probability of 0.000006."""


def for_rules(net: Net, rules: Rules) -> Net:
    """Return the net as one for other rules of the same encoding; results that these do not have
    get a probability near 0."""
    net.fitting(rules)
    weights = {name: array.copy() for name, array in net.weights().items()}
    for output, points in ((1, 2), (2, 3), (3, 2), (4, 3)):
        if _most_points(rules) < points <= _most_points(net.rules):
            weights["output_weights"][:, :, output] = 0
            weights["output_biases"][:, output] = _NEVER
    sieve = None if net.sieve is None else for_rules(net.sieve, rules)
    return net.changed(rules=rules, **weights, sieve=sieve)


def _most_points(rules: Rules) -> int:
    """Return how many points a game can be worth at most."""
    mother = 0 if rules.mother == "none" else rules.mother_points
    return max(rules.single_points, rules.gammon_points, rules.backgammon_points, mother)


def widened(net: Net, hidden: int, seed: int) -> Net:
    """Return a net of more hidden units that says the same to the last bit: the new ones have
    random weights of their own, and none in the outputs.

    Raises:
        ValueError: `hidden` is no multiple of 32, or fewer than the net has.
    """
    if hidden % BLOCK or not net.hidden <= hidden <= MOST_HIDDEN:
        raise ValueError(
            f"hidden={hidden}: expected a multiple of {BLOCK}, {net.hidden} (what the net has) to "
            f"{MOST_HIDDEN}"
        )
    more = hidden - net.hidden
    if more == 0:
        return net
    generator = np.random.default_rng([seed, 4])
    phases, features, _ = net.hidden_weights.shape
    first = generator.uniform(-_SCALE, _SCALE, (phases, features, more)).astype(np.float32)
    # What never occurs in the game has no weights and gets none.
    first[(net.hidden_weights == 0).all(axis=2)] = 0
    # In the middle of where they are not flat: a unit that is cut off learns nothing.
    biases = generator.uniform(-_SCALE, _SCALE, (phases, more))
    biases += 0.5 * (net.activation == "clipped")
    more_weights = np.zeros((phases, more, net.outputs))
    return net.changed(
        hidden_weights=np.concatenate([net.hidden_weights, first], axis=2),
        hidden_biases=np.concatenate([net.hidden_biases, biases], axis=1),
        output_weights=np.concatenate([net.output_weights, more_weights], axis=1),
    )


def grown(net: Net, hidden: int, scalars: bool, experts: bool, seed: int) -> Net:
    """Return a net that says the same, with so many units, with scalars and with experts if they
    are asked for.

    Raises:
        ValueError: `hidden` is none that the net can have.
    """
    wide = widened(net, hidden, seed)
    wide = wide.with_scalars() if scalars else wide
    return wide.with_experts() if experts else wide
