"""The options that several commands share, and how their texts are read.

May import the library and `cli.show`. The commands use it.
"""
