"""Match analysis: what decisions of played matches cost, and how lucky their dice were.

May import `play` and what lies below it. The command line calls it.
"""

from tavli_fast.analysis.analyse import analyse
from tavli_fast.analysis.records import Choice, Decision, Luck
from tavli_fast.analysis.result import MatchAnalysis
from tavli_fast.analysis.totals import GameSummary, Totals

__all__ = ["Choice", "Decision", "GameSummary", "Luck", "MatchAnalysis", "Totals", "analyse"]
