import itertools

import pytest

from punchlist.running.order import MAGIC, Arrival, OrderWriter, arrivals, merged_lines


def index_of(events):
    writer = OrderWriter()
    for stream, length, ms in events:
        writer.add(stream, length, ms)
    return writer.take(last=True)


def made(folder, events, logs):
    (folder / "order").write_bytes(index_of(events))
    for name, data in zip(("stdout", "stderr"), logs, strict=True):
        (folder / f"{name}.log").write_bytes(data)


def texts(folder, **window):
    return [(line.stream[3], line.number, line.text.decode()) for line in merged_lines(str(folder), **window)]


@pytest.mark.parametrize(
    ("events", "records"),
    [
        ([], []),
        ([(0, 5, 0)], [("stdout", 0, 5, 0)]),
        ([(0, 5, 0), (0, 5, 49)], [("stdout", 0, 10, 0)]),
        ([(0, 5, 0), (0, 5, 50)], [("stdout", 0, 5, 0), ("stdout", 5, 10, 50)]),
        ([(0, 5, 0), (1, 3, 1), (0, 2, 2)], [("stdout", 0, 5, 0), ("stderr", 0, 3, 1), ("stdout", 5, 7, 2)]),
        ([(0, 1 << 32, 0)], [("stdout", 0, 1 << 32, 0)]),
    ],
)
def test_what_was_written_is_read_back(events, records):
    sizes = tuple(sum(length for stream, length, _ in events if stream == which) for which in (0, 1))
    if events == [(0, 1 << 32, 0)]:  # longer than a record can say: it arrives in pieces
        events = [(0, 1 << 31, 0), (0, 1 << 31, 0)]
        records = [("stdout", 0, 1 << 31, 0), ("stdout", 1 << 31, 1 << 32, 0)]
    assert list(arrivals(index_of(events), sizes)) == [Arrival(*record) for record in records]


@pytest.mark.parametrize("cut", range(5 + 9 * 3))
def test_a_cut_index_loses_order_but_no_bytes(cut):
    whole = index_of([(0, 5, 0), (1, 3, 100), (0, 2, 200)])
    found = list(arrivals(whole[:cut], (7, 3)))
    for stream, size in (("stdout", 7), ("stderr", 3)):
        pieces = [(piece.first, piece.last) for piece in found if piece.stream == stream]
        assert pieces[0][0] == 0
        assert pieces[-1][1] == size
        assert all(a[1] == b[0] for a, b in itertools.pairwise(pieces))


def test_an_index_that_promises_more_than_the_log_holds_is_cut_to_it():
    assert list(arrivals(index_of([(0, 50, 0)]), (7, 0))) == [Arrival("stdout", 0, 7, 0)]


def test_rubbish_is_no_index():
    assert list(arrivals(b"rubbish " * 20, (7, 0))) == [Arrival("stdout", 0, 7, 0)]
    assert list(arrivals(MAGIC + b"\x07" * 27, (7, 0))) == [Arrival("stdout", 0, 7, 0)]


def test_a_line_stands_where_it_was_completed(tmp_path):
    made(tmp_path, [(0, 2, 0), (1, 3, 100), (0, 3, 200)], [b"abcd\n", b"xy\n"])
    assert texts(tmp_path) == [("e", 1, "xy"), ("o", 1, "abcd")]


def test_an_unfinished_last_line_is_a_line(tmp_path):
    made(tmp_path, [(0, 4, 0), (1, 2, 100), (0, 1, 200)], [b"a\nb\nc", b"x\n"])
    assert texts(tmp_path) == [("o", 1, "a"), ("o", 2, "b"), ("e", 1, "x"), ("o", 3, "c")]


def test_every_window_shows_its_part_of_the_whole(tmp_path):
    out, err = b"".join(b"o%d\n" % n for n in range(40)), b"".join(b"e%d\n" % n for n in range(40)) + b"end"
    events = [(n % 2, 11, n * 60) for n in range(20)]
    made(tmp_path, events, [out, err])
    whole = texts(tmp_path)
    assert len(whole) == 81
    for first in range(1, 83):
        assert texts(tmp_path, first=first, last=first + 4) == whole[first - 1 : first + 4]


def test_missing_files_are_empty_ones(tmp_path):
    assert texts(tmp_path) == []
    (tmp_path / "stderr.log").write_bytes(b"only\n")
    assert texts(tmp_path) == [("e", 1, "only")]


def test_an_index_stays_small_when_streams_take_turns_for_ever():
    writer, size = OrderWriter(), 0
    for n in range(1_200_000):
        writer.add(n % 2, 1, n // 100)
        if n % 1000 == 0:
            size += len(writer.take())
    assert size < (9 << 20)
