"""The console script ``tavli-fast``, also ``python -m tavli_fast``."""

from __future__ import annotations

import sys

_MISSING = "tavli-fast needs the extra: pip install 'tavli-fast[cli]'"


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        # Here, not above: the package works without the extra, and this must say what is missing.
        from tavli_fast.cli.app import run

        return run()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("click", "rich"):
            raise
        print(_MISSING, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
