"""Rule sets as data: the fields of `Rules`, what a combination may not be, the presets, their text.

Imports nothing of the package but `errors`. Everything else takes a `Rules` or the name of one.
"""
