"""What a server offers while it serves: its lists page by page, and telling clients what changes."""
