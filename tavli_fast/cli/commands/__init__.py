"""One module for each command, named after it.

May import the library, `cli.options` and `cli.show`. `cli.app` gathers the commands.
"""
