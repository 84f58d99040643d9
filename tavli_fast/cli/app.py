"""The program: its commands, and how each kind of failure ends (one line, and an exit code)."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

import click

__all__ = ["program", "run"]

NAME: Final = "tavli-fast"

_COMMANDS: Final = (
    "rollout", "evaluate", "hint", "analyse", "bearoff", "plays", "play", "match", "convert",
    "train", "improve", "nets", "solve", "serve", "ubgi", "ubgi-check", "fibs", "rules", "perft",
    "bench",
)  # fmt: skip

EXIT_FAILED: Final = 1
EXIT_INTERRUPTED: Final = 130
"""128 and the number of SIGINT, as a shell reports it."""


class _Failed(click.ClickException):
    """The system let the program down: a full disk, too little memory."""

    exit_code = EXIT_FAILED


class _Interrupted(click.ClickException):
    """The user pressed Ctrl-C."""

    exit_code = EXIT_INTERRUPTED


class _Program(click.Group):
    """A group whose commands are imported when they are called: `rules` waits for no net.

    It turns what is not the user's input into the exceptions above. A reader who closes the pipe
    early, such as ``head``, has got what he wanted: that is success, where click would exit with 1.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands, each that of its module in `cli.commands`."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in _COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = import_module(f"tavli_fast.cli.commands.{name}")
        command: click.Command = getattr(module, name)
        return command

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the options; --help and --version print here."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError:
            _drop_output()
            raise click.exceptions.Exit(0) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # Caught before click does: it would write a line of its own, and exit with 1.
            raise _Interrupted("interrupted") from None
        except BrokenPipeError:
            _drop_output()
            ctx.exit(0)
        except MemoryError as error:
            raise _Failed(str(error) or "not enough memory") from error


@click.group(
    NAME,
    cls=_Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name=NAME, prog_name=NAME, message="%(prog)s %(version)s")
@click.pass_context
def program(ctx: click.Context) -> None:
    """Roll out and analyse positions of tavli and backgammon, list legal plays, play and train.

    A position is a GNU Backgammon Position ID, an XGID, or a TFID, which also holds games that the
    others cannot, such as Plakoto and Fevga. Without one it is the start. X is the player on roll.

    \b
    tavli-fast rollout --trials 100,000
    tavli-fast rollout 31 --rules backgammon
    tavli-fast evaluate 4HPwATDgc/ABMA --rules backgammon
    tavli-fast bearoff jQUAAFYDAAAAAA
    tavli-fast plays 6-4 --rules plakoto --board
    tavli-fast plays TFID1:f:12o11O1:0:0 55
    tavli-fast perft 3 --split --rules portes --set higher_die=no
    tavli-fast rules fevga
    tavli-fast play --rules backgammon --target 5
    tavli-fast match net random --rules plakoto
    tavli-fast analyse match.mat
    tavli-fast hint 4HPwATDgc/ABMA 31 --rules backgammon
    tavli-fast train --rules plakoto --minutes 15 --threads 2
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line with `args` (default: the program's own) and return the exit code.

    0 is success, 1 a failure, 2 bad input, 130 Ctrl-C. A failure has one line on stderr.
    """
    try:
        code = program.main(args, prog_name=NAME, standalone_mode=False)
        if sys.stdout is not None:
            # Here, where a failure can still be reported; at exit Python would print a traceback.
            sys.stdout.flush()
    except _Interrupted as error:
        _complain(error.message)
        return error.exit_code
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        name = NAME if context is None else context.command_path
        # Some of click's messages have several lines.
        _complain(f"{name}: {' '.join(error.format_message().split())}")
        return error.exit_code
    except click.Abort:  # Ctrl-C before any command ran
        _complain("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        _complain(f"{NAME}: {error.strerror or error}")
        return EXIT_FAILED
    return code if isinstance(code, int) else 0


def _complain(line: str) -> None:
    """Write a line to stderr, if anybody is left to read it."""
    with suppress(OSError):
        click.echo(line, err=True)


def _drop_output() -> None:
    """Send what is still buffered for stdout nowhere, or Python would fail on it again at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
