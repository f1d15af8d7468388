"""A process that makes a bus and then forks, as servers with several workers do: `forking.py URL`.

Prints two lines: the changes that the child heard, and those that the parent heard, as one JSON array each.
"""

import json
import os
import sys

from picomcp_py.bus import Change, RedisBus
from tests.bus.parts import Heard


def line(changes: list[Change]) -> bytes:
    return json.dumps([[change.kind, change.uri] for change in changes]).encode() + b"\n"


bus = RedisBus(sys.argv[1])
heard = Heard()
bus.subscribe(heard)
heard.gap()
from_child, to_parent = os.pipe()
pid = os.fork()
if pid == 0:
    os.close(from_child)
    bus.publish(Change("resource", "note://child"))
    own = [heard.next()]
    heard.gap()  # from the child's own connection
    os.write(to_parent, b"listening\n")
    own.append(heard.next())
    bus.close()
    os.write(to_parent, line(own + heard.so_far()))
    os._exit(0)
os.close(to_parent)
with os.fdopen(from_child, "rb") as child:
    assert child.readline() == b"listening\n"
    own = [heard.next()]
    bus.publish(Change("resource", "note://parent"))
    of_child = child.readline()
assert os.waitpid(pid, 0)[1] == 0
own.append(heard.next())
bus.close()
sys.stdout.buffer.write(of_child + line(own + heard.so_far()))
