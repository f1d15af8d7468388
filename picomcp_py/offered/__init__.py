"""What a server offers: tools and their configuration, checked when they are registered, and what they may return."""
