"""What the commands print: tables, reports, estimates with their errors, charts.

May import the library. `cli.options` and the commands use it.
"""
