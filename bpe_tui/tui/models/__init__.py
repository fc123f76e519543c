"""The screen on which language models are trained and compared: curves, figures and samples of several runs."""
