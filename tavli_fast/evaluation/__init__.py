"""Evaluators of any kind behind one interface: evaluating boards, choosing plays, looking ahead.

May import `nets`, `boards` and what lies below them. `cube`, `rollouts` and `play` call it.
"""
