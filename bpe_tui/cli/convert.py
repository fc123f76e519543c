"""`bpe-tui convert`: a tokenizer file from one format to another, with the same ids or not at all."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.arguments import add_console, add_overwrite

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer
    from bpe_tui.cli.console import Console
    from bpe_tui.formats.conversion import Conversion

_FORMATS = ("bpe-tui", "huggingface", "gpt2", "tiktoken", "minbpe", "sentencepiece")
_SHOWN = 20
"""Exceptions that are named one by one."""

_DESCRIPTION = """Write a tokenizer in another format: bpe-tui's own JSON (NAME.json), Hugging Face's tokenizer.json
(of characters only with --to huggingface), GPT-2's pair of files (a folder, vocab.json or merges.txt), tiktoken's ranks
(NAME.tiktoken), minbpe (NAME.model). Before anything is written, the result is read back and must give the same ids as
the original on many texts; what a format cannot hold is named."""


def add_parser(subparsers: Any) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser("convert", help="write a tokenizer file in another format", description=_DESCRIPTION)
    parser.add_argument("source", type=Path, metavar="A", help="tokenizer file, or a folder that holds one")
    parser.add_argument("target", type=Path, metavar="B", help="file or folder to write; its name says the format")
    parser.add_argument("--from", dest="source_format", choices=_FORMATS, help="insist on this format of A")
    parser.add_argument("--to", dest="target_format", choices=_FORMATS[:-1], help="format of B, whatever its name is")
    parser.add_argument(
        "--split",
        metavar="RULE",
        help="how text is cut into pieces, for files that do not say it: a rule (none, whitespace, gpt2, cl100k, "
        "o200k, llama3, qwen2) or a regular expression",
    )
    parser.add_argument("--on", type=Path, metavar="FILE", help="compare both on this text, too")
    parser.add_argument(
        "--without-special", action="store_true", help="leave special tokens out, for formats that cannot hold them"
    )
    add_overwrite(parser, "what is there already")
    add_console(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do it. Gives the exit code."""
    from bpe_tui import formats
    from bpe_tui.cli.console import Console
    from bpe_tui.cli.work import compile_kernels, run_job
    from bpe_tui.formats import conversion

    console = Console(arguments)
    own_text = _own_text(arguments.on, console)
    compile_kernels(console, "bytes")
    source: BPETokenizer = run_job(
        console,
        f"reading {arguments.source.name}",
        lambda _: formats.read(arguments.source, arguments.split, arguments.source_format),
    )
    tokenizer = conversion.without_special_tokens(source) if arguments.without_special else source
    wanted = conversion.wanted_format(tokenizer, arguments.target, arguments.target_format)
    _check_target(conversion.files_for(arguments.target, wanted), overwrite=arguments.overwrite)
    done: Conversion = run_job(
        console,
        f"converting {arguments.source.name}",
        lambda report: conversion.convert(tokenizer, arguments.target, wanted, own_text, report),
    )
    left_out = dict(source.special_tokens) if arguments.without_special else {}
    _answer(arguments.source, done, left_out, console)
    console.document(_figures(arguments.source, done, left_out))
    return 0


def _own_text(path: Path | None, console: Console) -> str:
    if path is None:
        return ""
    from bpe_tui.cli.work import run_job
    from bpe_tui.corpus import read_text

    return run_job(console, f"reading {path.name}", lambda report: read_text(path, report=report)).text


def _check_target(files: tuple[Path, ...], *, overwrite: bool) -> None:
    from bpe_tui.cli.outputs import OutputError, check_place

    for file in files:
        check_place(file)
        if file.exists() and not overwrite:
            raise OutputError(f"{file} exists already; give --overwrite to replace it, or name another file")


def _answer(source: Path, done: Conversion, left_out: dict[str, int], console: Console) -> None:
    from bpe_tui.terminal import token_text

    tokenizer = done.tokenizer
    named = ", ".join(console.message(file) for file in done.files)
    console.answer(f"converted {console.message(source)} to {done.format}: {named}")
    rule = getattr(tokenizer, "rule", None)
    console.answer(
        f"{getattr(tokenizer, 'token_count', tokenizer.vocab_size):,} tokens, {len(tokenizer.merges):,} merges"
        + (f", splitting rule {rule.name}" if rule is not None else "")
        + f", {len(tokenizer.special_tokens):,} special tokens"
    )
    console.answer(f"same ids on {done.characters:,} characters, read by {' and by '.join(done.checked_by)}")
    if done.exceptions:
        console.answer(f"{len(done.exceptions):,} tokens do not encode back to themselves, before or after:")
        for number in done.exceptions[:_SHOWN]:
            console.answer(
                f"  {number:>7}  {token_text(tokenizer.tokens[number], tokenizer.kind, ascii_only=console.ascii_only)}"
            )
        if len(done.exceptions) > _SHOWN:
            console.answer(f"  ... and {len(done.exceptions) - _SHOWN:,} more; --json names all")
    else:
        console.answer("every token encodes back to itself")
    for what in done.left_out:
        console.answer(f"not in the file: {console.message(what)}")
    for token, number in left_out.items():
        console.answer(f"not in the file: special token {console.shown(token)}, id {number}")


def _figures(source: Path, done: Conversion, left_out: dict[str, int]) -> dict[str, Any]:
    tokenizer = done.tokenizer
    return {
        "source": str(source),
        "format": str(done.format),
        "files": [{"file": str(file), "bytes": file.stat().st_size} for file in done.files],
        "fingerprint": tokenizer.fingerprint(),
        "vocab_size": tokenizer.vocab_size,
        "tokens": getattr(tokenizer, "token_count", tokenizer.vocab_size),
        "merges": len(tokenizer.merges),
        "special_tokens": dict(tokenizer.special_tokens),
        "compared_characters": done.characters,
        "checked_by": list(done.checked_by),
        "exceptions": [{"id": number, "token": tokenizer.tokens[number]} for number in done.exceptions],
        "left_out": list(done.left_out),
        "special_tokens_left_out": left_out,
    }
