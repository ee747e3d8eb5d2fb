"""Secrets leave masked, diagnostics leave as they are."""

import time

import pytest

from punchlist.views.masking import MASK, mask

# Put together at run time, so that no scanner takes this file for a leak.
GITHUB = "ghp" + "_" + "a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6"
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"token {GITHUB} leaked", f"token {MASK} leaked"),
        (f"id={AWS}", f"id={MASK}"),
        (f"cookie: {JWT};", f"cookie: {MASK};"),
        ("sk-" + "ant-api03-abcdefghijklmnopqrstu", MASK),
        ("use sk-" + "proj-abcdefghijklmnopqrstuvwxyz012345", f"use {MASK}"),
        ("sk_" + "live_abcdefghijklmnop1234", MASK),
        ("glpat-" + "abcdefghij1234567890", MASK),
        ("npm" + "_abcdefghijklmnopqrstuvwxyz0123456789", MASK),
        ("pypi-" + "AgEIcHlwaS5vcmcCJ" + "a" * 50, MASK),
        ("xoxb-" + "123456789012-abcdefghijkl", MASK),
        ("Authorization: Bearer abcdef.ghij-klmn123456", f"Authorization: Bearer {MASK}"),
        ('"authorization": "Basic dXNlcjpwYXNzd29yZA=="', f'"authorization": "Basic {MASK}"'),
        ("postgres://shop:hunter2@db:5432/shop", f"postgres://shop:{MASK}@db:5432/shop"),
        ("https://:x0x0x0@host/path", f"https://:{MASK}@host/path"),
        ("DB_PASSWORD=hunter2 next", f"DB_PASSWORD={MASK} next"),
        ("MY_API_KEY=abcdef123456", f"MY_API_KEY={MASK}"),
        ('export SECRET_KEY="two words here"', f'export SECRET_KEY="{MASK}"'),
        ('{"api_key": "abcdef123456", "n": 1}', f'{{"api_key": "{MASK}", "n": 1}}'),
        ("client_secret='s3cr3t-value'", f"client_secret='{MASK}'"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            f"aws_secret_access_key = {MASK}",
        ),
    ],
)
def test_a_secret_is_masked_and_the_rest_of_its_line_stays(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Unexpected token: x",
        "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
        "unexpected token: IdentifierName",
        "password: str | None",
        "def login(password: str = 'x', token: str = '') -> None:",
        "token = getToken(request)",
        "PASSWORD=$PASSWORD",
        "API_KEY=${API_KEY}",
        "API_KEY=os.environ['API_KEY']",
        'KeyError: "API_KEY"',
        "error: 'token' is possibly 'null'.",
        "E   AssertionError: assert 'token' in {'password': None}",
        "src/secrets.py:12: error: Name 'secret_key' is not defined",
        "http://localhost:3000/a@b",
        "see https://example.com/docs#tokens and git@github.com:a/b.git",
        "foreign key constraint failed: order_id",
        "sk-learn is not installed; sk-SK locale",
        "expected token=identifier but got token=string",
        "Type 'Token' is missing the following properties from type 'SecretKey': a, b",
        "TOKEN=None",
        "the bearer of this",
        "key: value",
        "PWD=/",
    ],
)
def test_an_ordinary_diagnostic_is_not_touched(text: str) -> None:
    assert mask(text) == text


def test_a_private_key_is_masked_line_by_line() -> None:
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    text = f"before\n{begin}\nMIIEow\nIBAAKC==\n{end}\nafter"
    assert mask(text) == f"before\n{begin}\n{MASK}\n{MASK}\n{end}\nafter"


def test_a_private_key_that_is_cut_off_hides_nothing_else() -> None:
    text = "-----BEGIN PRIVATE KEY-----\nMIIEow\n\nFAILED tests/test_a.py::test_b\nE   ValueError: bad key!"
    assert mask(text).split("\n")[3:] == text.split("\n")[3:]


def test_a_private_key_in_one_line_is_masked() -> None:
    text = r'"key": "-----BEGIN PRIVATE KEY-----\nMIIEow\n-----END PRIVATE KEY-----\n"'
    assert "MIIEow" not in mask(text)


def test_the_number_of_lines_stays() -> None:
    text = f"a\r\n\n{GITHUB}\n\u2028b\x0cc\n"
    assert mask(text).count("\n") == text.count("\n")


def test_half_of_a_surrogate_pair_can_be_written() -> None:
    assert mask("a \ud800 é 🍵").encode() == "a ? é 🍵".encode()


@pytest.mark.parametrize(
    "piece",
    ["token=", "A_", "http://", "a://b:", "eyJa.", "Bearer ", "'key': \"", "-----BEGIN PRIVATE KEY-----\n", "key1"],
)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    start = time.process_time()
    mask(text)
    assert time.process_time() - start < 2
