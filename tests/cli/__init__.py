"""The command line, as a program of its own."""
