"""Holding off the collection of garbage ends with the work, however that ends."""

from __future__ import annotations

import gc

import pytest

from bpe_tui import ByteBPETokenizer
from bpe_tui.bpe.garbage import no_collection


def test_it_is_as_before_when_the_work_has_failed() -> None:
    seen = []

    def fail() -> None:
        with no_collection():
            seen.append(gc.isenabled())
            raise KeyError

    assert gc.isenabled()
    with pytest.raises(KeyError):
        fail()
    assert seen == [False]
    assert gc.isenabled()


def test_a_program_that_does_without_goes_on_without() -> None:
    gc.disable()
    try:
        ByteBPETokenizer.train(b"low lower lowest", 260, verbose=False)
        assert not gc.isenabled()
    finally:
        gc.enable()
