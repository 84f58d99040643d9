"""Rules as text: the name of a preset or of a house rule, a field's value, and JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from functools import lru_cache
from typing import Any

from tavli_fast.rules.presets import RULES, Rules, resolve_rules


def nearest_preset(rules: Rules) -> tuple[str, dict[str, Any]]:
    """Return the name of the preset that differs in the fewest fields, and those as `rules` has
    them."""

    for name, preset in RULES.items():
        if preset is rules:  # two presets may be equal, as long as no field tells them apart
            return name, {}

    def differences(preset: Rules) -> dict[str, Any]:
        return {
            field.name: getattr(rules, field.name)
            for field in fields(rules)
            if getattr(rules, field.name) != getattr(preset, field.name)
        }

    return min(
        ((name, differences(preset)) for name, preset in RULES.items()),
        key=lambda found: len(found[1]),
    )


def rules_name(rules: Rules) -> str:
    """Return the name of a preset, or ``portes with hit_and_run_home=False`` for a house rule."""
    name, house = nearest_preset(rules)
    changes = ", ".join(f"{field}={value!r}" for field, value in house.items())
    return f"{name} with {changes}" if house else name


def value_text(value: object) -> str:
    """Return a field's value as a player reads it, and as ``--set`` of the command line takes
    it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        items = [":".join(map(str, item)) if isinstance(item, tuple) else item for item in value]
        return " ".join(map(str, items)) or "none"
    return "none" if value is None else str(value)


def rules_to_json(rules: Rules) -> Any:
    """Return a preset's name, or the fields of other rules."""
    return json.loads(_rules_text(rules))


def rules_from_json(data: Any) -> Rules:
    """Return the rules that `rules_to_json` gave.

    Raises:
        ValueError: no preset's name, or fields that no rules have.
        TypeError: fields of other names.
    """
    if isinstance(data, str):
        return resolve_rules(data)
    return Rules(**{name: _tuples(value) for name, value in data.items()})


def _tuples(value: Any) -> Any:
    """Return a value with tuples for lists, as `Rules` has them."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


@lru_cache(maxsize=64)
def _rules_text(rules: Rules) -> str:
    """Return what `rules_to_json` returns, as text."""
    name = rules_name(rules)
    return json.dumps(name if name in RULES else asdict(rules))
