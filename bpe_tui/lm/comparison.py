"""Was the tokenizer worth it? The same model on the same text with the same budget, once for each tokenizer.

The characters of the corpus by themselves are one contender, BPE vocabularies of several sizes the others: prefixes of
one another, learned once. Each is trained with every seed and measured on the whole test split in bits per character.

The folder holds `comparison.json` (what is compared, and the runs that are done), `comparison.svg`, and for each
contender its encoded splits and one folder a seed, as `lm train` writes them. Whatever is done already is not done
again, and a training that was stopped goes on.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from bpe_tui.atomic import write_text
from bpe_tui.errors import VocabularySizeError
from bpe_tui.lm.contenders import CHARACTERS, Contender, contender_name, prepare_contenders
from bpe_tui.lm.errors import ModelSettingsError, RunFolderError
from bpe_tui.lm.evaluation import evaluate
from bpe_tui.lm.results import RunResult, comparison_chart, summarise
from bpe_tui.lm.run_folder import CHECKPOINT_NAME, read_json
from bpe_tui.lm.runs import begin_run, resume_run
from bpe_tui.lm.sampling import SamplingSettings, sample_ids
from bpe_tui.lm.settings import TrainingSettings
from bpe_tui.lm.watching import read_metrics
from bpe_tui.progress import Report, silent
from bpe_tui.system_errors import explain

if TYPE_CHECKING:
    from bpe_tui.corpus import Splits
    from bpe_tui.lm.loop import Loop

COMPARISON_NAME = "comparison.json"
CHART_NAME = "comparison.svg"
MEASURED_NAME = "measured.json"

_GENERATED = 64
"""Tokens that are generated to see how fast that is."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """What is compared. Raises ModelSettingsError when there is nothing to compare."""

    sizes: tuple[int | None, ...]
    """Vocabulary sizes; None for the characters by themselves."""
    seeds: tuple[int, ...]
    settings: TrainingSettings
    """Of every training, its seed left aside."""
    shape: dict[str, Any]
    """Fields of MiniGPTConfig but the vocabulary size."""
    training_characters: int | None = None
    """How much of the training split the merges are learned from; None for all of it."""
    minimum_pair_frequency: int = 2

    def __post_init__(self) -> None:
        for name in ("sizes", "seeds"):
            values = getattr(self, name)
            if not values or len(set(values)) != len(values):
                raise ModelSettingsError(f"the {name} of a comparison must be there, and each only once")

    def as_dict(self) -> dict[str, Any]:
        """Give it as JSON values."""
        settings = self.settings.as_dict()
        del settings["seed"]
        return {
            "contenders": [contender_name(size) for size in self.sizes],
            "seeds": list(self.seeds),
            "settings": settings,
            "shape": self.shape,
            "training_characters": self.training_characters,
            "minimum_pair_frequency": self.minimum_pair_frequency,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of it."""

    folder: Path
    document: dict[str, Any]
    """Everything, as `comparison.json` has it."""


Observe = Callable[[str, int, dict[str, Any]], None]
"""Takes contender, seed, and each line of metrics as it is written."""


def compare(
    plan: ComparisonPlan,
    splits: Splits,
    folder: Path,
    *,
    overwrite: bool = False,
    device: torch.device | None = None,
    report: Report = silent,
    observe: Observe | None = None,
    finished: Callable[[RunResult], None] | None = None,
) -> Comparison:
    """Do all that is not done yet, and give the whole. `finished` sees each run that is done, now or before.

    Raises RunFolderError when the folder holds another comparison, VocabularySizeError, DatasetError, Cancelled.
    """
    base = splits.base_characters()
    for size in plan.sizes:
        if size is not None and size <= len(base):
            raise VocabularySizeError(
                f"a vocabulary of {size:,} tokens cannot be compared: the corpus has {len(base):,} distinct "
                f"characters, which are tokens by themselves; choose sizes from {len(base) + 1:,} on, and {CHARACTERS} "
                "for those"
            )
    if not splits.test.text:
        raise ModelSettingsError("the test split is empty: there is nothing to compare on; name a corpus that has one")
    document = _open(plan, splits, folder, overwrite=overwrite)
    contenders = prepare_contenders(plan, splits, base, folder, report)
    results: list[RunResult] = []
    # Seeds outermost: the first round gives a whole picture, the next ones make it firmer.
    for seed in plan.seeds:
        for contender in contenders:
            results.append(_one_run(plan, contender, seed, device, report, observe))
            if finished is not None:
                finished(results[-1])
            document["runs"] = [dataclasses.asdict(result) for result in results]
            document["summary"] = [dataclasses.asdict(row) for row in summarise(results)]
            chart = comparison_chart(splits.name, plan.settings.budget.kind, results)
            _write(folder / CHART_NAME, chart)
            _write(folder / COMPARISON_NAME, json.dumps(document, indent=2) + "\n")
    return Comparison(folder, document)


def _open(plan: ComparisonPlan, splits: Splits, folder: Path, *, overwrite: bool) -> dict[str, Any]:
    """Give the document of the comparison with no runs, after making sure that the folder is its own."""
    corpus = {
        "name": splits.name,
        "characters": {split.name: len(split.text) for split in splits},
        "sha256": {split.name: hashlib.sha256(split.text.encode("utf-8")).hexdigest() for split in splits},
    }
    document: dict[str, Any] = {"type": "bpe_tui_comparison", "version": 1, "plan": plan.as_dict(), "corpus": corpus}
    file = folder / COMPARISON_NAME
    if file.exists() and not overwrite:
        present = read_json(file) or {}
        differing = _differences(present.get("plan"), document["plan"])
        if present.get("corpus", {}).get("sha256") != corpus["sha256"]:
            differing.append("the text of the corpus")
        if differing:
            raise RunFolderError(
                f"{folder} holds another comparison, which differs in {', '.join(differing)}; "
                "ask for the same to go on with it, name another folder, or give --overwrite to begin anew"
            )
    elif overwrite and folder.is_dir():
        for name in (MEASURED_NAME, CHECKPOINT_NAME):
            for leftover in folder.glob(f"*/seed-*/{name}"):
                leftover.unlink()
    _write(file, json.dumps({**document, "runs": [], "summary": []}, indent=2) + "\n")
    return document


def _differences(before: Any, now: dict[str, Any]) -> list[str]:
    """Name what two plans differ in."""
    # Through JSON, so that both are made of the same types.
    now = json.loads(json.dumps(now))
    if not isinstance(before, dict):
        return ["everything"]
    names = []
    for name, value in now.items():
        there = before.get(name)
        if name in ("settings", "shape") and isinstance(there, dict):
            names += [inner for inner in {**value, **there} if value.get(inner) != there.get(inner)]
        elif there != value:
            names.append(name)
    return [name.replace("_", " ") for name in names]


def _one_run(
    plan: ComparisonPlan,
    contender: Contender,
    seed: int,
    device: torch.device | None,
    report: Report,
    observe: Observe | None,
) -> RunResult:
    folder = contender.folder / f"seed-{seed}"
    done = read_json(folder / MEASURED_NAME)
    if done is not None and done.get("fingerprint") == contender.data.fingerprint:
        return RunResult(**done)
    name = f"{contender.name}, seed {seed}"

    def named_report(step: str, done: int, total: int) -> None:
        report(f"{name}: {step}", done, total)

    def named_observe(entry: dict[str, Any]) -> None:
        if observe is not None:
            observe(contender.name, seed, entry)

    if (folder / CHECKPOINT_NAME).is_file():
        loop = resume_run(contender.data, folder, device=device, report=named_report, observe=named_observe)
    else:
        settings = dataclasses.replace(plan.settings, seed=seed)
        loop = begin_run(
            contender.data,
            folder,
            plan.shape,
            settings,
            overwrite=True,
            device=device,
            report=named_report,
            observe=named_observe,
        )
    # What counts here is the test split.
    loop.run(measure=False)
    result = _measured(contender, seed, loop, folder, named_report)
    _write(folder / MEASURED_NAME, json.dumps(dataclasses.asdict(result), indent=2) + "\n")
    return result


def _measured(contender: Contender, seed: int, loop: Loop, folder: Path, report: Report) -> RunResult:
    training, data = loop.training, contender.data
    config, progress = training.config, training.progress
    test = evaluate(
        training.model,
        data.ids("test"),
        data.lengths,
        batch_size=training.settings.batch_size,
        report=report,
        step="evaluating the whole test split",
    )
    split = data.split("test")
    return RunResult(
        contender=contender.name,
        seed=seed,
        fingerprint=data.fingerprint,
        vocab_size=config.vocab_size,
        embedding_parameters=config.embedding_parameters,
        other_parameters=config.other_parameters,
        steps=progress.step,
        tokens=progress.tokens,
        characters=progress.characters,
        seconds=progress.seconds,
        flops=progress.flops,
        loss=test.loss,
        perplexity=test.perplexity,
        bits_per_character=test.bits_per_character,
        bits_per_byte=test.bits_per_byte,
        characters_per_token=split.compression_factor,
        characters_per_window=config.block_size * split.compression_factor,
        generated_characters_per_second=_generation_speed(contender, loop, report),
        curve=[
            {key: entry[key] for key in ("steps", "characters", "seconds", "flops", "bits_per_character")}
            for entry in (
                {**entry, "steps": entry["step"]} for entry in read_metrics(folder) if entry["kind"] == "validation"
            )
        ],
    )


def _generation_speed(contender: Contender, loop: Loop, report: Report) -> float:
    """Give characters per second, each token chosen from a full window."""
    report("generating", 0, _GENERATED)
    context = contender.data.ids("test")[: loop.training.config.block_size].tolist()
    begun = time.perf_counter()
    ids = list(sample_ids(loop.training.model, context, _GENERATED, SamplingSettings(temperature=1.0)))
    seconds = time.perf_counter() - begun
    return float(contender.data.lengths.characters[ids].sum()) / seconds


def _write(path: Path, content: str) -> None:
    try:
        write_text(path, content)
    except OSError as error:
        raise RunFolderError(explain(error, "write", path)) from error
