"""The command `bpe-tui`: one job when a command is named, otherwise the app."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bpe_tui.cli.main import parse, run_app, run_command


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the arguments say (default: those of the process) and give the exit code.

    0: done; 1: the job failed, and standard error says why; 2: wrong usage; 128 + n: ended by signal n (130: ctrl+c).
    """
    arguments = parse(sys.argv[1:] if argv is None else argv)
    if isinstance(arguments, int):
        return arguments
    if arguments.command is not None:
        return run_command(arguments)

    def launch() -> int:
        from bpe_tui.corpus import by_name
        from bpe_tui.tui.launch import launch as launch_app

        return launch_app(
            corpus=by_name(arguments.corpus) if arguments.corpus is not None else None,
            tokenizer=arguments.tokenizer,
            ascii_only=arguments.ascii,
            resume=arguments.resume,
        )

    return run_app(launch)


if __name__ == "__main__":
    sys.exit(main())
