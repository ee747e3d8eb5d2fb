"""TypeScript 7 as a language server (seen with 7.0.2): the native compiler itself, `tsc --lsp --stdio`.

It answers for files that nobody opened. What a tsconfig.json gets wrong is not in its answers, and a file that no
program includes is checked all the same: the caller asks the command line after a change of the one, and leaves out
the other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from punchlist.engines import find
from punchlist.engines.record import Found, Unit
from punchlist.engines.site import Site, above, joined
from punchlist.engines.tsconfig import chain
from punchlist.engines.warm.lsp import Lsp
from punchlist.engines.warm.pull import Puller
from punchlist.engines.warm.record import Kind
from punchlist.model import Diagnostic
from punchlist.records import replace


def start(site: Site, found: Found, unit: Unit) -> Puller:
    """Start a server at the program's own folder."""
    env = {**site.environ, **find.environment(site, unit.home)}
    lsp = Lsp((*found.argv, "--lsp", "--stdio"), site.path(unit.home), env)
    return Puller(lsp, str(site.root), "tsc", worst=1, rewrite=as_printed)


def as_printed(d: Diagnostic, item: Mapping[str, Any]) -> Diagnostic:
    """Name the rule as the compiler prints it."""
    return replace(d, rule=f"TS{d.rule}" if d.rule else None, related=())


def configs(site: Site, unit: Unit) -> Sequence[str]:
    """Return the configuration with all it extends and refers to, manifests, and the lock files."""
    one = chain(site, unit.config)
    referred = [file for path in one.references for file in chain(site, path).files]
    manifests = [site.path(joined(folder, "package.json")) for folder in above(unit.home)]
    return tuple(dict.fromkeys([*one.files, *referred, *manifests, *find.locks(site, unit.home)]))


KIND = Kind(
    engine="tsc", known=lambda version: version.startswith("7."), start=start, configs=configs, imports="script"
)
