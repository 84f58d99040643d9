"""Games and matches turn by turn: records, policies, the cube's actions, sessions, match files.

May import `notation`, `cube`, `evaluation` and what lies below them. The command line calls it.
"""
