"""Jobs that hold encoding and decoding against other packages, and that measure whole files."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from measuring import OURS, Answer, Row, Rows, Setup, in_turn, installed, median, peak_of, skip
from peers_encoding import ENCODERS

ENCODINGS = ("cl100k", "gpt2")
PARAGRAPHS, ARTICLES = "\n", "\n = "


def ranks_of(setup: Setup, encoding: str) -> Path | None:
    """Give a file of ranks in tiktoken's format, None where there is nothing to make it of."""
    if encoding == "cl100k":
        file = setup.shared / "data/ranks/cl100k_base.tiktoken"
        return file if file.is_file() else None
    folder = setup.shared / "data/gpt2"
    if not folder.is_dir():
        return None
    from bpe_tui import BPETokenizer

    tokenizer = BPETokenizer.from_file(folder)
    file = setup.scratch / "r50k_base.tiktoken"
    lines = [
        f"{base64.b64encode(content).decode()} {number}\n"
        for number, content in enumerate(tokenizer.token_bytes)
        if content and tokenizer.tokens[number] not in tokenizer.special_tokens
    ]
    file.write_text("".join(lines), encoding="ascii")
    return file


def _present(setup: Setup, encoding: str) -> list[str]:
    names = [name for name, encoder in ENCODERS.items() if encoding in encoder.encodings and setup.wants(name)]
    return [name for name in names if installed(ENCODERS[name].package, name)]


def _check(answers: dict[str, Answer]) -> None:
    # tiktoken's where it is there: it is where these encodings come from.
    standard = "tiktoken" if "tiktoken" in answers else OURS
    for name, answer in answers.items():
        if answer["digest"] != answers[standard]["digest"]:
            raise SystemExit(f"the ids of {name} are not those of {standard}")


def peers_encode(setup: Setup, _: Any) -> Rows:
    """Encoding and decoding one text with cl100k and gpt2 on one core: first call of a tokenizer and later ones."""
    file = setup.text_file()
    megabytes = file.stat().st_size / 1e6
    for encoding in ENCODINGS:
        ranks = ranks_of(setup, encoding)
        if ranks is None:
            skip("peers-encode", f"{encoding}: there are no ranks below {setup.shared}/data, see --shared")
            continue
        present = _present(setup, encoding)
        requests: dict[str, dict[str, Any]] = {
            name: {
                "job": "encode", "peer": name, "ranks": str(ranks), "encoding": encoding, "file": str(file), "cores": 1
            }
            for name in present
        }  # fmt: skip
        answers = in_turn(requests, setup.runs, check=_check)
        for key, what in (("seconds", "first call"), ("warm", "later calls"), ("decoding", "decode")):
            ours = median(answers[OURS], key)
            for name in sorted(present, key=lambda name: median(answers[name], key)):
                seconds = median(answers[name], key)
                note, memory = f"{megabytes / seconds:,.1f} MB/s", (None, None)
                if key == "seconds":
                    memory = peak_of(answers[name])
                    note += f"; {memory[1] / 1e6:,.0f} MB added"
                ratio = None if name == OURS else seconds / ours
                yield Row(f"{encoding}, {what}, {name}", seconds, ratio, note, *memory)


def documents(setup: Setup, _: Any) -> Rows:
    """Many documents by one call with cl100k: paragraphs and articles, on one core and on two."""
    ranks = ranks_of(setup, "cl100k")
    if ranks is None:
        skip("documents", f"there are no ranks below {setup.shared}/data, see --shared")
        return
    file = setup.text_file()
    present = [name for name in _present(setup, "cl100k") if name != "tokenizers"]
    for what, separator in (("paragraphs", PARAGRAPHS), ("articles", ARTICLES)):
        requests: dict[str, dict[str, Any]] = {
            f"{name}, {cores}": {
                "job": "documents", "peer": name, "ranks": str(ranks), "encoding": "cl100k", "file": str(file),
                "separator": separator, "threads": cores, "cores": cores,
            }
            for cores in (1, 2)
            for name in present
        }  # fmt: skip

        def check(answers: dict[str, Answer]) -> None:
            # tiktoken's ids, in which a document's end is a piece's end.
            standard = answers[f"{'tiktoken' if 'tiktoken' in present else OURS}, 1"]
            for name, answer in answers.items():
                if answer["digest"] != standard["digest"]:
                    raise SystemExit(f"documents: the ids of {name} are others")

        answers = in_turn(requests, setup.runs, check=check)
        for cores in (1, 2):
            ours = median(answers[f"{OURS}, {cores}"], "warm")
            for name in sorted(present, key=lambda name: median(answers[f"{name}, {cores}"], "warm")):
                here = answers[f"{name}, {cores}"]
                seconds = median(here, "warm")
                note = f"{file.stat().st_size / seconds / 1e6:,.1f} MB/s"
                if cores == 2:
                    note += f"; {median(answers[f'{name}, 1'], 'warm') / seconds:.2f} times one core"
                label = f"{here[0]['documents']:,} {what}, {cores} core{'s' * (cores > 1)}, {name}"
                yield Row(label, seconds, None if name == OURS else seconds / ours, note)


def encode_file(setup: Setup, _: Any) -> Rows:
    """`bpe-tui encode` of a whole file to `.pt` and `.npy`, beside the encoder alone: speed and memory."""
    file = setup.text_file()
    size = file.stat().st_size
    little = setup.scratch / "little.txt"
    little.write_text("low lower lowest\n", encoding="utf-8")
    tokenizer = setup.scratch / "bytes.json"
    from bpe_tui import ByteBPETokenizer

    with file.open("rb") as source:
        ByteBPETokenizer.train(source.read(20_000_000), 32_000, verbose=False).save(tokenizer)
    command = [
        "encode", "--train", str(file), "--val", str(little), "--test", str(little), "--tokenizer", str(tokenizer),
        "--overwrite", "--quiet", "--output-dir", str(setup.scratch / "encoded"), "--format",
    ]  # fmt: skip
    # A gigabyte takes long enough to be steady: three rounds, and the first has filled the cache of files.
    runs = min(setup.runs, 3)
    requests: dict[str, dict[str, Any]] = {
        "array": {"job": "encode_file", "tokenizer": str(tokenizer), "file": str(file)},
        "pt": {"job": "cli", "arguments": [*command, "pt"]},
        "npy": {"job": "cli", "arguments": [*command, "npy"]},
    }
    answers = in_turn(requests, runs)
    encoding = [answer["steps"]["encoding"] for answer in answers["array"]]
    rates = {name: median(answers[name], "seconds") for name in requests}
    alone = sorted(encoding)[len(encoding) // 2]
    yield Row(f"{size / 1e6:,.0f} MB, text in memory to an array", alone, None, f"{size / alone / 1e6:,.1f} MB/s")
    labels = {
        "array": "file to an array",
        "pt": "bpe-tui encode, file to .pt, proven",
        "npy": "bpe-tui encode, file to .npy, proven",
    }
    for name, label in labels.items():
        peak, added = peak_of(answers[name])
        note = f"{size / rates[name] / 1e6:,.1f} MB/s; peak {peak / 1e6:,.0f} MB, {peak / size:.1f} bytes a byte"
        yield Row(f"{size / 1e6:,.0f} MB, {label}", rates[name], rates[name] / alone, note, peak, added)
