"""Projects for engines: in a temporary folder, with fake tools that print what they are told, or with real ones."""

import os
import shutil
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from punchlist.engines.record import EngineResult
from punchlist.engines.run import Checked, run
from punchlist.project.config import load
from punchlist.project.records import Config

INSTALLED = Path(__file__).parent.parent / "node" / "node_modules"


class Project:
    """A project in a folder of its own."""

    def __init__(self, root: Path, state: Path) -> None:
        self.root, self.state = root, state
        self.environ: Mapping[str, str] = {"PATH": os.environ["PATH"], "HOME": str(state / "home")}

    def write(self, files: Mapping[str, str]) -> None:
        """Write files, their folders too, and let them look as if written long before any run."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def fake(self, name: str, script: str) -> Path:
        """Put a program of a Python environment into the project; `$CALLS` is where its calls are to be counted."""
        folder = self.root / ".venv"
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        (folder / "pyvenv.cfg").write_text("", encoding="utf-8")
        path = folder / "bin" / name
        text = (
            f'#!/bin/sh\nCALLS={self.state}/{name}.calls\n[ "$1" = --version ] && {{ echo 9.9.9; exit 0; }}\n{script}\n'
        )
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def calls(self, name: str) -> list[str]:
        """Return the arguments of each call of a fake that noted them by `echo "$@" >> $CALLS`."""
        path = self.state / f"{name}.calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def check(self, paths: list[str] | None = None, **options: Any) -> Checked:
        """Run the engines."""
        config: Config = options.pop("config", None) or load(self.root, {}, home=self.state)
        options.setdefault("environ", self.environ)
        return run(self.root, config, paths, state=self.state, **options)

    def one(self, name: str, paths: list[str] | None = None, **options: Any) -> EngineResult:
        """Run one engine and return its result."""
        (result,) = self.check(paths, engines=[name], **options).results
        return result

    def settle(self) -> None:
        """Wait until what was written can no more be mistaken for written while a run went on."""
        import time

        time.sleep(0.05)


@pytest.fixture
def made(tmp_path: Path) -> Project:
    """Return an empty project."""
    (tmp_path / "project").mkdir()
    (tmp_path / "state").mkdir()
    return Project(tmp_path / "project", tmp_path / "state")


@pytest.fixture
def node_modules(made: Project) -> Callable[..., None]:
    """Return what links installed npm packages into the project, or skips where they are not there.

    They are looked for in the folder that TEST_NODE_MODULES names, else in the one that the tests install.
    """

    def link(*packages: str) -> None:
        given = os.environ.get("TEST_NODE_MODULES", str(INSTALLED))
        for package in packages:
            if not given or not (Path(given) / package / "package.json").is_file():
                pytest.skip(f"{package} is not installed in {given}")
        if shutil.which("node") is None:
            pytest.skip("there is no node")
        (made.root / "node_modules").symlink_to(given)

    return link


@pytest.fixture
def program(made: Project) -> Callable[[str], None]:
    """Return what makes an installed program found, or skips: beside this Python, in TEST_PROGRAMS, or on PATH."""

    def need(name: str) -> None:
        places = [os.environ.get("TEST_PROGRAMS", ""), os.path.dirname(sys.executable), os.environ["PATH"]]
        path = shutil.which(name, path=os.pathsep.join(place for place in places if place))
        if path is None:
            pytest.skip(f"there is no {name}")
        made.environ = {**made.environ, "PATH": f"{os.path.dirname(path)}{os.pathsep}{made.environ['PATH']}"}
        if name.startswith("cargo"):
            made.environ = {**made.environ, "HOME": os.environ.get("HOME", "")}

    return need
