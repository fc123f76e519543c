"""Widgets that more than one pane or dialog uses."""
