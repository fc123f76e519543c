"""What opens over the main screen: questions, forms, cards, the menu and the help."""
