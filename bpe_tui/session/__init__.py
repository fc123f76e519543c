"""One session: the run that trains, the other long jobs, and what keeps their work safe. No user interface in here.

The command line and the terminal app are two faces of this package; neither has a copy of what it does.
"""
