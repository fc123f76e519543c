"""The Textual app: wiring, screens, panes, widgets. It draws, and decides nothing."""
