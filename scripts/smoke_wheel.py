"""Build the wheel, install it into a clean environment, and try it there as a user would.

    python scripts/smoke_wheel.py build

makes build/dist (the wheel) and build/clean (an environment with the run-time dependencies alone; kept while
pyproject.toml stays as it is). Exits with a message at the first thing that is not as it should be.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "memfold"
DEVELOPMENT = ("pytest", "hypothesis", "ruff", "importlinter", "matplotlib", "openai")
IMPORT_ALL = """
import importlib, pkgutil, memfold
names = [module.name for module in pkgutil.walk_packages(memfold.__path__, "memfold.") if not module.name.endswith("__main__")]
for name in names:
    importlib.import_module(name)
print(len(names), "modules import")
"""


def main(folder: Path) -> None:
    wheel = build(folder / "dist")
    check_contents(wheel)
    python = clean_environment(folder / "clean", wheel)
    try_it(python)


def build(folder: Path) -> Path:
    """The path of a freshly built wheel."""
    shutil.rmtree(folder, ignore_errors=True)
    run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)])
    (wheel,) = folder.glob("*.whl")
    return wheel


def check_contents(wheel: Path) -> None:
    """Every file of the package is in the wheel, among them the type marker, the sample store and the model."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {info.filename: info.file_size for info in archive.infolist()}
    wanted = {f"memfold/{path.relative_to(PACKAGE).as_posix()}" for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    wanted |= {"memfold/py.typed", "memfold/cli/sample.jsonl"}
    missing = sorted(wanted - packed.keys())
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(missing)}")
    model = sum(size for name, size in packed.items() if name.startswith("memfold/embed/") and not name.endswith(".py"))
    if model < 10_000_000:
        sys.exit(f"{wheel.name} holds {model:,} bytes of model under memfold/embed: the embedder is not in it")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(packed)} files")


def clean_environment(folder: Path, wheel: Path) -> Path:
    """The interpreter of an environment that has the wheel and what it depends on, nothing else."""
    python = folder / "bin" / "python"
    stamp = folder / ".made-for"
    made_for = sha256((ROOT / "pyproject.toml").read_bytes() + sys.version.encode()).hexdigest()
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    if not stamp.exists() or stamp.read_text() != made_for:
        venv.create(folder, with_pip=True, clear=True)
        run([*pip, str(wheel)])
        stamp.write_text(made_for)
    run([*pip, "--force-reinstall", "--no-deps", str(wheel)])
    return python


def try_it(python: Path) -> None:
    """Import every module, ask for help, audit the sample store: away from the source tree and without its settings."""
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    with tempfile.TemporaryDirectory() as home:
        env = keep | {"HOME": home, "PYTHONWARNINGS": "error", "ORT_DISABLE_TELEMETRY": "1"}

        def ask(*command: str) -> str:
            return run(command, cwd=home, env=env)

        for name in DEVELOPMENT:
            ask(str(python), "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec({name!r}) is not None)")
        print(ask(str(python), "-c", IMPORT_ALL).strip())
        memfold = str(python.parent / "memfold")
        ask(memfold, "--help")
        installed = ask(str(python), "-c", "import memfold.cli; print(memfold.cli.__file__)").strip()
        shutil.copy(Path(installed).with_name("sample.jsonl"), Path(home) / "sample.jsonl")
        ask(memfold, "audit", "sample.jsonl", "--json")
        ask(memfold, "refine", "sample.jsonl", "--budget", "95%", "--json")
        print("memfold --help, audit and refine run in a clean environment")


def run(command: Sequence[str], cwd: str | None = None, env: dict[str, str] | None = None) -> str:
    """The standard output of a command, which must succeed."""
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\nexited {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
