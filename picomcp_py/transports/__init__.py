"""The doors: how messages come in and go out. Each drives a `running.Connection` or, statelessly, single calls."""
