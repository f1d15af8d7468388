"""A stdio server for the tests, run as a program: a line is a verb and the rest, the verb says what the engine does.

What happens inside is told on stderr, one line an event, so that a test can wait for it instead of for a while.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import contextvars
import io
import logging
import os
import signal
import subprocess
import sys
import threading

import anyio

from picomcp_py.transports.stdio import Wire, claim_stdio, serve_stdio

VALUE = contextvars.ContextVar("VALUE", default="unset")


def tell(event: str) -> None:
    with contextlib.suppress(OSError):  # some tests close stderr
        os.write(2, event.encode() + b"\n")


class Echo:
    """The engine: answers at once, except for what it is told to hold until the end."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.held: list[bytes] = []
        self.stuck = False
        self.scope: anyio.CancelScope | None = None
        self.tick: anyio.Event | None = None

    def receive(self, line: bytes) -> None:
        verb, _, rest = line.partition(b" ")
        action = getattr(self, f"do_{verb.decode('ascii', 'replace')}", None)
        if action is None:
            self.wire.send(b"no verb in %d bytes: %r" % (len(line), line[:20]))
        else:
            action(rest)

    def do_echo(self, rest: bytes) -> None:
        self.wire.send(rest)

    def do_tell(self, rest: bytes) -> None:
        tell(rest.decode())

    def do_burst(self, rest: bytes) -> None:
        count, size = map(int, rest.split())
        for number in range(count):
            self.wire.send(b"%d:" % number + b"x" * size)
        tell(f"burst sent, full={self.wire.full}")

    def do_print(self, rest: bytes) -> None:
        print(rest.decode())
        self.wire.send(b"printed")

    def do_murmur(self, rest: bytes) -> None:
        print(rest.decode(), end="")

    def do_raw(self, rest: bytes) -> None:
        os.write(1, rest + b"\n")
        self.wire.send(b"written")

    def do_child(self, rest: bytes) -> None:
        subprocess.run(["sh", "-c", 'echo "$0"; cat', rest.decode()], check=True)
        self.wire.send(b"child done")

    def do_log(self, rest: bytes) -> None:
        logging.getLogger().warning(rest.decode())
        self.wire.send(b"logged")

    def do_input(self, rest: bytes) -> None:
        self.wire.send(repr(sys.stdin.read()).encode())

    def do_value(self, rest: bytes) -> None:
        self.wire.send(VALUE.get().encode())

    def do_full(self, rest: bytes) -> None:
        self.wire.send(str(self.wire.full).encode())

    def do_tick(self, rest: bytes) -> None:
        """Lets a timer of the loop run."""
        assert self.tick is not None
        self.tick.set()

    def do_raise(self, rest: bytes) -> None:
        raise RuntimeError("out of receive")

    def do_exhaust(self, rest: bytes) -> None:
        """Blocks the loop for ever."""
        tell("blocking")
        while True:
            signal.pause()

    def do_hold(self, rest: bytes) -> None:
        self.held.append(rest)

    def do_stuck(self, rest: bytes) -> None:
        self.stuck = True

    def do_cancel(self, rest: bytes) -> None:
        assert self.scope is not None
        self.scope.cancel()

    def oversized(self, limit: int) -> None:
        self.wire.send(b"oversized %d" % limit)

    def room(self) -> None:
        tell("room")

    async def finish(self, seconds: float) -> None:
        tell("finishing")
        if self.stuck:
            with anyio.move_on_after(seconds):
                await anyio.sleep_forever()
        for answer in self.held:
            await self.wire.room()
            self.wire.send(answer)
        tell("finished")

    def close(self, reason: str) -> None:
        tell(f"closed: {reason}")
        self.wire.send(b"nothing may be sent after the end")


class NoReaders(asyncio.SelectorEventLoop):
    """Like the proactor loop of Windows."""

    def add_reader(self, fd, callback, *args):
        raise NotImplementedError


async def ticker(tick: anyio.Event) -> None:
    await tick.wait()
    for number in range(3):
        await anyio.sleep(0.01)
        tell(f"tick {number}")


async def serve(options: argparse.Namespace, claim, tick: anyio.Event | None = None) -> None:
    VALUE.set("set before serving")
    if options.uid is not None:
        os.setuid(options.uid)
    for session in range(options.times):
        tell(f"serving {session}")
        with anyio.CancelScope() as scope:

            def connect(wire: Wire, scope: anyio.CancelScope = scope) -> Echo:
                engine = Echo(wire)
                engine.scope = scope
                engine.tick = tick
                return engine

            arguments = {"reader": options.reader, "writer": options.writer, "claim": claim}
            if options.max_line:
                arguments["max_line"] = options.max_line
            if options.drain is not None:
                arguments["drain_seconds"] = options.drain
            await serve_stdio(connect, **arguments)
        if scope.cancelled_caught:
            tell("cancelled")


async def main(options: argparse.Namespace, claim) -> None:
    if not options.ticks:
        await serve(options, claim)
        return
    async with anyio.create_task_group() as group:
        tick = anyio.Event()
        group.start_soon(ticker, tick)
        await serve(options, claim, tick)
        group.cancel_scope.cancel()


def run(options: argparse.Namespace, claim) -> None:
    backend, backend_options = options.backend, {}
    if backend == "uvloop":
        backend, backend_options = "asyncio", {"use_uvloop": True}
    elif backend == "no-readers":
        backend, backend_options = "asyncio", {"loop_factory": NoReaders}
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        anyio.run(main, options, claim, backend=backend, backend_options=backend_options)
    finally:
        same = handlers == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        tell(f"handlers restored: {same}")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", default="asyncio")
    parser.add_argument("--reader", default="auto")
    parser.add_argument("--writer", default="auto")
    parser.add_argument("--max-line", type=int)
    parser.add_argument("--drain", type=float)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--uid", type=int)
    parser.add_argument("--streams", choices=["none", "strings", "crlf"])
    for flag in ("ticks", "early", "bye", "thread", "ignore-sigint", "own-sigterm", "socket-timeout", "noise"):
        parser.add_argument(f"--{flag}", action="store_true")
    return parser.parse_args()


def start(options: argparse.Namespace) -> None:
    # A shell's background job inherits SIGINT ignored, and so might the tests.
    signal.signal(signal.SIGINT, signal.SIG_IGN if options.ignore_sigint else signal.default_int_handler)
    if options.own_sigterm:
        signal.signal(signal.SIGTERM, lambda number, frame: None)
    if options.socket_timeout:
        import socket

        socket.setdefaulttimeout(30)
    logging.getLogger().addHandler(logging.StreamHandler(sys.stdout or sys.stderr))
    if options.noise:
        print("text still in the buffer", end="")
    if options.streams == "none":
        sys.stdin = sys.stdout = None
    elif options.streams == "strings":
        sys.stdin, sys.stdout = io.StringIO("not the wire"), io.StringIO()
    elif options.streams == "crlf":
        sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="ascii", newline="\r\n")
    if options.thread:
        thread = threading.Thread(target=run, args=(options, None))
        thread.start()
        thread.join()
    elif options.early:
        with claim_stdio() as claim:
            print("printed while the program loads")
            run(options, claim)
    else:
        run(options, None)
    if options.bye:
        assert sys.stdin is not None
        assert not sys.stdin.closed
        print("bye", repr(sys.stdin.read()))


if __name__ == "__main__":
    start(options())
