"""The protocol core: values in, values out.

Rules: nothing here awaits, reads a clock, logs, or knows of a transport or a registry. What a method is, in which era
it exists and what shape its params have is one table (`methods`); what a revision has is another (`..revisions`).
"""
