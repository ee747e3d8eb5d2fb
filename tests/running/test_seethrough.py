import pytest

from punchlist import platforms
from punchlist.running.capture import Command, capture
from punchlist.running.seethrough import run_viewers, see_through

pytestmark = pytest.mark.skipif(platforms.WINDOWS, reason="pipelines of a POSIX shell")


def known(text: str) -> bool:
    return "pytest" in text or text.startswith("make")


@pytest.mark.parametrize(
    ("text", "command", "viewers", "merged"),
    [
        ("pytest -q | tail -5", "pytest -q", "tail -5", False),
        ("pytest 2>&1 | grep -E 'a|b' | head", "pytest", "grep -E 'a|b' | head", True),
        ("pytest |& tail", "pytest", "tail", True),
        ("make test 2>&1|tail -3", "make test", "tail -3", True),
        ("pytest 2>/dev/null | tee out.txt", "pytest", "tee out.txt", False),
        ("pytest 2> /dev/null | cat", "pytest", "cat", False),
        ("cd 'my dir' && pytest | tail", "cd 'my dir' && pytest", "cd 'my dir' && tail", False),
        (
            "cd a && . v/bin/activate && pytest | head -3",
            "cd a && . v/bin/activate && pytest",
            "cd a && head -3",
            False,
        ),
        ('pytest -k "a|b && c" | tail', 'pytest -k "a|b && c"', "tail", False),
        ("pytest -k 'x 2>&1 y' | tail", "pytest -k 'x 2>&1 y'", "tail", False),
        ("pytest -k a\\|b | tail", "pytest -k a\\|b", "tail", False),
        ("X=1 pytest ${ARGS} | less", "X=1 pytest ${ARGS}", "less", False),
        ("pytest | grep -v '>' | wc -l", "pytest", "grep -v '>' | wc -l", False),
    ],
)
def test_a_check_that_is_only_viewed_is_seen_through(text, command, viewers, merged):
    seen = see_through(text, known)
    assert seen is not None
    assert (seen.command, seen.viewers, seen.merged) == (command, viewers, merged)


@pytest.mark.parametrize(
    "text",
    [
        "pytest",
        "pytest |",
        "| tail",
        "ls | tail",
        "pytest > out.txt | tail",
        "pytest | tail > out.txt",
        "pytest 2>errors | tail",
        "pytest 2>&1 >out | tail",
        "pytest <in | tail",
        "pytest | tail -f",
        "pytest | sort",
        "pytest | xargs rm",
        "pytest | tee >(cat)",
        "pytest | tail && echo done",
        "pytest && echo ok | tail",
        "ls && pytest | tail",
        "pytest || true | tail",
        "pytest | tail; exit 3",
        "pytest & | tail",
        "pytest | tail &",
        "(pytest) | tail",
        "{ pytest; } | tail",
        "! pytest | tail",
        "time pytest | tail",
        "pytest $(args) | tail",
        'pytest "$(args)" | tail',
        "pytest `args` | tail",
        "pytest | head -n $(wc -l < x)",
        "pytest 'unclosed | tail",
        'pytest "unclosed | tail',
        "pytest | tail\nrm x",
        "pytest | tail # why",
        "pytest $'a\\'b' | tail",
        "for i in pytest | tail",
        "pytest \\\n -q | tail",
    ],
)
def test_anything_else_is_left_as_it_is(text):
    assert see_through(text, known) is None


def test_viewers_run_on_the_whole_output_and_their_files_exist(tmp_path):
    seen = see_through("cd sub && pytest-like; | tail", lambda _: True)
    assert seen is None
    (tmp_path / "sub").mkdir()
    seen = see_through("cd sub && seq 1 100 | tee all.txt | tail -2", lambda _: True)
    assert seen is not None
    folder = str(tmp_path / "run")
    assert capture(Command(run=seen.command, cwd=str(tmp_path)), folder).how.exit_code == 0
    finished = run_viewers(seen, folder, str(tmp_path))
    assert finished.how.exit_code == 0
    assert (tmp_path / "run/viewer.log").read_text() == "99\n100\n"
    assert len((tmp_path / "sub/all.txt").read_text().splitlines()) == 100
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "order",
        "stderr.log",
        "stdout.log",
        "viewer.log",
    ]


def test_viewers_of_both_streams_see_them_in_order(tmp_path):
    (tmp_path / "work.sh").write_text("echo a; sleep 0.1; echo b >&2; sleep 0.1; echo c; exit 1\n")
    seen = see_through("sh work.sh 2>&1 | cat", lambda _: True)
    assert seen is not None
    folder = str(tmp_path / "run")
    assert capture(Command(run=seen.command, cwd=str(tmp_path)), folder).how.exit_code == 1
    run_viewers(seen, folder, str(tmp_path))
    assert (tmp_path / "run/viewer.log").read_text() == "a\nb\nc\n"
