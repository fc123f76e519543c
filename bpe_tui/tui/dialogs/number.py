"""One number, looked at before it is taken."""

from __future__ import annotations

from bpe_tui.session.settings import SettingsError, parse_number
from bpe_tui.tui.dialogs.line import FieldDialog


class NumberDialog(FieldDialog[int]):
    """Asks for a whole number of at least `minimum`."""

    width = 56

    def __init__(self, title: str, question: str, value: int, minimum: int, accept: str, name: str) -> None:
        super().__init__(title, question, str(value), accept)
        self._minimum = minimum
        self._what = name

    def read(self, text: str) -> int:
        """Give the number. Raises SettingsError."""
        number = parse_number(text, self._what)
        if number < self._minimum:
            raise SettingsError(f"{self._what} must be at least {self._minimum:,}", field=self._what)
        return number
