"""Rule sets as data: the fields of `Rules`, what a combination may not be, the presets, their text.

Imports nothing of the package but `errors`. Everything else takes a `Rules` or the name of one.
"""

from tavli_fast.rules.presets import (
    BACKGAMMON,
    BACKGAMMON_ZH,
    FEVGA,
    GUL_BARA,
    HYPERGAMMON,
    LONGGAMMON,
    MOULTEZIM,
    NACKGAMMON,
    NARDE,
    PLAKOTO,
    PORTES,
    PORTES_CUBE,
    RULES,
    TAPA,
    TAVLA,
    Rules,
    RulesLike,
)
from tavli_fast.rules.text import rules_name

__all__ = [
    "BACKGAMMON",
    "BACKGAMMON_ZH",
    "FEVGA",
    "GUL_BARA",
    "HYPERGAMMON",
    "LONGGAMMON",
    "MOULTEZIM",
    "NACKGAMMON",
    "NARDE",
    "PLAKOTO",
    "PORTES",
    "PORTES_CUBE",
    "RULES",
    "TAPA",
    "TAVLA",
    "Rules",
    "RulesLike",
    "rules_name",
]
