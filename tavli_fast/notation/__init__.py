"""Text for people and programs: plays, legal plays, Position IDs, XGIDs, pictures of a board.

May import `boards` and what lies below it. `play` and the command line call it.
"""

from tavli_fast.notation.legal import LegalPlays, legal_plays
from tavli_fast.notation.play import Play, format_play, parse_play
from tavli_fast.notation.position_id import from_position_id, parse_position, position_id
from tavli_fast.notation.view import BoardView, pip_counts, view
from tavli_fast.notation.xgid import XGID, from_xgid, to_xgid

__all__ = [
    "XGID",
    "BoardView",
    "LegalPlays",
    "Play",
    "format_play",
    "from_position_id",
    "from_xgid",
    "legal_plays",
    "parse_play",
    "parse_position",
    "pip_counts",
    "position_id",
    "to_xgid",
    "view",
]
