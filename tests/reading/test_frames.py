import pytest

from punchlist.reading.frames import Frame, final, innermost, is_foreign, read_fault, read_tracebacks, within

ROOT = "/home/dev/shop"


@pytest.mark.parametrize(
    "path",
    [
        "/usr/lib/python3.11/json/__init__.py",
        "../.pyenv/versions/3.13.0/lib/python3.13/json/decoder.py",
        "/home/dev/shop/.venv/lib/python3.13/site-packages/django/db/models/query.py",
        "C:\\Python311\\lib\\json\\decoder.py",
        "C:\\hostedtoolcache\\windows\\Python\\3.11.4\\x64\\lib\\asyncio\\runners.py",
        "/Library/Frameworks/Python.framework/Versions/3.12/lib/python3.12/os.py",
        "/usr/lib/python3/dist-packages/yaml/loader.py",
        "/home/dev/.venv/bin/pytest",
        "<frozen importlib._bootstrap>",
        "<string>",
    ],
)
def test_libraries_and_frozen_code_are_foreign(path: str) -> None:
    assert is_foreign(path, ROOT)


@pytest.mark.parametrize(
    "path",
    ["/home/dev/shop/src/api.py", "tests/test_api.py", "bin/deploy", "/home/dev/shop/lib/rates.py", "..\\src\\a.py"],
)
def test_files_of_the_project_are_its_own(path: str) -> None:
    assert not is_foreign(path, ROOT)


def test_a_root_that_lies_below_a_library_folder_is_no_library() -> None:
    assert not is_foreign("/opt/lib/python3/shop/a.py", "/opt/lib/python3/shop")


def test_a_frame_below_the_root_is_preferred_to_a_deeper_one_elsewhere() -> None:
    frames = [Frame("/home/dev/shop/a.py", 1), Frame("/home/dev/other/b.py", 2), Frame("<frozen os>", 3)]
    assert innermost(frames, ROOT) == frames[0]
    assert innermost(frames[1:], ROOT) == frames[1]
    assert innermost(frames[2:], ROOT) is None


def test_a_path_is_taken_relative_whatever_its_slashes() -> None:
    assert within("C:\\shop\\src\\a.py", "c:/shop") == "src/a.py"
    assert within("/elsewhere/a.py", ROOT) is None


CHAIN = """\
Traceback (most recent call last):
  File "/home/dev/shop/a.py", line 3, in load
    return data["x"]
           ~~~~^^^^^
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/dev/shop/a.py", line 9, in <module>
    load()
  File "/home/dev/shop/a.py", line 5, in load
    raise RuntimeError("no x")
RuntimeError: no x
"""


def test_the_last_of_a_chain_is_what_was_not_handled() -> None:
    found = read_tracebacks(CHAIN.splitlines(), 0, 99)
    last = final(found)
    assert [t.message for t in found] == ["KeyError: 'x'", "RuntimeError: no x"]
    assert last is not None
    assert (last.message, last.frames[-1].line, last.frames[-1].source) == (
        "RuntimeError: no x",
        5,
        'raise RuntimeError("no x")',
    )


def test_the_group_itself_is_preferred_to_its_members() -> None:
    lines = [
        "  + Exception Group Traceback (most recent call last):",
        '  |   File "a.py", line 1, in <module>',
        "  | ExceptionGroup: two (2 sub-exceptions)",
        "  +-+---------------- 1 ----------------",
        "    | Traceback (most recent call last):",
        '    |   File "a.py", line 7, in f',
        "    | ValueError: inner",
    ]
    found = read_tracebacks(lines, 0, len(lines))
    last = final(found)
    assert last is not None
    assert last.message == "ExceptionGroup: two (2 sub-exceptions)"
    assert found[1].message == "ValueError: inner"


def test_a_traceback_that_is_cut_off_has_no_message() -> None:
    found = read_tracebacks(CHAIN.splitlines()[:3], 0, 3)
    assert [t.message for t in found] == [""]


def test_faulthandlers_current_thread_is_read_outermost_first() -> None:
    lines = [
        "Fatal Python error: Segmentation fault",
        "",
        "Thread 0x01 (most recent call first):",
        '  File "other.py", line 1 in wait',
        "",
        "Current thread 0x02 (most recent call first):",
        '  File "own.py", line 9 in crash',
        '  File "own.py", line 2 in <module>',
    ]
    frames, end = read_fault(lines, 0)
    assert [(f.function, f.line) for f in frames] == [("<module>", 2), ("crash", 9)]
    assert end == len(lines)
