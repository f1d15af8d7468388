"""Importing a Python file and finding the Server in it.

The file is imported as a module of its own name, with its folder first on `sys.path`, as Python does for a script; its
`__name__` isn't `"__main__"`. `serve()` in it hands the server over. Which server is meant:

1. FILE:name      that one; a function of that name is called and must give a Server
2. the first one that was handed over by `serve()`
3. the variable `server`, `app` or `mcp`
4. the only Server among the module's variables
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
import traceback
from types import ModuleType
from typing import Any

from ..errors import ConfigError
from ..handover import Offer, collecting
from ..server import Server
from .faults import Fault

NAMES = ("server", "app", "mcp")


def split_target(target: str) -> tuple[str, str | None]:
    """`app.py:make` as ("app.py", "make"), `app.py` as ("app.py", None)."""
    path, colon, name = target.rpartition(":")
    if colon and name.isidentifier() and path.endswith(".py"):
        return path, name
    return target, None


def load_server(target: str) -> Offer:
    """The server of FILE or FILE:name, and the options of its `serve()` call. Raises Fault."""
    path, name = split_target(target)
    if not os.path.isfile(path):
        raise Fault(f'there is no file "{path}"')
    if not path.endswith(".py"):
        raise Fault(f'"{path}" is not a Python file: its name has to end in .py')
    with collecting() as offers:
        module = _import(path)
        server = _named(module, path, name) if name else _found(module, path, offers)
    return next((offer for offer in offers if offer.server is server), Offer(server, {}))


def _import(path: str) -> ModuleType:
    full = os.path.abspath(path)
    name = os.path.basename(full)[: -len(".py")]
    if name in sys.modules or not name.isidentifier():  # a file json.py must not take the place of json
        name = f"picomcp_py_served_{abs(hash(full))}"
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise Fault(f'"{path}" can\'t be imported')
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(full))
    sys.modules[name] = module  # type hints are looked up there
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        raise Fault(
            f"{_where(error, full, path)}: the file exits while it is imported (exit code {error.code})"
        ) from error
    except Exception as error:
        raise Fault(_failed(error, full, path)) from error
    return module


def _failed(error: Exception, full: str, path: str) -> str:
    kind = "" if isinstance(error, ConfigError) else f"{type(error).__name__}: "
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    hint = ""
    if isinstance(error, ModuleNotFoundError) and error.name:
        hint = f"\nInstall it into the Python that runs this ({sys.executable}), or correct the import"
    return f"{_where(error, full, path)}: {kind}{text}{hint}"


def _where(error: BaseException, full: str, path: str) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{path if error.filename == full else error.filename}:{error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == full]
    return f"{path}:{lines[-1]}" if lines else path


def _named(module: ModuleType, path: str, name: str) -> Server:
    if not hasattr(module, name):
        raise Fault(f'{path} has no "{name}"{_there_are(module)}')
    value = getattr(module, name)
    if isinstance(value, Server):
        return value
    if not callable(value):
        raise Fault(f"{path}: {name} is {_a(value)}, neither a Server nor a function that makes one")
    try:
        made = value()
    except Exception as error:
        raise Fault(f"{name}() failed: {_failed(error, os.path.abspath(path), path)}") from error
    if inspect.iscoroutine(made):
        made.close()
        raise Fault(f"{path}: {name}() is async: a function that makes a Server must be a plain one")
    if not isinstance(made, Server):
        raise Fault(f"{path}: {name}() gave {_a(made)}, not a Server")
    return made


def _found(module: ModuleType, path: str, offers: list[Offer]) -> Server:
    if offers:
        first: Server = offers[0].server
        return first
    for name in NAMES:
        value = getattr(module, name, None)
        if isinstance(value, Server):
            return value
    servers = _servers(module)
    if len({id(server) for server in servers.values()}) == 1:
        return next(iter(servers.values()))
    if servers:
        raise Fault(f"{path} has several servers{_there_are(module)}: say which, {path}:{next(iter(servers))}")
    raise Fault(
        f"{path} has no Server{_other(module, path)}: assign one, `server = pico(...)`, or name a function that "
        f"makes one, {path}:make_server"
    )


def _servers(module: ModuleType) -> dict[str, Server]:
    return {name: value for name, value in vars(module).items() if isinstance(value, Server)}


def _there_are(module: ModuleType) -> str:
    servers = _servers(module)
    return f" (there are: {', '.join(servers)})" if servers else ""


def _other(module: ModuleType, path: str) -> str:
    for name in NAMES:
        value = getattr(module, name, None)
        if value is not None and hasattr(value, "run"):
            return f" ({name} is {_a(value)}: a server of another library is reached as `-- python {path}`)"
    return ""


def _a(value: Any) -> str:
    return f"a {type(value).__module__}.{type(value).__qualname__}".replace("a builtins.", "a ")
