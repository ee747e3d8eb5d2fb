"""Printed paths made root-relative."""

import pytest

from punchlist.model import Diagnostic, Related
from punchlist.reading.paths import placed, relative

PATHS = [
    ("/srv/shop/src/cart.py", "/srv/shop", "", "src/cart.py"),
    ("/srv/shop2/src/cart.py", "/srv/shop", "", "/srv/shop2/src/cart.py"),
    ("src/cart.py", "/srv/shop", "web", "web/src/cart.py"),
    ("./src/../cart.py", "/srv/shop", "", "cart.py"),
    ("../api/cart.py", "/srv/shop", "web", "api/cart.py"),
    ("/srv/build/../shop/cart.c", "/srv/shop", "", "cart.c"),
    ("C:\\shop\\src\\cart.ts", "C:\\shop", "", "src/cart.ts"),
    ("c:/Shop/src/cart.ts", "C:\\shop", "", "src/cart.ts"),
    ("C:\\other\\cart.ts", "C:\\shop", "", "C:/other/cart.ts"),
    ("src\\my cart\\total.cs", "", "", "src/my cart/total.cs"),
    ("file:///srv/shop/src/cart.js", "/srv/shop", "", "src/cart.js"),
    ("node:internal/modules/run", "/srv/shop", "web", "node:internal/modules/run"),
    ("<stdin>", "/srv/shop", "web", "<stdin>"),
    ("", "/srv/shop", "web", ""),
    ("cart.py", "", "", "cart.py"),
]


@pytest.mark.parametrize(("path", "root", "folder", "wanted"), PATHS)
def test_a_path_is_told_from_the_root_where_that_is_certain(path: str, root: str, folder: str, wanted: str) -> None:
    assert relative(path, root, folder) == wanted


def test_related_places_are_told_the_same_way() -> None:
    found = placed(Diagnostic(message="x", file="a.c", related=(Related("see", "b.h", 3),)), "/srv", "lib")
    assert (found.file, found.related[0].file) == ("lib/a.c", "lib/b.h")
