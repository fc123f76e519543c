"""Words, bytes and tokenizers of other people, as a person meets them in the app."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Button, Input, Select

from bpe_tui import BPETokenizer
from bpe_tui.bpe.byte_tokenizer import ByteBPETokenizer
from bpe_tui.bpe.word_tokenizer import WordBPETokenizer
from bpe_tui.dataset import read_manifest
from bpe_tui.dataset.manifest import MANIFEST_NAME
from bpe_tui.session.state import RunState
from bpe_tui.tui.panes.vocabulary import VocabularyPane

OpenApp = Callable

TEXT = "the naïve “water” of the 日本 river\n" * 40 + "low lower lowest newest widest the end\n" * 30
SHARED = Path(__file__).parents[3] / "shared" / "data"


async def choose(person: object, **values: str) -> None:
    """Open the settings, set fields and choices by their names, and use them."""
    await person.press("comma")
    await person.until_text("Use these settings")
    for name, value in values.items():
        field = person.app.screen.query_one(f"#{name}")
        assert isinstance(field, Input | Select)
        assert not field.disabled, name
        field.value = value
        await person.pilot.pause()
    person.app.screen.query_one("#accept", Button).press()
    await person.until(lambda: person.app.screen is person.app.main, "the settings to be taken")
    await person.rest()


async def test_bytes_from_settings_to_encoded_splits(open_app: OpenApp, make_corpus: Callable, own_place: Path) -> None:
    expected = ByteBPETokenizer.train(TEXT, 300, rule="gpt2", special_tokens=["<|endoftext|>"], verbose=False)
    folder = make_corpus(train=TEXT, val="the water\n", test="日本 naïve\n")
    async with open_app(corpus=folder, size=(160, 45)) as person:
        await choose(person, target_vocab_size="300", alphabet="bytes", split="gpt2", special_tokens="<|endoftext|>")
        assert person.app.workspace.settings.tie_rule == "lowest-id"
        await person.press("v", "v", "v", "v", "t")
        await person.until(lambda: person.snapshot.merges > 2, "some merges")
        await person.press("space")
        await person.until(lambda: person.snapshot.state is RunState.PAUSED, "the pause")
        await person.press("V", "V", "V", "V", "space")
        await person.until(lambda: person.snapshot.state is RunState.DONE, "the end")
        await person.rest()
        await person.until_text("bytes · rule gpt2 · ties lowest-id", "<|endoftext|>", "bytes/token", "300 of 300")
        assert person.app.workspace.tokenizer().fingerprint() == expected.fingerprint()

        await person.press("s")
        saved = own_place / "tokenizer" / "bpe_tokenizer.json"
        await person.until(saved.exists, "the file")
        await person.rest()
        await person.press("l", "down", "enter")
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        assert person.app.workspace.tokenizer().encode(TEXT) == expected.encode(TEXT)
        await person.until_text("loaded from bpe_tokenizer.json", "bytes · rule gpt2")
        await person.press("e")
        await person.until_text("every split decodes to its text again")
        dataset = read_manifest(own_place / "data" / "encoded_bpe")
        assert {split.name: split.tokens for split in dataset.splits}["train"] == len(expected.encode(TEXT))


async def test_tokens_of_bytes_read_as_text_or_raw(open_app: OpenApp, make_corpus: Callable) -> None:
    async with open_app(corpus=make_corpus(train=TEXT), size=(160, 45)) as person:
        await person.press("w")
        assert "there is no tokenizer yet" in person.toasts()
        await choose(person, target_vocab_size="300", alphabet="bytes")
        await person.train()
        vocabulary = person.app.main.query_one(VocabularyPane)
        await person.press("4", "slash")
        for typed in (" the", "the", "·the"):
            vocabulary.filter_row.query_one(Input).value = typed
            await person.until_text("·the")
        vocabulary.filter_row.query_one(Input).value = "raw:Ġth"
        await person.until_text("·the")
        vocabulary.filter_row.query_one(Input).value = r"/^\\xe2$/"
        await person.until_text("1 of ", r"\xe2")
        await person.press("escape", "b", "w")
        await person.until_text("Ġthe")
        assert "·the  " not in person.text().split("4 Vocabulary")[1]
        await person.press("w")
        await person.until_text("·the")
        await person.press("i")
        await person.paste("日本 the ☃")
        await person.until_text("characters (", "bytes)", r"\xe2")
        await person.press("escape", "4", "enter")
        await person.until_text("raw form", "parts, down to bytes")


async def test_a_character_that_tokens_share_shows_as_its_bytes(open_app: OpenApp, make_corpus: Callable) -> None:
    async with open_app(corpus=make_corpus(train=TEXT)) as person:
        await choose(person, target_vocab_size="258", alphabet="bytes")
        await person.train()
        passage = person.app.main.query_one("#passage")
        assert r"na\xc3\xafve" in passage.plain
        assert r"\xe6\x97\xa5" in passage.plain
        await choose(person, target_vocab_size="400")
        await person.press("t", "d")
        await person.until(lambda: person.snapshot.merges > 2 and person.snapshot.state.ended, "the end")
        await person.rest()
        assert "naïve" in passage.plain
        assert "日本" in passage.plain


async def test_words(open_app: OpenApp, make_corpus: Callable, own_place: Path) -> None:
    expected = WordBPETokenizer.train(TEXT, 80, base_tokens=None, verbose=False)
    folder = make_corpus(train=TEXT, val="the end\n", test="low\n")
    async with open_app(corpus=folder, size=(160, 45)) as person:
        await choose(person, target_vocab_size="80", alphabet="words")
        await person.train()
        await person.until_text("words · punctuation kept · ties first", "the</w>", "·river·")
        assert person.app.workspace.tokenizer().fingerprint() == expected.fingerprint()
        await person.press("4", "slash")
        person.app.main.query_one(VocabularyPane).filter_row.query_one(Input).value = "e</w>"
        await person.until_text("the</w>", "e</w>")
        await person.press("escape", "i")
        await person.paste("the  end")
        await person.until_text("8 characters,")
        await person.press("escape", "s")
        await person.until_told("Saved")
        assert BPETokenizer.from_file(own_place / "tokenizer" / "bpe_tokenizer.json").encode(TEXT) == expected.encode(
            TEXT
        )
        await person.press("e")
        await person.until_text("but for white space")


async def test_settings_say_what_does_not_apply_and_what_is_wrong(open_app: OpenApp) -> None:
    async with open_app(size=(80, 24)) as person:
        await person.press("comma")
        await person.until_text("only bytes are cut by a rule", "only words are parted from it", "with words or bytes")
        screen = person.app.screen
        assert screen.query_one("#split").disabled
        screen.query_one("#alphabet", Select).value = "bytes"
        await person.until_text("words with the space before", "at least 256", "oldest tokens")
        assert not screen.query_one("#split").disabled
        assert screen.query_one("#punctuation").disabled
        screen.query_one("#split", Select).value = "pattern"
        screen.query_one("#pattern", Input).value = "("
        await person.until_text("is no regular expression")
        screen.query_one("#pattern", Input).value = r"\w+|\W+"
        screen.query_one("#special_tokens", Input).value = "<a> <a>"
        await person.until_text("is given twice")
        screen.query_one("#special_tokens", Input).value = "a"
        await person.until_text("is equal to the token")
        screen.query_one("#special_tokens", Input).value = "<a> <b>"
        screen.query_one("#target_vocab_size", Input).value = "257"
        await person.until_text("alone are 258 tokens")
        screen.query_one("#target_vocab_size", Input).value = "1k"
        await person.pilot.pause()
        screen.query_one("#accept", Button).press()
        await person.until(lambda: person.app.screen is person.app.main, "the settings to be taken")
        chosen = person.app.workspace.settings
        assert (chosen.alphabet, chosen.pattern, chosen.special_tokens) == ("bytes", r"\w+|\W+", ("<a>", "<b>"))


async def test_a_small_tokenizer_json_is_opened_and_saved(open_app: OpenApp, own_place: Path) -> None:
    tokenizer = ByteBPETokenizer.train(TEXT, 300, special_tokens=["<|end|>"], verbose=False)
    tokenizer.save(own_place / "tokenizer.json")
    before = (own_place / "tokenizer.json").read_bytes()
    async with open_app(size=(160, 45)) as person:
        await person.press("l", "down", "enter")
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        await person.until_text("loaded from tokenizer.json", "rule gpt2", "1: <|end|>", "special")
        await person.press("i")
        await person.paste("the 日本")
        ids = tokenizer.encode("the 日本")
        await person.until_text(f"{len(ids)} tokens", *map(str, ids))
        await person.press("escape", "s")
        await person.until_text("Save tokenizer as", "this name means bpe-tui")
        await person.press("enter")
        await person.until_told("Saved")
        assert (own_place / "tokenizer.json").read_bytes() == before, "what came in another format is not touched"
        again = BPETokenizer.from_file(own_place / "tokenizer" / "tokenizer.bpe.json")
        assert again.encode(TEXT) == tokenizer.encode(TEXT)
        await person.press("S")
        await person.until_text("Save tokenizer as")
        person.app.screen.query_one("#format", Select).value = "tiktoken"
        await person.press("enter")
        await person.until(lambda: "Overwrite?" in person.text() or "Saving" in person.toasts(), "what comes of it")
        if "Overwrite?" in person.text():
            await person.press("o")
        await person.until_told("a tiktoken file holds no special tokens")


async def test_a_tiktoken_file_asks_for_its_rule(open_app: OpenApp, own_place: Path) -> None:
    tokenizer = ByteBPETokenizer.train(TEXT, 300, ties="bytes", rule="cl100k", verbose=False)
    tokenizer.save(own_place / "ranks.tiktoken")
    async with open_app(size=(80, 24)) as person:
        await person.press("l", "down", "enter")
        await person.until_text("does not say how text is cut into pieces", "cl100k", "qwen2")
        await person.press("escape")
        await person.rest()
        assert person.app.workspace.loaded is None
        await person.press("l", "down", "enter")
        await person.until_text("does not say how")
        await person.press("down", "enter")
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        assert person.app.workspace.tokenizer().encode(TEXT) == tokenizer.encode(TEXT)
        await person.press("2")
        await person.until_text("bytes · rule cl100k · lowest id merges first")


async def test_other_kinds_can_be_looked_at(open_app: OpenApp, own_place: Path) -> None:
    pytest.importorskip("tokenizers")
    pieces = ["[UNK]", "the", "water", "##s", "low", "##er"]
    content = {
        "version": "1.0",
        "added_tokens": [
            {"id": 0, "content": "[UNK]", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
             "special": True}
        ],
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {piece: number for number, piece in enumerate(pieces)}},
    }  # fmt: skip
    (own_place / "wordpiece.json").write_text(json.dumps(content))
    async with open_app(size=(160, 45)) as person:
        await person.press("l", "down", "enter")
        await person.until(lambda: person.app.workspace.loaded is not None, "the tokenizer")
        await person.rest()
        await person.until_text("WordPiece has no merges", "encoded by tokenizers", "##er")
        await person.press("i")
        await person.paste("the lower waters")
        await person.until_text("5 tokens", "##s")
        await person.press("escape", "s")
        await person.until_told("can be inspected and compared, not written")
        await person.press("4", "enter")
        await person.until_text("no merge builds on it")
        await person.press("escape")
        await person.train()
        await person.until_text("500 of 500")


@pytest.mark.skipif(not (SHARED / "gpt2").is_dir(), reason="the shared data is not there")
async def test_gpt2(open_app: OpenApp) -> None:
    async with open_app(size=(160, 45), tokenizer=SHARED / "gpt2") as person:
        await person.until(lambda: person.app.workspace.loaded is not None, "GPT-2")
        await person.rest()
        await person.until_text("50,000 merges", "rule gpt2", "<|endoftext|>")
        await person.press("i")
        await person.paste("Hello world")
        await person.until_text("15496", "995", "·world")
        await person.press("escape", "4", "t")
        await person.until(lambda: person.snapshot.state is RunState.DONE and person.snapshot.merges, "another run")
        await person.rest()
        await person.until_text("500 of 500")


async def test_enter_does_not_cancel_what_has_just_begun(open_app: OpenApp, own_place: Path) -> None:
    async with open_app() as person:
        await person.train()
        await person.press("e", "enter")
        encoded = own_place / "data" / "encoded_bpe"
        await person.until((encoded / MANIFEST_NAME).exists, "the end of encoding")
        assert read_manifest(encoded).splits
        # The results may have come before the key, which then has closed them.
        await person.until(lambda: not person.app.situation().working, "the results")
        await person.press("escape")
        await person.rest()


async def test_a_failure_is_told_whole(open_app: OpenApp, make_corpus: Callable) -> None:
    special = "<|" + "a very long special token ".replace(" ", "-") * 6 + "|>"
    async with open_app(corpus=make_corpus(train=TEXT), size=(80, 24)) as person:
        settings = person.app.workspace.settings
        await person.press("2")
        person.app.workspace.set_settings(
            type(settings)(None, 257, 2, alphabet="bytes", special_tokens=(special, "another", "third"))
        )
        await person.press("t")
        await person.until(lambda: person.snapshot.state is RunState.FAILED, "the failure")
        await person.rest()
        message = person.snapshot.error
        assert message is not None

        def told() -> bool:
            shown = "".join(line.strip("│ ") for line in person.text().splitlines()).replace(" ", "")
            return message.replace(" ", "") in shown

        await person.until(told, message)
