"""The doubling cube: match equity, the model of cubeful equities, decisions, exact endings.

May import `evaluation` and what lies below it. `rollouts` and `play` call it.
"""
