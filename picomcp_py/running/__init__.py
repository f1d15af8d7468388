"""Running handlers: event loops and threads, the context, one call from arguments to answer, the messages of a peer."""
