"""What several test modules share: texts that are hard on BPE, ways to wait for a condition."""
