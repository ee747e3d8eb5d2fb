"""Know a Go package's folder where the log itself pairs a package with a path, for file names printed without one."""

from punchlist.model import Diagnostic
from punchlist.records import replace


def module_folders(found: list[Diagnostic], root: str) -> dict[str, str]:
    """Return module path -> its folder, where the log itself pairs a package with a path (frames, build errors)."""
    folders: dict[str, str] = {}
    base = root.rstrip("/") + "/"
    for d in found:
        if not d.package or not d.file or "/" not in d.file:
            continue
        path = d.file.removeprefix("./")
        if path.startswith("/"):
            if not root or not path.startswith(base):
                continue
            path = path[len(base) :]
        folder = path.rsplit("/", 1)[0] if "/" in path else ""
        package = d.package.removesuffix("_test")
        if not folder:
            folders[package] = ""
        elif package.endswith("/" + folder):
            folders[package[: -len(folder) - 1]] = ""
        else:
            folders[package] = folder
    return folders


def with_folder(d: Diagnostic, folders: dict[str, str]) -> Diagnostic:
    """Put a test file's folder in front of its bare name where the module's folder is known."""
    if not d.package or not d.file or "/" in d.file or "\\" in d.file or not d.test:
        return d
    package = d.package.removesuffix("_test")
    for module, folder in folders.items():
        if package == module or package.startswith(module + "/"):
            inner = package[len(module) + 1 :]
            path = "/".join(part for part in (folder, inner, d.file) if part)
            return replace(d, file=path, derived=path != d.file)
    return d
