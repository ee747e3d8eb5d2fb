"""Hostile input: random bytes and mutated logs are read without an exception and in time."""

import random
import time
from pathlib import Path

import pytest

from punchlist.model import How
from punchlist.reading.reader import read
from punchlist.views.brief import Facts, brief

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*/*/stdout.log"))
COMMANDS = ("", "pytest", "tsc", "cargo test", "go test -json ./...", "npx jest", "make -j4", "mvn test")
SECONDS_PER_MB = 2.0


def mutated(raw: bytes, chance: random.Random) -> bytes:
    """Cut, shuffle, double and spoil the lines of a log."""
    lines = raw[:200_000].splitlines(keepends=True)
    match chance.randrange(5):
        case 0:
            chance.shuffle(lines)
        case 1:
            lines = lines[: chance.randrange(len(lines) + 1)]
        case 2:
            lines = lines[chance.randrange(len(lines) + 1) :]
        case 3:
            lines = [line for line in lines if chance.random() > 0.2]
        case _:
            lines = lines + lines
    spoiled = bytearray(b"".join(lines))
    for _ in range(chance.randrange(30)):
        if spoiled:
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
    return bytes(spoiled)


def hold(raw: bytes, command: str, exit_code: int) -> None:
    begun = time.process_time()
    report = read(raw, b"", command=command, how=How(ending="exit", exit_code=exit_code), root="/home/dev/shop")
    text = brief(report, facts=Facts(log_chars=len(raw)))
    spent = time.process_time() - begun
    assert len(text) <= 8_200
    assert not [note for note in report.notes if "failed on this log" in note]
    assert report.outcome != "passed" or exit_code == 0
    assert spent <= max(1.0, SECONDS_PER_MB * len(raw) / 1e6)


@pytest.mark.parametrize("seed", range(10))
def test_random_bytes_are_read(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        raw = chance.randbytes(chance.randrange(1, 5_000))
        hold(raw, chance.choice(COMMANDS), chance.choice((0, 1, 2)))


@pytest.mark.parametrize("seed", range(10))
def test_mutated_logs_are_read(seed: int) -> None:
    chance = random.Random(1_000 + seed)
    for _ in range(100):
        path = chance.choice(FIXTURES)
        facts = (path.parent / "case.toml").read_text(encoding="utf-8")
        own = next(
            line.split("=", 1)[1].strip().strip("\"'") for line in facts.splitlines() if line.startswith("command")
        )
        hold(mutated(path.read_bytes(), chance), chance.choice((own, "")), chance.choice((0, 1, 2)))
