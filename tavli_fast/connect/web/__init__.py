"""The engine over HTTP: JSON in, JSON out, for every game; with the extra ``connect``."""
