"""TypeScript's compiler (seen with 5.9 and 7.0): each program by itself, incremental state of ours, its own file list.

`--listFiles` makes it tell what it read: that is the coverage, and what a kept result depends on. Type errors are the
same with it and with `--incremental`. `--skipLibCheck` is only added where a setting of ours asks for it.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from punchlist.engines import common, find, install, tsgraph
from punchlist.engines.record import Engine, Found, Inputs, Job, Missing, Output, Unit
from punchlist.engines.site import Site, above, below, joined
from punchlist.engines.tsconfig import chain

ENDINGS = (*common.SCRIPT, ".d.ts", ".json")
_CONFIG_NAME = re.compile(r"tsconfig(?:\.[\w.-]+)?\.json$")
_BEFORE_7 = ("3.", "4.", "5.", "6.")
_NAMES = (*common.SCRIPT, ".json")
_LISTED = re.compile(rb"^(?:/|[A-Za-z]:[/\\])[^\n]*\.(?:[cm]?[jt]sx?|json)\r?$", re.M)


def _marked(site: Site) -> bool:
    return bool(site.holding(["tsconfig.json"]))


def _units(site: Site) -> list[Unit]:
    """Return the programs of the scope: of a whole project all it declares, of files and folders the nearest one up."""
    return _whole_units(site) if site.scope.whole else _units_of_paths(site)


def _whole_units(site: Site) -> list[Unit]:
    if site.setting.config:
        return list(_programs(site, site.setting.config))
    homes = [f for f in site.holding(["tsconfig.json"]) if not f or _is_package(site, f)]
    homes = homes or site.holding(["tsconfig.json"])
    found: dict[str, Unit] = {}
    for home in homes:
        for unit in _programs(site, joined(home, "tsconfig.json")):
            found.setdefault(unit.config, unit)
    return list(found.values())


def _is_package(site: Site, folder: str) -> bool:
    return site.exists(joined(folder, "package.json"))


def _units_of_paths(site: Site) -> list[Unit]:
    by_config: dict[str, list[str]] = {}
    for path in site.scope.paths or ():
        if _CONFIG_NAME.match(path.rpartition("/")[2]) and site.exists(path):
            by_config.setdefault(path, []).append(path)
    for file in site.scope.of((*common.SCRIPT, ".json")):
        if _CONFIG_NAME.match(file.rpartition("/")[2]):
            continue
        config = site.setting.config or site.upward(file.rpartition("/")[0], ["tsconfig.json"])
        if config:
            by_config.setdefault(config, []).append(file)
    # A folder or file that is gone belongs to the program above it: what needed it is checked.
    for path in site.scope.gone:
        config = site.upward(path.rpartition("/")[0], ["tsconfig.json"])
        if config and path.endswith(_NAMES):
            by_config.setdefault(config, [])
    found: dict[str, Unit] = {}
    for config, files in sorted(by_config.items()):
        for unit in _programs(site, config, tuple(files)):
            found.setdefault(unit.config, unit)
    return list(found.values())


def _programs(site: Site, config: str, files: tuple[str, ...] | None = None) -> Iterator[Unit]:
    """Yield the program of a configuration and, of a whole project, of all it refers to; each by itself.

    One that only lists references has none of its own.
    """
    one = chain(site, config)
    if not one.is_solution:
        home = config.rpartition("/")[0]
        own = files if files is not None else tuple(f for f in site.scope.of(common.SCRIPT) if below(f, home))
        yield Unit(home=home, config=config, files=own, everything=True)
    if one.is_solution or files is None:
        for path in tsgraph.members(site, config):
            if not chain(site, path).is_solution:
                home = path.rpartition("/")[0]
                every = files if files is not None else site.scope.of(common.SCRIPT)
                yield Unit(home=home, config=path, files=tuple(f for f in every if below(f, home)), everything=True)


def _find(site: Site, home: str) -> Found | Missing:
    folder = find.node_package(site, home, "typescript")
    if folder is None:
        other = find.program(site, home, "tsc", ecosystem="node")
        return other if isinstance(other, Found) else Missing(message=install.hint(site, home, "typescript"))
    version = find.package_version(folder)
    # An installation of both 5 and 7 has the native program of the later one beside the earlier one.
    native = find.beside(folder, f"@typescript/typescript-{find.platform()}") if version[:2] not in _BEFORE_7 else None
    program = native / "lib" / ("tsc.exe" if os.name == "nt" else "tsc") if native else None
    if program is not None and program.is_file():
        path = str(program)
        return Found(argv=(path,), path=path, version=version, origin=find.node_origin(site, home, "typescript"))
    return find.by_node(site, home, "typescript", "bin/tsc")


def _jobs(site: Site, found: Found, unit: Unit) -> list[Job]:
    folder = _folder(site, unit.config, found)
    config = unit.config
    if chain(site, config).references:
        config = str(tsgraph.without_references(site, config, folder))
    argv = (*found.argv, "--pretty", "false", "--noEmit", "--project", config, "--listFiles")
    if site.setting.skip_lib_check is not None:
        argv = (*argv, "--skipLibCheck", "true" if site.setting.skip_lib_check else "false")
    if _major(found) >= 4:
        argv = (*argv, "--incremental", "--tsBuildInfoFile", str(folder / "tsc.tsbuildinfo"))
    return [Job(argv=argv, words=("tsc",))]


def _major(found: Found) -> int:
    head = found.version.partition(".")[0]
    return int(head) if head.isdigit() else 5


def _folder(site: Site, config: str, found: Found) -> Path:
    """Return the folder in our state for what the compiler keeps of a program: one a program and version."""
    name = hashlib.sha256(f"{site.root}\0{config}\0{found.version}".encode()).hexdigest()[:8]
    slug = re.sub(r"[^A-Za-z0-9]+", "-", config.removesuffix(".json")).strip("-")[:60]
    folder = site.state / "engines" / "tsc" / f"{slug}-{name}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _looked_at(site: Site, unit: Unit, job: Job, stdout: bytes) -> frozenset[str] | None:
    """Return the project's own files in the list the compiler printed."""
    root = os.fsencode(str(site.root)) + b"/"
    return frozenset(
        os.fsdecode(name[len(root) :])
        for name in listed(stdout)
        if name.startswith(root) and b"/node_modules/" not in name
    )


def listed(stdout: bytes) -> list[bytes]:
    """Return the files in an output of `--listFiles`: whole lines that are an absolute path."""
    return [found.rstrip(b"\r").replace(b"\\", b"/") for found in _LISTED.findall(stdout)]


def findings(stdout: bytes) -> bytes:
    """Blank the list of files; the numbers of the lines stay."""
    return _LISTED.sub(b"", stdout)


def _inputs(site: Site, found: Found, unit: Unit, outputs: Sequence[Output]) -> Inputs:
    chains = [chain(site, config) for config in (unit.config, *tsgraph.members(site, unit.config))]
    if trouble := next((one.trouble for one in chains if one.trouble), ""):
        return Inputs(reason=trouble)
    files = [path for one in chains for path in one.files]
    files += [site.path(path) for path in tsgraph.manifests(site, unit.config)]
    stamps: list[str] = []
    for output in outputs:
        for raw in listed(output.stdout):
            name = os.fsdecode(raw)
            outside = not name.startswith(f"{site.root}/") or "/node_modules/" in name
            (stamps if outside else files).append(name)
    if outputs and not any(listed(output.stdout) for output in outputs):
        return Inputs(reason="the compiler named no files")
    for folder in above(unit.home):
        files.append(site.path(joined(folder, "package.json")))
        stamps.append(site.path(joined(folder, "node_modules/@types")))
    folders = {unit.home}
    folders |= {os.path.dirname(name[len(str(site.root)) + 1 :]) for name in files if name.startswith(f"{site.root}/")}
    tops = {folder.split("/")[0] if "" not in folders else "" for folder in folders}
    return Inputs(
        files=(*dict.fromkeys((*files, *find.locks(site, unit.home))),),
        stamps=tuple(dict.fromkeys(stamps)),
        names=tuple((site.path(folder), _NAMES) for folder in sorted(tops)),
    )


ENGINE = Engine(
    name="tsc",
    kind="types",
    endings=ENDINGS,
    parser="tools.tsc",
    marked=_marked,
    units=_units,
    find=_find,
    jobs=_jobs,
    whole=lambda site, found, unit: "a compiler sees whole programs",
    configs=lambda site, folder: (),
    inputs=_inputs,
    entire=True,
    timeout_s=300.0,
    columns="utf16",
    silent=True,
    looked_at=_looked_at,
    findings=findings,
)
