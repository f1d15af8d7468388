"""What holds for the code as a whole: its levels, what importing it costs, its public names, the size of its files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import picomcp_py

ROOT = Path(__file__).parents[1]
LONGEST = 500
FOLDERS = ("picomcp_py", "tests", "examples", "scripts", "benchmarks")
HEAVY = ("jsonschema", "referencing", "pydantic", "pydantic_core", "uvicorn", "starlette", "rich", "asyncio", "trio")
HEAVY_CLIENTS = ("httpx2", "httpcore2", "mcp")


def python_files() -> list[Path]:
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in found if "node_modules" not in path.parts]


def text_files() -> list[Path]:
    """What belongs to the project: all files of its folders and of its root, but for what tools leave there."""
    endings = {".py", ".md", ".toml", ".json", ".mjs", ".typed", ".yml", ".sh", ""}
    folders = [ROOT / folder for folder in (*FOLDERS, "docs", ".ci")]
    found = [path for path in ROOT.iterdir() if path.is_file()]
    found += [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    skipped = {"node_modules", "__pycache__"}
    return [path for path in found if path.suffix in endings and not skipped & set(path.parts)]


def test_every_module_imports_only_from_its_level_and_below() -> None:
    """The levels are in pyproject.toml; a module that isn't placed there fails this too."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, picomcp_py; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    loaded = set(done.stdout.split())
    assert "picomcp_py" in loaded
    assert not loaded & {*HEAVY, *HEAVY_CLIENTS}


def test_the_public_names_are_those_in_all() -> None:
    """Both ways: each of them is there, and what the package imports from its modules is one of them."""
    names = picomcp_py.__all__
    assert names == sorted(set(names))
    body = ast.parse(Path(picomcp_py.__file__).read_text("utf-8")).body
    body += [inner for node in body if isinstance(node, ast.If) for inner in node.body]  # if TYPE_CHECKING
    imports = [node for node in body if isinstance(node, ast.ImportFrom) and node.level]
    found = {alias.asname or alias.name for node in imports for alias in node.names}
    assert {name for name in found if not name.startswith("_")} == set(names)
    assert not [name for name in names if isinstance(getattr(picomcp_py, name), ModuleType)]


def test_a_file_holds_one_idea() -> None:
    lengths = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8").count("\n") for path in python_files()}
    long = {path: lines for path, lines in lengths.items() if lines > LONGEST}
    assert not long, f"over {LONGEST} lines, each probably two ideas: {long}"


def test_every_module_of_the_package_says_what_it_is() -> None:
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "picomcp_py").rglob("*.py"))
        if path.read_text("utf-8").strip() and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert not silent


def test_no_file_names_a_place_on_one_machine() -> None:
    """Nor a package registry: which one to use is set on the machine."""
    home = "|".join(("root", "home", "Users", "work", "farm", "opt"))
    places = re.compile(rf"(?<![\w.:/\-])/(?:{home})/[A-Za-z]|(?<![\w.:/\-])/tmp/[a-z]+/|registry\.npm|pythonhosted")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in text_files()
        if path != Path(__file__)
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1)
        if places.search(line)
    ]
    assert not found
