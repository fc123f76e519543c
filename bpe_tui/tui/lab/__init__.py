"""The Lab: a screen to take the tokenizer at hand apart, from the text of one line to the curves of the whole run."""
