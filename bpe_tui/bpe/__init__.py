"""The algorithm: text to symbols, symbols to merges, merges to ids and back. No files, no screen.

Start with `reference.py`: it says in plain Python what everything else here does fast.
"""
