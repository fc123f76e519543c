"""The rows of the Probe tab hold words from anywhere, of any length."""

from __future__ import annotations

from unittest import mock

import pytest

from bpe_tui.analysis.baselines import baseline
from bpe_tui.analysis.probe import probe
from bpe_tui.tui.lab import probe_tab
from bpe_tui.tui.lab.probe_tab import ProbeRows


@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_word_of_a_megabyte_is_only_looked_at_as_far_as_it_fits(ascii_only: bool) -> None:
    word = "\x1b\u202ex" * 300_000
    rows = ProbeRows(probe([("bytes", baseline("bytes", word))], (word, "short")), ["bytes"], ascii_only=ascii_only)
    # Rows are drawn by the thread that listens to the keyboard.
    with (
        mock.patch.object(probe_tab, "visible", wraps=probe_tab.visible) as visible,
        mock.patch.object(probe_tab, "shown_bytes", wraps=probe_tab.shown_bytes) as shown_bytes,
    ):
        shown, _, tokens, pieces = rows.row(0)
    looked_at = [*visible.call_args_list, *shown_bytes.call_args_list]
    assert sum(len(call.args[0]) for call in looked_at) < 2_000
    assert isinstance(shown, str)
    assert shown.startswith("\\x1b\\u202ex\\x1b")
    assert shown.endswith("~" if ascii_only else "…")
    assert (tokens, str(pieces)[:4]) == ("1,500,000", "\\x1b")
    assert rows.row(1)[0] == "short"
