"""The client, against servers in memory and real programs."""
