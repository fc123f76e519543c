"""The same jobs without a screen. One module a command; what they do is in `session`, `dataset`, `analysis`."""
