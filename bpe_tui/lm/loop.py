"""Training to the end of the budget, with all that goes on beside it: figures, validation, samples, checkpoints.

What happens when is decided by how much of the budget is spent, never by the clock (but for checkpoints and the status,
which change no number), and what has happened is in the checkpoint. So a training that was stopped and goes on writes
the same figures as one that was not, times excepted.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from bpe_tui.errors import BPEError, Cancelled
from bpe_tui.lm.checkpoint import Checkpoint, check_data, write_checkpoint
from bpe_tui.lm.control import Wish, ask, asked
from bpe_tui.lm.errors import CheckpointFileError, RunFolderError
from bpe_tui.lm.evaluation import Evaluation, evaluate
from bpe_tui.lm.run_folder import RunFolder, Status, TrainingState
from bpe_tui.lm.sampling import Piece, SamplingSettings, sample
from bpe_tui.lm.settings import BudgetKind
from bpe_tui.lm.training import StepFigures, Training
from bpe_tui.progress import Report, silent

CHECKPOINT_SECONDS = 60.0
"""How much work a crash costs at most."""

_LOOK = 0.1
"""Seconds between two looks at what is asked of the training."""

Observe = Callable[[dict[str, Any]], None]
"""Takes each line of metrics as it is written."""


@dataclass(slots=True)
class _Memory:
    """What the loop remembers between steps."""

    logs: int = 0
    """Points of the training loss that are written."""
    evaluations: int = 0
    samples: int = 0
    steps: int = 0
    """Steps since the last point, and their sums below."""
    nats: float = 0.0
    tokens: int = 0
    characters: int = 0
    seconds: float = 0.0
    gradient_norms: float = 0.0

    def add(self, figures: StepFigures) -> None:
        self.steps += 1
        self.nats += figures.loss * figures.tokens
        self.tokens += figures.tokens
        self.characters += figures.characters
        self.seconds += figures.seconds
        self.gradient_norms += figures.gradient_norm

    def forget(self) -> None:
        self.steps, self.nats, self.tokens, self.characters = 0, 0.0, 0, 0
        self.seconds, self.gradient_norms = 0.0, 0.0


class Loop:
    """A training in its folder. After `begin` or `resume`, `run` takes it to the end of its budget."""

    def __init__(
        self, training: Training, folder: RunFolder, report: Report = silent, observe: Observe | None = None
    ) -> None:
        self.training = training
        self.folder = folder
        self._given_report = report
        self._looked_at = 0.0
        self._state = TrainingState.TRAINING
        self._observe = observe or (lambda _: None)
        self._memory = _Memory()
        self._last: StepFigures | None = None
        self._saved_at = time.monotonic()
        data = training.data
        self._validation = data.ids("val")
        covered = data.lengths.characters[self._validation].cumsum()
        # Up to the token with which so many characters are full.
        end = int(covered.searchsorted(training.settings.evaluation_characters)) + 1
        self._validation_sample = self._validation[:end]

    def begin(self) -> None:
        """Start in an empty folder, or one whose training may go. Raises RunFolderError, TokenizerFileError."""
        training = self.training
        self.folder.begin(
            {
                "config": asdict(training.config),
                "settings": training.settings.as_dict(),
                "fingerprint": training.data.fingerprint,
                "data": str(training.data.dataset.folder),
                "data_digest": training.data.digest,
                "device": str(training.device),
                "embedding_parameters": training.config.embedding_parameters,
                "other_parameters": training.config.other_parameters,
            },
            training.data.tokenizer,
        )

    def resume(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint. Raises FingerprintMismatchError, CheckpointFileError, RunFolderError."""
        check_data(checkpoint, self.training.data, same_text=True)
        try:
            self.training.load(checkpoint.state)
            memory = dict(checkpoint.loop)
            lines = int(memory.pop("lines"))
            self._memory = _Memory(**memory)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise CheckpointFileError(
                f"{checkpoint.path} is damaged: it cannot be gone on from ({type(error).__name__}); begin anew"
            ) from error
        self.folder.resume(lines)

    def run(self, *, measure: bool = True) -> dict[str, Any]:
        """Train to the end of the budget and give the result, with `measure` that of the whole validation split too.

        When `report` raises Cancelled, or somebody asks the training to stop (see `control`), a checkpoint is kept
        before Cancelled goes on upwards.
        """
        try:
            self._train()
            self._status(TrainingState.EVALUATING)
            result = self._result(measure=measure)
            self.folder.result(result)
            self._status(TrainingState.DONE)
        except Cancelled:
            # It is only ever raised between two steps.
            try:
                self._save()
                self._status(TrainingState.STOPPED)
            except BPEError as error:
                self._fail(error)
                raise
            raise
        except BaseException as error:
            self._fail(error)
            raise
        finally:
            with contextlib.suppress(RunFolderError):
                ask(self.folder.path, os.getpid(), None)
            self.folder.release()
        return result

    def _fail(self, error: BaseException) -> None:
        # What went wrong may keep this from being written, too; it is the first trouble that counts.
        with contextlib.suppress(RunFolderError):
            self._status(TrainingState.FAILED, error=str(error) or type(error).__name__)

    def _report(self, step: str, done: int, total: int) -> None:
        """Say how far the training is, and do what it is asked to. Raises Cancelled; never called within a step."""
        self._given_report(step, done, total)
        now = time.monotonic()
        if now - self._looked_at < _LOOK:
            return
        self._looked_at = now
        wish = asked(self.folder.path, os.getpid())
        if wish is Wish.PAUSE:
            wish = self._hold()
        if wish is Wish.STOP:
            raise Cancelled("the training was asked to stop")

    def _hold(self) -> Wish | None:
        """Wait until something else is asked for than to pause, and give that."""
        # Should the machine go down meanwhile, nothing is lost.
        self._save()
        state = self._state
        self._status(TrainingState.PAUSED)
        while (wish := asked(self.folder.path, os.getpid())) is Wish.PAUSE:
            self._given_report("paused", 0, 0)
            time.sleep(_LOOK)
        self._status(state)
        return wish

    def _train(self) -> None:
        self._status(TrainingState.TRAINING)
        self._say_progress()
        while True:
            self._happen()
            if self.training.fraction >= 1.0:
                break
            if time.monotonic() - self._saved_at > CHECKPOINT_SECONDS:
                self._save()
            self._last = self.training.advance()
            self._memory.add(self._last)
            self._status(TrainingState.TRAINING, at_least=1.0)
            self._say_progress()
        self._save()

    def _happen(self) -> None:
        """Do what is due at this point of the budget and not done yet."""
        settings, memory = self.training.settings, self._memory
        if self._due(settings.logs, memory.logs) and memory.steps:
            self._log()
            memory.logs = self._reached(settings.logs)
        if self._due(settings.evaluations, memory.evaluations):
            self._evaluate()
            memory.evaluations = self._reached(settings.evaluations)
        if self._due(settings.samples, memory.samples):
            self._sample()
            memory.samples = self._reached(settings.samples)

    def _reached(self, points: int) -> int:
        return math.floor(self.training.fraction * points)

    def _due(self, points: int, done: int) -> bool:
        return self._reached(points) > done

    def _log(self) -> None:
        memory = self._memory
        self._write(
            "train",
            loss=memory.nats / memory.tokens,
            bits_per_character=memory.nats / math.log(2.0) / memory.characters,
            learning_rate=self.training.settings.learning_rate_at(self.training.fraction),
            gradient_norm=memory.gradient_norms / memory.steps,
            tokens_per_second=memory.tokens / memory.seconds,
            characters_per_second=memory.characters / memory.seconds,
        )
        memory.forget()

    def _evaluate(self) -> None:
        if not len(self._validation_sample):
            return
        # Without overlap: quick, and a little dearer than what the end of the training measures.
        measured = self._measure(self._validation_sample, "validating", self.training.config.block_size)
        self._write(
            "validation",
            loss=measured.loss,
            perplexity=measured.perplexity,
            bits_per_character=measured.bits_per_character,
            bits_per_byte=measured.bits_per_byte,
        )

    def _sample(self) -> None:
        training = self.training
        settings = SamplingSettings(seed=training.settings.seed)
        pieces: list[Piece] = []
        for piece in sample(training.model, training.data.tokenizer, "", training.settings.sample_tokens, settings):
            self._report("sampling", len(pieces), training.settings.sample_tokens)
            pieces.append(piece)
        self._write("sample", text="".join(piece.text for piece in pieces), ids=[p.id for p in pieces if p.id >= 0])

    def _result(self, *, measure: bool) -> dict[str, Any]:
        result: dict[str, Any] = {"progress": asdict(self.training.progress)}
        if measure and len(self._validation):
            measured = self._measure(self._validation, "evaluating the whole val split", None)
            result["validation"] = measured.as_dict()
        return result

    def _measure(self, ids: Any, step: str, stride: int | None) -> Evaluation:
        training = self.training
        return evaluate(
            training.model,
            ids,
            training.data.lengths,
            batch_size=training.settings.batch_size,
            stride=stride,
            report=self._report,
            step=step,
        )

    def _write(self, kind: str, **figures: Any) -> None:
        self._observe(
            self.folder.metric(kind, **asdict(self.training.progress), fraction=self.training.fraction, **figures)
        )

    def _save(self) -> None:
        training = self.training
        write_checkpoint(
            Checkpoint(
                path=self.folder.checkpoint,
                config=training.config,
                settings=training.settings,
                fingerprint=training.data.fingerprint,
                data_digest=training.data.digest,
                data_folder=str(training.data.dataset.folder),
                state=training.state(),
                loop={**asdict(self._memory), "lines": self.folder.lines},
            )
        )
        self._saved_at = time.monotonic()

    def _say_progress(self) -> None:
        budget = self.training.settings.budget
        spent = budget.spent(self.training.progress)
        if budget.kind is BudgetKind.FLOPS:
            # In thousandths: nobody reads sixteen digits.
            self._report("training", int(1000 * self.training.fraction), 1000)
        else:
            self._report("training", int(min(spent, budget.amount)), math.ceil(budget.amount))

    def _status(self, state: TrainingState, *, error: str | None = None, at_least: float = 0.0) -> None:
        self._state = state
        progress, fraction, last = self.training.progress, self.training.fraction, self._last
        eta = progress.seconds * (1.0 - fraction) / fraction if fraction > 0.0 else None
        self.folder.status(
            Status(
                state=state,
                pid=os.getpid(),
                step=progress.step,
                tokens=progress.tokens,
                characters=progress.characters,
                seconds=progress.seconds,
                fraction=fraction,
                eta_seconds=eta,
                loss=last.loss if last is not None else None,
                tokens_per_second=last.tokens / last.seconds if last is not None else None,
                characters_per_second=last.characters / last.seconds if last is not None else None,
                error=error,
            ),
            at_least=at_least,
        )
