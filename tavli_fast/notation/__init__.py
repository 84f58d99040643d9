"""Text for people and programs: plays, legal plays to read, position IDs, pictures of a board.

May import `boards` and what lies below it. `play` and the command line call it.
"""
