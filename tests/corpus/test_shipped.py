"""The corpora that come with the package are there, tidy, and what their README says."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from bpe_tui.corpus import read_splits, shipped, shipped_folder
from bpe_tui.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_bible_is_the_default() -> None:
    assert [corpus.name for corpus in shipped()] == [
        "king-james-bible",
        "low-lower-lowest",
        "newest-widest",
        "code-like",
        "many-scripts",
    ]


def test_every_folder_is_listed_and_described() -> None:
    folders = {path.name for path in shipped_folder().iterdir() if path.is_dir()}
    assert folders == {corpus.name for corpus in shipped()}
    readme = (shipped_folder() / "README.md").read_text("utf-8")
    for corpus in shipped():
        assert f"| {corpus.name} |" in readme
        assert corpus.description
        assert "\n" not in corpus.description


@pytest.mark.parametrize("name", [corpus.name for corpus in shipped()])
def test_each_reads_without_remarks(name: str) -> None:
    splits = read_splits(shipped_folder() / name)
    assert splits.name == name
    assert not splits.notes
    for split in splits:
        assert not split.notes
        assert split.text.endswith("\n")
        assert not split.text.endswith("\n\n")
        assert not re.search(r"[ \t]$", split.text, re.MULTILINE)
        assert split.bytes < 6_000_000


def test_the_bible() -> None:
    splits = read_splits(shipped_folder() / "king-james-bible")
    lines = [line for split in splits for line in split.text.split("\n") if line]
    chapters = [line for line in lines if re.fullmatch(r"(\d )?[A-Z][A-Za-z ]+ \d+", line)]
    assert len(chapters) == len(set(chapters)) == 1189
    assert len(lines) - len(chapters) == 31_102
    whole = sum(len(split.text) for split in splits)
    assert 0.04 < len(splits.val.text) / whole < 0.06
    assert 0.04 < len(splits.test.text) / whole < 0.06


def test_the_classic_counts() -> None:
    train = read_splits(shipped_folder() / "newest-widest").train.text
    assert Counter(train.split()) == {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def test_the_code_is_code() -> None:
    for split in read_splits(shipped_folder() / "code-like"):
        compile(split.text, split.source.name, "exec")


def test_many_scripts() -> None:
    splits = read_splits(shipped_folder() / "many-scripts")
    assert {split.text.count("\n\n") + 1 for split in splits} == {27}
    assert len(splits.base_characters()) > len(set(splits.train.text))


@pytest.mark.skipif(not shutil.which("bible"), reason="needs Debian's package bible-kjv")
def test_the_commands_of_the_readme_make_the_bible(tmp_path: Path) -> None:
    readme = (shipped_folder() / "README.md").read_text("utf-8")
    commands = readme.partition("### king-james-bible")[2].partition("```sh\n")[2].partition("```")[0]
    assert commands.startswith("bible ")
    subprocess.run(["sh", "-c", commands], cwd=tmp_path, check=True, timeout=60)
    for name in ("train.txt", "val.txt", "test.txt"):
        assert (tmp_path / name).read_bytes() == (shipped_folder() / "king-james-bible" / name).read_bytes()


def test_an_installed_package_keeps_them_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "bpe_tui"
    monkeypatch.setattr("bpe_tui.corpus.shipping.__file__", str(package / "corpus" / "shipping.py"))
    with pytest.raises(CorpusError, match=f"looked in {package}/shipped_corpora and"):
        shipped_folder()
    toy = package / "shipped_corpora" / "king-james-bible"
    toy.mkdir(parents=True)
    (toy / "train.txt").write_text("x")
    assert shipped_folder() == package / "shipped_corpora"
