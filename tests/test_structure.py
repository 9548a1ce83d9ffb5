"""How the house is built, as far as a test can tell; import-linter holds the layers."""

import ast
import importlib.util
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.paths import ROOT

MODULES = sorted(path for room in ("engine", "views", "app") for path in (ROOT / room).rglob("*.py"))
LONGEST = 450
MOST_FILES = 40
FOLDERS = ("engine", "app", "views", "packaging", "tests")
MOST_GIVEN = 7
WITHOUT_CIRCLES = ("engine", "views", "app")
EXTENDED: dict[str, str] = {}
"""The class names that stand twice, each with the reason."""


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of(path: Path) -> Iterator[str]:
    """Everything a module may import, in functions and for types too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)} imports by a relative name"
            yield from (str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names))


TOP = {
    *("app", "changes", "engine", "packaging", "resources", "tests", "views"),
    *(".ci", ".gitignore", ".pre-commit-config.yaml", "batchscope.py", "pyproject.toml", "uv.lock"),
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md"),
}
"""What the top folder of the repository holds."""


def test_the_top_folder_holds_what_it_is_meant_to_hold() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {name.partition("/")[0] for name in listed.stdout.splitlines()} == TOP


def test_packaging_is_no_package() -> None:
    """It would hide the PyPI package of the same name."""
    assert not (ROOT / "packaging" / "__init__.py").exists()
    spec = importlib.util.find_spec("packaging")
    assert spec is not None
    assert "site-packages" in str(spec.origin)


def test_a_module_says_what_it_is_and_is_read_in_one_sitting() -> None:
    silent = [name(path) for path in MODULES if not ast.get_docstring(tree(path))]
    assert not silent, f"no docstring: {', '.join(silent)}"
    lines = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    long = {path: many for path, many in lines.items() if many > LONGEST}
    assert not long, f"lines of files that hold more than one idea: {long}"


def test_a_folder_holds_at_most_forty_files() -> None:
    """In a longer list nobody finds the file that he looks for: what belongs together gets its own folder."""
    files = [path for room in FOLDERS for path in (ROOT / room).rglob("*.py") if path.name != "__init__.py"]
    counts = Counter(str(path.parent.relative_to(ROOT)) for path in files)
    assert {"engine/simulation", "packaging"} <= counts.keys()
    full = {folder: count for folder, count in counts.items() if count > MOST_FILES}
    assert not full, f"folders of too many files: {full}"


def test_a_public_method_says_what_it_does_unless_qt_names_it() -> None:
    """What overrides in camel case do stands in Qt's documentation; ruff cannot tell them apart (D102)."""
    found = {name(path): silent for path in MODULES if (silent := silent_methods(path))}
    assert not found, f"methods without a docstring: {found}"


def silent_methods(path: Path) -> list[str]:
    """The public methods without a docstring, but for setters of properties."""
    classes = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)]
    public = [kind for kind in classes if not kind.name.startswith("_")]
    methods = [part for class_ in public for part in class_.body if isinstance(part, ast.FunctionDef)]
    silent = [
        method.name
        for method in methods
        if method.name.islower() and not method.name.startswith("_") and not ast.get_docstring(method)
    ]
    setters = {m.name for m in methods if any(isinstance(d, ast.Attribute) for d in m.decorator_list)}
    return sorted(set(silent) - setters)


def test_a_constructor_has_at_most_seven_parameters() -> None:
    """Of more, some belong together: they are a value of their own."""
    many = {
        f"{name(path)}: {part.name}": given
        for path in MODULES
        for part in ast.walk(tree(path))
        for made in (part.body if isinstance(part, ast.ClassDef) else [])
        if isinstance(made, ast.FunctionDef) and made.name == "__init__"
        if (given := len(made.args.args) + len(made.args.kwonlyargs) - 1) > MOST_GIVEN
    }
    assert not many, f"parameters of constructors: {many}"


def test_no_circle_of_imports() -> None:
    graph = {dotted(path): set(imports_of(path)) for path in MODULES}
    graph = {module: read & graph.keys() for module, read in graph.items()}
    assert "engine.trace.trace" in graph["engine.trace"]  # names imported from a package are followed
    judged = {module: read for module, read in graph.items() if module.startswith(WITHOUT_CIRCLES)}
    try:
        TopologicalSorter(judged).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


SHOWS_A_WINDOW = """
from PySide6.QtWidgets import QApplication
from app.model.settings import Settings
from app.shell.window import MainWindow
from app.work.kernel_compilation import KernelCompilation
KernelCompilation.needed = False  # else the process that compiles would hold the pipe
app = QApplication([])
window = MainWindow(Settings(), keep_settings=False)
window.show()
app.processEvents()
"""


@pytest.mark.parametrize(
    ("program", "late"),
    [
        ("import app.cli.main", {"numba", "pandas", "pyarrow", "matplotlib", "PySide6"}),
        (SHOWS_A_WINDOW, {"numba", "pandas", "pyarrow", "matplotlib", "pyqtgraph"}),
    ],
    ids=["command line", "first window"],
)
def test_what_is_slow_to_import_is_imported_late(program: str, late: set[str]) -> None:
    program += f"\nimport os, sys\nprint(*sorted({late!r} & set(sys.modules)), flush=True)\nos._exit(0)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split(), f"{done.stdout.strip()} imported at start"


ASKS_THE_SYSTEM = {
    *("sys.platform", "os.name", "os.uname", "os.geteuid", "os.getuid", "os.kill", "os.killpg", "os.umask"),
    *("os.listxattr", "platform.system", "platform.machine", "platform.processor", "platform.release"),
    *("import resource", "import fcntl", "import msvcrt", "import winreg", "import grp", "import pwd"),
}


def test_one_module_knows_which_system_this_is() -> None:
    """All of them: which system, what it has, and what only some systems have."""

    def asks(node: ast.AST) -> bool:
        match node:
            case ast.Attribute():
                return ast.unparse(node) in ASKS_THE_SYSTEM
            case ast.Import():
                return any(f"import {each_name.name}" in ASKS_THE_SYSTEM for each_name in node.names)
            case ast.Constant(str(text)):
                return text.startswith("/proc/")
            case ast.Call(ast.Name("hasattr"), [ast.Name("os" | "signal"), *_]):
                return True
        return False

    asking = {name(path) for path in MODULES if any(map(asks, ast.walk(tree(path))))}
    assert asking == {"engine/system.py"}


def test_events_are_watched_by_handlers_that_end_with_their_widgets() -> None:
    """A filter of its own would be asked about a widget in destruction: `EventWatch` is not."""

    def filters(node: ast.AST) -> bool:
        match node:
            case ast.FunctionDef(name="eventFilter") | ast.Attribute(attr="installEventFilter"):
                return True
        return False

    assert {name(path) for path in MODULES if any(map(filters, ast.walk(tree(path))))} == {
        "views/work/widget_handlers.py"
    }


HEARD_MODELS = {
    *("workbench", "clock", "selection", "filter", "state", "edits", "executor", "keeper", "opener"),
    *("places", "models", "_view", "_selection", "_filter", "_clock", "_workbench"),
}
"""Names of models, whose signals may come when the widgets that hear them are gone."""


def test_a_lambda_hears_a_model_only_while_its_widget_lives() -> None:
    def outlives(node: ast.AST) -> bool:
        match node:
            case ast.Call(ast.Attribute(value=signal, attr="connect"), [ast.Lambda()]):
                parts = {part for inner in ast.walk(signal) for part in _names(inner)}
                return bool(parts & HEARD_MODELS)
        return False

    lasting = {
        f"{name(path)}:{node.lineno}" for path in MODULES for node in ast.walk(tree(path)) if outlives(node)
    }
    assert not lasting, f"connect these with `while_alive`: {lasting}"


def _names(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word):
            return (word,)
    return ()


def test_a_public_class_name_stands_once() -> None:
    """A name of two classes has two meanings for whoever reads the second module."""
    modules: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules.setdefault(node.name, []).append(name(path))
    twice = {word: paths for word, paths in modules.items() if len(paths) > 1 and word not in EXTENDED}
    assert not twice, f"classes of one name: {twice}"
