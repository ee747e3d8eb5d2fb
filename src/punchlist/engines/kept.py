"""What the cache keeps of engines: keys of everything a result depends on, findings of a file, results of a program."""

import json
import zlib
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import punchlist
from punchlist.engines.record import Engine, Found, Inputs, Unit
from punchlist.engines.signatures import SLACK_NS, Signatures, digest, signature_of, tree, written
from punchlist.engines.site import Site
from punchlist.model import Diagnostic
from punchlist.store.codec import from_plain, to_plain

_NO_FILE = bytes(16)
_FORM = f"1 {punchlist.__version__}"  # how results are read and written down


def unit_key(engine: Engine, site: Site, found: Found, unit: Unit, kind: str) -> bytes:
    """Return the key of an engine's work on one unit: tool, version, settings, place."""
    setting = site.setting
    own = f"{setting.config} {setting.include_formatter} {setting.skip_lib_check}"
    extra = engine.surroundings(site) if engine.surroundings else ""
    ignore = "\0".join(site.scope.ignore.patterns)
    return digest(
        _FORM, kind, engine.name, found.version, found.path, own, extra, ignore, unit.home, unit.config, str(site.root)
    )


class FileKeys:
    """Keys of the findings in single files: content, path, and the configuration that applies in their folder."""

    def __init__(self, engine: Engine, site: Site, found: Found, unit: Unit, signatures: Signatures) -> None:
        self.engine, self.site, self.signatures = engine, site, signatures
        self.base = unit_key(engine, site, found, unit, "file")
        self._folders: dict[str, bytes] = {}

    def of(self, files: Iterable[str]) -> dict[str, bytes]:
        """Return the key of each file that is there (root-relative)."""
        prefix = f"{self.site.root}/"
        names = list(files)
        contents = self.signatures.digests([prefix + file for file in names])
        found = {}
        for file in names:
            if content := contents[prefix + file]:
                # Three digests of fixed length and the name: nothing can be taken for something else.
                raw = self._folder(file.rpartition("/")[0]) + content + file.encode("utf-8", "surrogateescape")
                found[file] = blake2b(raw, digest_size=16).digest()
        return found

    def configs(self) -> list[str]:
        """Return the configuration files the keys depend on."""
        return list(dict.fromkeys(path for folder in self._folders for path in self.engine.configs(self.site, folder)))

    def _folder(self, folder: str) -> bytes:
        known = self._folders.get(folder)
        if known is None:
            paths = list(self.engine.configs(self.site, folder))
            contents = self.signatures.digests(paths)
            known = digest("\0".join(paths), b"".join(contents[path] or _NO_FILE for path in paths))
            known = self._folders[folder] = self.base + known
        return known


def all_key(keys: Mapping[str, bytes]) -> bytes:
    """Return the key of the findings in several files together."""
    return digest("all", *(keys[file] for file in sorted(keys)))


def pack_findings(diagnostics: Iterable[Diagnostic]) -> bytes:
    """Write findings down; none are nothing."""
    plain = [{k: v for k, v in to_plain(d).items() if k != "log"} for d in diagnostics]
    return _packed(plain) if plain else b""


def unpack_findings(body: bytes) -> list[Diagnostic]:
    """Read findings back."""
    return [from_plain(plain) for plain in _unpacked(body)] if body else []


def pack_program(
    inputs: Inputs, diagnostics: Iterable[Diagnostic], coverage: Iterable[str], signatures: Signatures, started_ns: int
) -> bytes | None:
    """Write down what a whole program gave, with all it depends on; None where some of that changed meanwhile."""
    if inputs.reason:
        return None
    lists = [(folder, endings, tree(folder, endings)) for folder, endings in (*inputs.names, *inputs.trees)]
    contents = list(inputs.files)
    for folder, endings, (files, _) in lists:
        if (folder, endings) in inputs.trees:
            contents += files
    contents = list(dict.fromkeys(contents))
    digests = signatures.digests(contents)
    if len(signatures.unchanged_since(contents, started_ns)) != len(contents):
        return None
    stamps = [(path, signature_of(path)) for path in dict.fromkeys(inputs.stamps)]
    if any(seen and written(seen) >= started_ns - SLACK_NS for _, seen in stamps):
        return None
    plain = {
        "files": [[path, digests[path].hex()] for path in contents],
        "stamps": stamps,
        "names": [
            [folder, endings, digest(*files).hex(), [(path, _settled(path, started_ns)) for path in folders]]
            for folder, endings, (files, folders) in lists
        ],
        "found": [{k: v for k, v in to_plain(d).items() if k != "log"} for d in diagnostics],
        "coverage": sorted(coverage),
    }
    return _packed(plain)


def unpack_program(body: bytes, signatures: Signatures) -> tuple[list[Diagnostic], frozenset[str]] | None:
    """Return findings and coverage of a whole program where all it depends on is as it was, else None."""
    plain = _unpacked(body)
    for path, seen in plain["stamps"]:
        now = signature_of(path)
        if (list(now) if now else None) != seen:
            return None
    for folder, endings, names, folders in plain["names"]:
        if all(seen is not None and list(signature_of(path) or ()) == seen for path, seen in folders):
            continue
        if digest(*tree(folder, tuple(endings))[0]).hex() != names:
            return None
    digests = signatures.digests(path for path, _ in plain["files"])
    if any(digests[path].hex() != seen for path, seen in plain["files"]):
        return None
    return [from_plain(one) for one in plain["found"]], frozenset(plain["coverage"])


def _settled(path: str, started_ns: int) -> tuple[int, int, int, int] | None:
    """What the system says of a folder, None where it was written so recently that it may change unseen."""
    seen = signature_of(path)
    return seen if seen and written(seen) < started_ns - SLACK_NS else None


def _packed(plain: object) -> bytes:
    return zlib.compress(json.dumps(plain, separators=(",", ":")).encode("utf-8", "surrogatepass"), 1)


def _unpacked(body: bytes) -> Any:
    """Read what `_packed` wrote; raises ValueError where it is damaged."""
    try:
        text = zlib.decompress(body)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    return json.loads(text.decode("utf-8", "surrogatepass"))
