"""clippy through cargo: its JSON stream with the suggestions that can be applied.

A crate's build script may read any file, so a result is kept only while no file of the project changes at all; cargo's
own freshness check makes the other runs cheap.
"""

import os
import shutil
from collections.abc import Sequence

from punchlist.engines import common, find, install
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.site import Site, above, joined

ENDINGS = (".rs",)
_NAMES = ("Cargo.toml", "Cargo.lock", "clippy.toml", ".clippy.toml")


def _homes(site: Site) -> list[str]:
    """Return the outermost folders that are cargo packages or workspaces."""
    homes = site.holding(["Cargo.toml"])
    return [
        home for home in homes if not home or not any(o in homes for o in above(home.rpartition("/")[0]) if o != home)
    ]


def _units(site: Site) -> list[Unit]:
    return common.units_by_home(site, _homes(site), ENDINGS, _NAMES, root=False)


def _find(site: Site, home: str) -> Found | Missing:
    path = site.environ.get("PATH", os.defpath)
    cargo, clippy = shutil.which("cargo", path=path), shutil.which("cargo-clippy", path=path)
    if cargo is None or clippy is None:
        return Missing(message=install.hint(site, home, "clippy" if cargo else "cargo", "system"))
    version = find.version_of(site, clippy, "clippy", "--version", beside=_toolchains(site))
    return Found(argv=(cargo, "clippy"), path=clippy, version=version, origin="system")


def _toolchains(site: Site) -> list[str]:
    """Return what changes when rustup, whose proxies all programs are, installs or chooses another toolchain."""
    home = site.environ.get("RUSTUP_HOME") or os.path.join(site.environ.get("HOME", ""), ".rustup")
    return [os.path.join(home, name) for name in ("settings.toml", "toolchains", "update-hashes")]


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    argv = (*found.argv, "--workspace", "--all-targets", "--message-format=json", "--quiet")
    return [Job(argv=argv, cwd=unit.home, words=("cargo", "clippy"))]


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    """Every file below the workspace; toolchain and cargo configuration above it."""
    names = ("rust-toolchain", "rust-toolchain.toml", ".cargo/config.toml", ".cargo/config")
    places = [site.path(joined(folder, name)) for folder in above(unit.home) for name in names]
    return Inputs(
        files=tuple(p for p in places if os.path.isfile(p)),
        stamps=tuple(_toolchains(site)),
        trees=((site.path(unit.home), ("",)),),
    )


ENGINE = Engine(
    name="clippy",
    kind="lint",
    endings=ENDINGS,
    names=_NAMES,
    parser="tools.rustc_json",
    marked=lambda site: bool(_homes(site)),
    units=_units,
    find=_find,
    jobs=_jobs,
    whole=lambda site, found, unit: "a compiler sees whole programs",
    configs=lambda site, folder: (),
    inputs=_inputs,
    entire=True,
    timeout_s=600.0,
    silent=True,
)
