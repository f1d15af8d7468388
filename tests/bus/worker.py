"""A process with a RedisBus: `worker.py URL CHANNEL`. Publishes each line of its input, prints each change it hears."""

import sys
import threading

from picomcp_py.bus import Change, RedisBus

bus = RedisBus(sys.argv[1], channel=sys.argv[2])
lock = threading.Lock()


def tell(change: Change) -> None:
    with lock:
        print(change.encode().decode(), flush=True)


bus.subscribe(tell)
for line in sys.stdin.buffer:
    change = Change.decode(line)
    assert change is not None
    bus.publish(change)
bus.close()
