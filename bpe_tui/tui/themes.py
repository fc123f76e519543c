"""The colours: a calm dark and a calm light theme of our own, and those that come with Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.theme import Theme

if TYPE_CHECKING:
    from typing import Any

    from textual.app import App

DEFAULT: Final = "bpe-dark"

THEMES: Final = (
    Theme(
        name="bpe-dark",
        primary="#7fa6c9",
        secondary="#8b9bb0",
        accent="#d3a768",
        warning="#dca561",
        error="#d77c79",
        success="#93b77d",
        foreground="#d5d9df",
        background="#14171b",
        surface="#1a1e24",
        panel="#222730",
        dark=True,
        variables={
            "token-1": "#24405a",
            "token-2": "#4a3a1f",
            "token-text": "#eef1f4",
            "rule": "#39414d",
            "quiet": "#8d97a5",
        },
    ),
    Theme(
        name="bpe-light",
        primary="#2f6690",
        secondary="#5b6777",
        accent="#8a5a12",
        warning="#8f5600",
        error="#a8322d",
        success="#3c6e2f",
        foreground="#20262d",
        background="#fbfaf7",
        surface="#f3f1ec",
        panel="#e8e5de",
        dark=False,
        variables={
            "token-1": "#cfe1f2",
            "token-2": "#f3e1bd",
            "token-text": "#14181c",
            "rule": "#c9c5bb",
            "quiet": "#666d76",
        },
    ),
)


def defaults(dark: bool, ansi: bool) -> dict[str, str]:
    """Give the values of our own variables for a theme that does not define them."""
    if ansi:
        return {
            "token-1": "ansi_cyan",
            "token-2": "ansi_yellow",
            "token-text": "ansi_bright_white" if dark else "ansi_black",
            "rule": "ansi_bright_black",
            "quiet": "ansi_default",
        }
    own = THEMES[0] if dark else THEMES[1]
    return {name: own.variables[name] for name in ("token-1", "token-2", "token-text", "rule", "quiet")}


def register(app: App[Any]) -> None:
    """Add our themes to those of the app."""
    for theme in THEMES:
        app.register_theme(theme)
