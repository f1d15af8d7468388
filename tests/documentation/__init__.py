"""The pages of the documentation on resources, prompts and changes are true."""
