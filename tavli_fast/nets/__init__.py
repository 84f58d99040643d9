"""Nets as objects: features, weights, files, and the nets that come with the package.

May import `_common`, `_core` and `rules`. `evaluation` and `training` call it.
"""
