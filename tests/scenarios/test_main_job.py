"""The main job as a person does it: watch a tokenizer being trained, save it, encode with it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from bpe_tui import BPETokenizer
from bpe_tui.dataset import EncodedDataset, read_manifest
from bpe_tui.errors import DatasetError
from bpe_tui.progress import Report
from bpe_tui.session.job import Job
from bpe_tui.session.state import RunState
from bpe_tui.tui.dialogs.encode import EncodeDialog

OpenApp = Callable


async def test_train_pause_step_continue_save_encode(open_app: OpenApp, own_place: Path, verses: str) -> None:
    base = sorted(set(verses))
    expected = BPETokenizer.train(verses, 150, 2, base, verbose=False)
    async with open_app() as person:
        await person.press("comma")
        await person.press("tab")
        await person.type("150")
        await person.press("enter")
        await person.rest()
        assert person.app.workspace.settings.target_vocab_size == 150

        await person.press("v", "v", "v", "v")  # ten merges a second: slow enough to watch
        await person.press("t")
        await person.until(lambda: person.snapshot.merges > 0, "the first merge")
        await person.press("space")
        await person.until(lambda: person.snapshot.state is RunState.PAUSED, "the pause")
        paused_at = person.snapshot.merges

        await person.press("full_stop")
        await person.until(lambda: person.snapshot.merges == paused_at + 1 and not person.snapshot.state.busy, "a step")
        await person.press("V", "V", "V", "V")
        await person.press("n")
        await person.press("3")
        await person.press("enter")
        await person.until(lambda: person.snapshot.merges == paused_at + 4 and not person.snapshot.state.busy, "steps")

        await person.press("space")
        await person.until(lambda: person.snapshot.state is RunState.DONE, "the end")
        await person.rest()
        await person.until_text("150 of 150", expected.fingerprint()[:16])

        await person.press("s")
        saved = own_place / "tokenizer" / "bpe_tokenizer.json"
        await person.until(saved.exists, "the file")
        await person.rest()
        assert BPETokenizer.from_file(saved).fingerprint() == expected.fingerprint()

        await person.press("e")
        await person.until_text("every split decodes to its text again", "SHA-256 of the ids")
        dataset = read_manifest(own_place / "data" / "encoded_bpe")
        assert dataset.fingerprint == expected.fingerprint()
        assert {split.name: split.tokens for split in dataset.splits}["train"] == len(expected.encode(verses))
        await person.press("escape")

        await person.press("f")
        await person.until_text(expected.fingerprint())
        await person.press("c")
        await person.until_text("bytes were sent to the terminal")
        await person.press("w")
        await person.until_text("written to")
        assert (own_place / "tokenizer" / "bpe_tokenizer.fingerprint.txt").read_text() == expected.fingerprint() + "\n"
        await person.press("escape")

        await person.press("q")
        await person.until(lambda: person.app._left, "the end of the app")
    told = "\n".join(person.app.workspace.summary.lines())
    assert "trained" in told
    assert "saved" in told
    assert "encoded" in told
    assert expected.fingerprint() in told


async def test_raise_the_target_and_go_on(open_app: OpenApp, verses: str) -> None:
    expected = BPETokenizer.train(verses, 120, 2, sorted(set(verses)), verbose=False)
    async with open_app() as person:
        person.app.workspace.set_settings(type(person.app.workspace.settings)(None, 60, 2))
        await person.train()
        assert person.snapshot.vocab_size == 60
        await person.press("plus")
        await person.type("120")
        await person.press("enter")
        await person.until(lambda: person.snapshot.vocab_size == 120, "the higher target")
        await person.rest()
        assert person.app.workspace.tokenizer().fingerprint() == expected.fingerprint()


async def test_the_passage_fuses_and_turns(open_app: OpenApp) -> None:
    async with open_app() as person:
        passage = person.app.main.query_one("#passage")
        plain = [style for line in passage.lines for _, style in line]
        assert set(plain) == {""}
        await person.train()
        fused = [text for line in passage.lines for text, style in line if style]
        assert max(len(text) for text in fused) >= 4
        before = passage.plain
        await person.press("right_square_bracket")
        assert passage.plain != before
        await person.press("left_square_bracket")
        assert passage.plain == before


async def test_try_a_text_with_missing_characters(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("i")
        await person.type("water")
        await person.until_text("no tokenizer yet")
        await person.press("escape")
        await person.train()
        await person.until_text("5 characters,")
        await person.press("i", "end")
        await person.press("é", "☃")
        await person.until_text("no base token for", "é (U+00E9)", "☃ (U+2603)")
        await person.press("escape")
        assert person.app.main.pane == "tokenizer"
        await person.press("s")
        await person.until_told("Saved")


async def test_load_a_tokenizer(open_app: OpenApp, own_place: Path, verses: str) -> None:
    tokenizer = BPETokenizer.train(verses, 90, 2, verbose=False)
    path = own_place / "my tokenizer, größer.json"
    tokenizer.save(path)
    async with open_app(size=(160, 45)) as person:
        await person.press("l")
        await person.press("down", "enter")
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        await person.until_text("loaded", f"{len(tokenizer.merges)} merges", "90")
        await person.press("3")
        row = next(line for line in person.text().splitlines() if "→" in line and "+" in line and "left" not in line)
        assert "–" in row
        await person.press("full_stop")
        assert "a loaded tokenizer is not training" in person.toasts()
        await person.press("i")
        await person.type("the water")
        await person.until_text("9 characters,")
        await person.press("escape", "e")
        await person.until_text("every split decodes")


async def test_damaged_files_are_named(open_app: OpenApp, own_place: Path, tmp_path: Path) -> None:
    (own_place / "broken.json").write_text('{"type": "character_bpe", "base_tokens": ["a"], "mer')
    async with open_app() as person:
        await person.press("l")
        await person.press("down", "enter")
        await person.until_told("broken.json")
        assert person.app.workspace.loaded is None
        await person.press("o")
        await person.paste(str(tmp_path / "nowhere"))
        await person.press("enter")
        await person.until_text("there is nothing at this path")
        await person.press("escape")
        (tmp_path / "empty").mkdir()
        await person.press("o")
        await person.paste(str(tmp_path / "empty"))
        await person.press("enter")
        await person.until_told("Reading the corpus failed")
        assert person.app.workspace.corpus is not None


async def test_open_a_shipped_corpus(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("o", "down", "down", "enter")
        await person.until_text("low-lower-lowest")
        await person.train()
        assert person.snapshot.merges > 0


async def test_without_arguments_the_first_shipped_corpus_opens(open_app: OpenApp) -> None:
    async with open_app(corpus=None) as person:
        await person.until_text("king-james-bible", "In·the·beginning")


async def test_encoding_over_another_tokenizers_output_asks(open_app: OpenApp, own_place: Path) -> None:
    async with open_app() as person:
        await person.train()
        await person.press("e")
        await person.until_text("every split decodes")
        await person.press("escape")
        first = read_manifest(own_place / "data" / "encoded_bpe").fingerprint
        await person.press("plus", "enter")
        await person.rest()
        await person.until(lambda: person.snapshot.merges > 0 and not person.snapshot.state.busy, "the end")
        if person.app.workspace.tokenizer().fingerprint() == first:
            return
        await person.press("e")
        await person.until_text("Overwrite")
        assert read_manifest(own_place / "data" / "encoded_bpe").fingerprint == first
        await person.press("o")
        await person.until_text("every split decodes")
        assert read_manifest(own_place / "data" / "encoded_bpe").fingerprint != first


async def test_enter_pressed_once_too_often_cancels_nothing(open_app: OpenApp, own_place: Path) -> None:
    released = threading.Event()

    def work(report: Report) -> EncodedDataset:
        released.wait(60)
        raise DatasetError("the end of it")

    async with open_app() as person:
        await person.train()
        job = Job("encoding", work)
        splits = person.app.workspace.corpus.splits
        person.app.push_screen(EncodeDialog(lambda _: job.start(), splits, own_place))
        await person.until_text("esc cancels")
        await person.press("enter", "enter")
        cancelled = job.snapshot().cancelling
        released.set()
        await person.until_text("the end of it")
        assert not cancelled, "nothing has the focus while the job lasts"


async def test_digests_are_whole_on_a_narrow_screen(open_app: OpenApp, own_place: Path) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.train()
        await person.press("e")
        await person.until_text("every split decodes")
        for split in read_manifest(own_place / "data" / "encoded_bpe").splits:
            assert split.ids_sha256 in person.text()


async def test_a_screenshot_is_a_file(open_app: OpenApp, own_place: Path) -> None:
    async with open_app() as person:
        person.app.perform("screenshot")
        await person.until_text("Export screenshot")
        await person.press("enter")
        await person.until((own_place / "bpe-tui.svg").exists, "the file")
        assert "verses" in (own_place / "bpe-tui.svg").read_text()
