"""Settings that make sense are taken as they are written; all others are refused with the field named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.session.settings import RunSettings, SettingsError, parse_number

wholes = st.integers(1, 2**31 - 1)


@given(st.none() | wholes, wholes, wholes)
def test_settings_come_back_from_plain_data(characters, target, minimum) -> None:
    settings = RunSettings(characters, target, minimum)
    assert RunSettings.from_dict(settings.as_dict()) == settings


@given(wholes)
def test_a_number_is_read_however_it_is_grouped(number) -> None:
    for written in (f"{number}", f"{number:,}", f"{number:_}", f" {number:,} "):
        assert parse_number(written, "target_vocab_size") == number


def test_numbers_as_people_write_them() -> None:
    assert RunSettings.from_text("500k", "2_000", "2") == RunSettings(500_000, 2_000, 2)
    assert RunSettings.from_text("2M", "500", "3") == RunSettings(2_000_000, 500, 3)
    assert RunSettings.from_text(" All ", "500", "2").training_characters is None


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        (("many", "500", "2"), "training_characters"),
        (("-5", "500", "2"), "training_characters"),
        (("0", "500", "2"), "training_characters"),
        (("500", "", "2"), "target_vocab_size"),
        (("500", "1e3", "2"), "target_vocab_size"),
        (("500", "٣", "2"), "target_vocab_size"),
        (("500", "9" * 5000, "2"), "target_vocab_size"),
        (("500", "4000000000", "2"), "target_vocab_size"),
        (("500", "500", "0"), "minimum_pair_frequency"),
        (("500", "500", "2.5"), "minimum_pair_frequency"),
    ],
)
def test_nonsense_is_refused_and_its_field_named(typed, field) -> None:
    with pytest.raises(SettingsError) as caught:
        RunSettings.from_text(*typed)
    assert caught.value.field == field
    assert field.split("_", maxsplit=1)[0] in str(caught.value)


@pytest.mark.parametrize("wrong", [True, "500", 2.0, [], None])
def test_settings_of_a_wrong_type_are_refused(wrong) -> None:
    with pytest.raises(SettingsError, match="whole number"):
        RunSettings(target_vocab_size=wrong)


def test_a_setting_that_is_missing_is_named() -> None:
    with pytest.raises(SettingsError, match="target_vocab_size"):
        RunSettings.from_dict({"training_characters": 5})
