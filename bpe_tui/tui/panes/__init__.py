"""The four panes of the main screen. Each is handed snapshots and draws them; none decides anything."""
