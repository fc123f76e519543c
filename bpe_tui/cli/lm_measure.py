"""`bpe-tui lm eval` and `bpe-tui lm sample`: asking a model that is trained."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.lm_train import choose, say_evaluation, tokenizer_beside

if TYPE_CHECKING:
    from bpe_tui.cli.console import Console
    from bpe_tui.lm.model import MiniGPT
    from bpe_tui.lm.sampling import Piece
    from bpe_tui.progress import Report


def evaluate(arguments: argparse.Namespace, console: Console) -> None:
    """Measure a model on a whole split."""
    from bpe_tui.cli.work import run_job
    from bpe_tui.lm.data import open_data

    tokenizer, path = tokenizer_beside(arguments, console)
    data = open_data(arguments.data, tokenizer, path)

    def work(report: Report) -> dict[str, Any]:
        report("loading torch", 0, 0)
        from bpe_tui.lm.checkpoint import check_data, load_model, read_checkpoint
        from bpe_tui.lm.evaluation import evaluate as measure

        checkpoint = read_checkpoint(arguments.checkpoint)
        check_data(checkpoint, data, same_text=False)
        model = load_model(checkpoint, choose(arguments))
        measured = measure(
            model,
            data.ids(arguments.split),
            data.lengths,
            batch_size=arguments.batch_size,
            stride=arguments.stride,
            report=report,
        )
        return {"checkpoint": str(checkpoint.path), **measured.as_dict()}

    figures = run_job(console, "evaluating", work)
    say_evaluation(arguments.split, figures, console, answer=True)
    if not tokenizer.lossless:
        console.note("note: the tokenizer does not keep texts as they are; measured is the text that it gives back")
    console.document(
        {"split": arguments.split, "data": str(arguments.data), "fingerprint": data.fingerprint, **figures}
    )


def sample(arguments: argparse.Namespace, console: Console) -> None:
    """Let a model write."""
    from bpe_tui.cli.work import compile_kernels, run_job
    from bpe_tui.lm.errors import ModelSettingsError

    tokenizer, path = tokenizer_beside(arguments, console)
    compile_kernels(console, tokenizer.unit)

    def load(report: Report) -> MiniGPT:
        report("loading torch", 0, 0)
        from bpe_tui.lm.checkpoint import check_tokenizer, load_model, read_checkpoint

        checkpoint = read_checkpoint(arguments.checkpoint)
        check_tokenizer(checkpoint, tokenizer, path)
        return load_model(checkpoint, choose(arguments))

    model = run_job(console, "loading the model", load)
    from bpe_tui.lm.sampling import SamplingSettings
    from bpe_tui.lm.sampling import sample as continuation

    settings = SamplingSettings(
        temperature=arguments.temperature,
        top_k=arguments.top_k,
        top_p=arguments.top_p,
        seed=arguments.seed,
        stop=arguments.stop,
    )
    try:
        arguments.prompt.encode("utf-8")
    except UnicodeEncodeError:
        raise ModelSettingsError("the prompt is not valid UTF-8; give text") from None
    out = _Stream(console)
    begun = time.perf_counter()
    pieces: list[Piece] = []
    for piece in continuation(model, tokenizer, arguments.prompt, arguments.tokens, settings):
        if not pieces:
            # Only now it is sure that the tokenizer knows the prompt.
            out.write(arguments.prompt)
        pieces.append(piece)
        out.write(piece.text)
    seconds = time.perf_counter() - begun
    out.finish()
    text = "".join(piece.text for piece in pieces)
    console.document(
        {
            "prompt": arguments.prompt,
            "text": text,
            "ids": [piece.id for piece in pieces if piece.id >= 0],
            "characters": len(text),
            "seconds": seconds,
            "characters_per_second": len(text) / seconds,
            "seed": arguments.seed,
        }
    )


class _Stream:
    """Standard output, as the text comes: bytes as they are into a file or pipe, made harmless on a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._on_terminal = sys.stdout.isatty()

    def write(self, text: str) -> None:
        if self._console.json or not text:
            return
        if not self._on_terminal:
            self._console.exactly(text.encode("utf-8", "replace"))
            return
        for number, line in enumerate(text.split("\n")):
            cells = "\t".join(self._console.message(cell) for cell in line.split("\t"))
            sys.stdout.write(("\n" if number else "") + cells)
        sys.stdout.flush()

    def finish(self) -> None:
        if self._on_terminal and not self._console.json:
            sys.stdout.write("\n")
