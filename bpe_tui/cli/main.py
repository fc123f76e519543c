"""From arguments to an exit code: the parser, the choice of the command, and the one place where errors end."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from bpe_tui import __version__
from bpe_tui.cli.interrupts import Interrupted, signals_interrupt

COMMANDS = (
    *("build", "train", "extend", "prune", "encode", "decode", "tokenize", "count"),
    *("stats", "curves", "compare", "compare-sizes", "probe", "rules"),
    *("inspect", "fingerprint", "convert", "corpus", "lm"),
)
"""Each is a module of this package (`-` as `_`) with `add_parser(subparsers)` and `run(arguments) -> int`."""

_DESCRIPTION = "Train Byte Pair Encoding tokenizers while you watch. Without a command, the app opens."


class Parser(argparse.ArgumentParser):
    """A parser whose complaints cannot smuggle the user's control characters to the terminal."""

    def __init__(self, **options: object) -> None:
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)  # type: ignore[arg-type]

    def error(self, message: str) -> None:  # type: ignore[override]
        """Print usage and one `error:` line, and exit with 2."""
        from bpe_tui.cli.console import readable

        self.print_usage(sys.stderr)
        sys.stderr.write(f"error: {readable(message)}; see {self.prog} --help\n")
        raise SystemExit(2)


def build_parser() -> Parser:
    """Give the parser of the whole command line."""
    parser = Parser(prog="bpe-tui", description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"bpe-tui {__version__}")
    parser.add_argument(
        "--corpus", type=Path, metavar="PATH", help="folder, file or name of a shipped corpus to open the app on"
    )
    parser.add_argument("--tokenizer", type=Path, metavar="FILE", help="tokenizer to open the app with")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="checkpoint to go on from in the app")
    parser.add_argument("--ascii", action="store_true", help="show nothing but ASCII")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name in COMMANDS:
        _module(name).add_parser(subparsers)
    return parser


def _module(command: str) -> ModuleType:
    return importlib.import_module(f"bpe_tui.cli.{command.replace('-', '_')}")


def parse(argv: Sequence[str]) -> argparse.Namespace | int:
    """Give the arguments, or the exit code when there is nothing left to do: help, version, wrong usage."""
    try:
        return build_parser().parse_args(argv)
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 0
        return _quietly(lambda: code)
    except BrokenPipeError:
        return _quietly(lambda: 0)


def run_command(arguments: argparse.Namespace) -> int:
    """Do the job that `arguments` name and give the exit code. Errors become one line on standard error."""
    return _guard(lambda: int(_module(arguments.command).run(arguments)))


def run_app(launch: Callable[[], int]) -> int:
    """Open the app and give the exit code; what keeps it from opening becomes one line on standard error."""
    return _guard(launch, signals=False)


def _guard(work: Callable[[], int], *, signals: bool = True) -> int:
    """Run `work` and give its exit code, with every error put into one line and every broken pipe passed over."""
    from bpe_tui.cli.console import repair_streams, warn
    from bpe_tui.cli.failures import UsageError, failure_line

    repair_streams()

    def guarded() -> int:
        try:
            if not signals:
                return work()
            with signals_interrupt():
                return work()
        except BrokenPipeError:
            # Whoever read our output has enough of it.
            return 0
        except KeyboardInterrupt as interrupt:
            warn(f"interrupted: {str(interrupt) or 'nothing is half-written'}")
            return interrupt.exit_code if isinstance(interrupt, Interrupted) else 130
        except Exception as error:
            warn(failure_line(error))
            return 2 if isinstance(error, UsageError) else 1

    return _quietly(guarded)


def _quietly(work: Callable[[], int]) -> int:
    """Give the exit code of `work` after everything printed is out, however little the reader wanted of it."""
    from bpe_tui.cli.console import drop_output, warn

    code = work()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
    except OSError as error:
        drop_output()
        warn(f"error: standard output cannot be written: {error.strerror or error}; send it somewhere else")
        return code or 1
    return code
