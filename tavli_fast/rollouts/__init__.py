"""Many games from a position: rollouts, plays ranked by them, policy against policy.

May import `cube`, `evaluation` and what lies below them. `training` and the command line call it.
"""
