"""`bpe-tui corpus`: look at a corpus, clean WikiText, get WikiText-2, and see what is there from the start."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import DEFAULT_PROCESSED, add_console, add_invalid, add_overwrite, add_splits

if TYPE_CHECKING:
    from bpe_tui.cli.console import Console
    from bpe_tui.corpus import Splits
    from bpe_tui.progress import Report

DEFAULT_WIKITEXT2 = Path("data/wikitext-2")


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "corpus",
        help="show, clean, get and list corpora",
        description="Look at corpora, and get one ready to train on.",
    )
    # Each further level is of the same kind as the top parser, so that all complain alike.
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=type(parser))
    _add_show(actions)
    _add_clean(actions)
    _add_get(actions)
    _add_list(actions)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui.cli.console import Console

    actions = {"show": _show, "clean": _clean, "get": _get, "list": _list}
    actions[arguments.action](arguments, Console(arguments))
    return 0


def _add_show(actions: Any) -> None:
    parser = actions.add_parser(
        "show",
        help="count what is in the splits of a corpus",
        description="Read a corpus and print for each split its size, characters and distinct characters.",
    )
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        metavar="PATH",
        help="folder with the splits, a single file (cut 90/5/5 at line ends), or the name of a corpus in the list",
    )
    add_splits(parser)
    add_invalid(parser)
    add_console(parser)


def _add_clean(actions: Any) -> None:
    parser = actions.add_parser(
        "clean",
        help="clean WikiText",
        description=(
            "Clean WikiText into wikitext2_{train,val,test}_clean.txt: undo ' @-@ ', ' @,@ ' and ' @.@ ', "
            "trim the ends of lines, make one blank line of several."
        ),
    )
    parser.add_argument("source", type=Path, metavar="SRC", help="folder with the splits, or a single file")
    parser.add_argument(
        "destination",
        nargs="?",
        type=Path,
        default=DEFAULT_PROCESSED,
        metavar="DST",
        help=f"folder to write into (default: {DEFAULT_PROCESSED})",
    )
    parser.add_argument("--drop-headings", action="store_true", help="leave out lines like = Title =")
    add_overwrite(parser, "cleaned files that are in DST already")
    add_invalid(parser)
    add_console(parser)


def _add_get(actions: Any) -> None:
    parser = actions.add_parser(
        "get",
        help="download a public corpus",
        description="Download WikiText-2 (4.5 MB; text of Wikipedia, CC BY-SA), check its SHA-256 and unpack it.",
    )
    parser.add_argument("corpus", choices=("wikitext-2",), metavar="wikitext-2", help="the corpus to get")
    parser.add_argument(
        "destination",
        nargs="?",
        type=Path,
        default=DEFAULT_WIKITEXT2,
        metavar="DST",
        help=f"folder to write into (default: {DEFAULT_WIKITEXT2})",
    )
    parser.add_argument("--archive", type=Path, metavar="FILE", help="take the archive from FILE, not from the network")
    parser.add_argument("--url", metavar="URL", help="download from URL instead of the known addresses")
    parser.add_argument("--sha256", type=_sha256, metavar="HEX", help="expect another archive, with this SHA-256")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=30.0,
        metavar="SECONDS",
        help="give up when nothing comes for so long (default: 30)",
    )
    add_overwrite(parser, "files that are in DST already")
    add_console(parser)


def _add_list(actions: Any) -> None:
    parser = actions.add_parser(
        "list", help="list the corpora that come with bpe-tui", description="List the corpora that come with bpe-tui."
    )
    add_console(parser)


def _show(arguments: argparse.Namespace, console: Console) -> None:
    from bpe_tui.cli.work import run_job
    from bpe_tui.corpus import by_name, read_splits, shipped
    from bpe_tui.terminal import bytes_size

    named = {"train": arguments.train, "val": arguments.val, "test": arguments.test}
    path: Path | None = arguments.path
    if path is not None:
        path = by_name(path)
    if path is None and not any(named.values()):
        path = shipped()[0].path

    def work(report: Report) -> tuple[Splits, dict[str, int]]:
        from bpe_tui.bpe.alphabet import distinct_characters

        splits = read_splits(path, **named, invalid=arguments.invalid, report=report)
        distinct: dict[str, int] = {}
        for split in splits:
            report(f"counting {split.name}", 0, 0)
            distinct[split.name] = len(distinct_characters(split.text))
        report("counting all", 0, 0)
        return splits, {**distinct, "all": len(splits.base_characters())}

    splits, distinct = run_job(console, "reading the corpus", work)
    characters = sum(len(split.text) for split in splits)
    console.answer(console.message(splits.name))
    console.answer(f"{'split':<6} {'size':>9} {'characters':>14} {'distinct':>9}  file")
    for split in splits:
        console.answer(
            f"{split.name:<6} {bytes_size(split.bytes):>9} {len(split.text):>14,} {distinct[split.name]:>9,}  "
            f"{console.message(split.source)}"
        )
    size = sum(split.bytes for split in splits)
    console.answer(f"{'all':<6} {bytes_size(size):>9} {characters:>14,} {distinct['all']:>9,}")
    for note in splits.notes:
        console.answer(f"note: {console.message(note)}")
    for split in splits:
        for note in split.notes:
            console.answer(f"note: {split.name}: {console.message(note)}")
    console.document(
        {
            "name": splits.name,
            "characters": characters,
            "distinct_characters": distinct["all"],
            "notes": list(splits.notes),
            "splits": [
                {
                    "name": split.name,
                    "file": str(split.source),
                    "bytes": split.bytes,
                    "characters": len(split.text),
                    "distinct_characters": distinct[split.name],
                    "notes": list(split.notes),
                }
                for split in splits
            ],
        }
    )


def _clean(arguments: argparse.Namespace, console: Console) -> None:
    from bpe_tui.cli.work import run_job
    from bpe_tui.corpus import clean_splits

    cleaned = run_job(
        console,
        "cleaning",
        lambda report: clean_splits(
            arguments.source,
            arguments.destination,
            headings=not arguments.drop_headings,
            overwrite=arguments.overwrite,
            invalid=arguments.invalid,
            report=report,
        ),
    )
    for note in cleaned.notes:
        console.say(f"note: {console.message(note)}")
    for split in cleaned.splits:
        console.say(
            f"{split.name + ':':<6} {split.characters_before:>12,} -> {split.characters:>12,} characters  "
            f"{console.message(split.path)}"
        )
    console.document(
        {
            "folder": str(cleaned.folder),
            "notes": list(cleaned.notes),
            "splits": [
                {
                    "name": split.name,
                    "source": str(split.source),
                    "file": str(split.path),
                    "characters_before": split.characters_before,
                    "characters": split.characters,
                }
                for split in cleaned.splits
            ],
        }
    )


def _get(arguments: argparse.Namespace, console: Console) -> None:
    from bpe_tui.cli.work import run_job
    from bpe_tui.corpus import get_wikitext2

    fetched = run_job(
        console,
        "getting WikiText-2",
        lambda report: get_wikitext2(
            arguments.destination,
            url=arguments.url,
            sha256=arguments.sha256,
            archive=arguments.archive,
            overwrite=arguments.overwrite,
            timeout=arguments.timeout,
            report=report,
        ),
    )
    if fetched.source is None:
        console.say(f"WikiText-2 is there already, checked: {console.message(fetched.folder)}")
    else:
        console.say(f"WikiText-2 from {console.message(fetched.source)}, checked and unpacked:")
    for file in fetched.files:
        console.say(f"  {console.message(file)}")
    console.say(f"To clean it: bpe-tui corpus clean {console.message(fetched.folder)} {DEFAULT_PROCESSED}")
    console.document(
        {"folder": str(fetched.folder), "files": [str(file) for file in fetched.files], "source": fetched.source}
    )


def _list(arguments: argparse.Namespace, console: Console) -> None:  # noqa: ARG001 - all actions look alike
    from bpe_tui.corpus import shipped

    corpora = shipped()
    for corpus in corpora:
        console.answer(f"{corpus.name:<18} {corpus.description}")
        console.answer(f"{'':<18} {console.message(corpus.path)}")
    console.document(
        [{"name": corpus.name, "folder": str(corpus.path), "description": corpus.description} for corpus in corpora]
    )


def _sha256(text: str) -> str:
    digits = text.strip().lower()
    if len(digits) != 64 or set(digits) - set("0123456789abcdef"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a SHA-256: 64 hexadecimal digits")
    return digits


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < seconds < 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 86,400 seconds")
    return seconds
