"""What the benchmarks of calls share: a server's CPU time, and servers compared within rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any


def cpu_seconds(pid: int) -> float:
    """CPU time of a process so far, of all its threads. Linux only."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def compare(
    servers: Sequence[Any], measure: Callable[[Any], tuple[float, float]], rounds: int
) -> dict[str, tuple[float, float, float]]:
    """name -> medians over the rounds: throughput of the first server's, CPU microseconds a call, times the first's.

    `measure(server)` gives calls a second and CPU microseconds a call. Ratios are taken inside a round.
    """
    seen: dict[str, list[tuple[float, float, float]]] = {server.name: [] for server in servers}
    for _ in range(rounds):
        base = None
        for server in servers:
            rate, cpu = measure(server)
            base = base or (rate, cpu)
            seen[server.name].append((rate / base[0], cpu, cpu / base[1]))
    return {
        name: (median(rates), median(cpus), median(times))
        for name, (rates, cpus, times) in ((name, zip(*rows, strict=True)) for name, rows in seen.items())
    }
