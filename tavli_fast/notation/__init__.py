"""Text for people and programs: plays, legal plays, Position IDs, XGIDs, pictures of a board.

May import `boards` and what lies below it. `play` and the command line call it.
"""
