import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from punchlist.model import Trouble
from punchlist.project.config import Check, Config, ConfigCache, Step, expand, load, working_folder
from punchlist.project.globs import matches
from punchlist.project.root import find_root

QUIET = "templates:\n  jest: {description: d, include_regex: b, tail_paragraphs: 1}\n"
FULL = """\
payload = "text"
compact = true
monorepo_mode = "strict"
tools = ["run", "check"]
commands = "declared"
writes = "off"
ignore = ["gen/**"]
extend_ignore = ["more/**"]
timeout = "2m"
max_output = "500 MB"
parallel = 2
presentation = ["NO_COLOR"]
discover = false

[checks]
quick = "pytest -q -x"

[checks.test]
command = "docker exec ${APP} pytest"
timeout = "1h30m"
cwd = "api"
env = { PGHOST = "localhost" }
parser = "pytest"
reports = "build/*.xml"
on_failure = "docker logs ${APP}"
strip_path_prefix = "/app/"
description = "everything"

[checks.full]
fail_fast = false
steps = [
  "make clean",
  { name = "test", command = "make test", timeout = 300, parser = "generic", cwd = "sub", env = { A = "1" } },
]

[checks.old]
cmd = "npx vitest run"
adapter = "vitest"
timeout_ms = 1500

[engines]
eslint = false

[engines.tsc]
enabled = true
timeout = "90s"
config = "tsconfig.build.json"
skip_lib_check = true

[parsers.mine]
pattern = ['^(?P<file>\\S+):(?P<line>\\d+)$', '^  (?P<message>.*)$']
commands = "mytool"
examples = ["examples/*.log"]

[parsers.matchers]
file = ".github/matcher.json"
owner = "mine"

[templates.jest]
description = "Jest"
include_regex = "(FAIL|●)"
tail_paragraphs = 2
suppress_output_on_success = false

[budget]
run = 900

[keep]
runs = 5
size = "1 GiB"
"""


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", ".").replace("_SLASH_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def native(root: Path, text: str) -> Config:
    return load(write(root, punchlist__toml=text), {})


def test_without_any_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load(tmp_path, {}) == Config()


def test_every_native_setting_is_read(tmp_path: Path) -> None:
    config = native(tmp_path, FULL)
    assert (config.payload, config.compact, config.monorepo_mode, config.tools) == (
        "text",
        True,
        "strict",
        ("run", "check"),
    )
    assert (config.commands, config.writes, config.discover, config.parallel) == ("declared", "off", False, 2)
    assert config.ignore == ("gen/**", "more/**")
    assert (config.timeout_s, config.max_output, config.presentation) == (120, 500_000_000, ("NO_COLOR",))
    assert (config.budget.run, config.budget.check) == (900, 2400)
    assert (config.keep.runs, config.keep.engine_checks, config.keep.bytes) == (5, 50, 1024**3)
    assert list(config.checks) == ["quick", "test", "full", "old"]
    assert config.checks["test"] == Check(
        name="test",
        steps=(Step(name="test", command="docker exec ${APP} pytest"),),
        timeout_s=5400,
        cwd="api",
        base=tmp_path,
        env={"PGHOST": "localhost"},
        parser="pytest",
        reports=("build/*.xml",),
        on_failure="docker logs ${APP}",
        strip_path_prefix="/app/",
        description="everything",
        origin="punchlist.toml",
        file="punchlist.toml",
        line=18,
    )
    full = config.checks["full"]
    assert (full.pipeline, full.fail_fast, [step.name for step in full.steps]) == (True, False, ["step-1", "test"])
    assert full.steps[1] == Step(
        name="test", command="make test", timeout_s=300, adapter="generic", cwd="sub", env={"A": "1"}
    )
    old = config.checks["old"]
    assert (old.steps[0].command, old.parser, old.timeout_s) == ("npx vitest run", "vitest", 1.5)
    assert config.engines["eslint"].enabled is False
    tsc = config.engines["tsc"]
    assert (tsc.enabled, tsc.timeout_s, tsc.config, tsc.skip_lib_check) == (True, 90, "tsconfig.build.json", True)
    assert len(config.parsers["mine"].patterns) == 2
    assert (config.parsers["matchers"].file_of_matchers, config.parsers["matchers"].owner) == (
        ".github/matcher.json",
        "mine",
    )
    template = config.templates["jest"]
    assert (template.tail_paragraphs, template.suppress_output_on_success, template.line) == (2, False, 61)
    assert config.sources == ("punchlist.toml",)


def test_settings_may_stand_in_pyproject(tmp_path: Path) -> None:
    own = '[tool.punchlist]\npayload = "both"\n\n[tool.punchlist.checks.test]\ncommand = "pytest"\n'
    text = f'[project]\nname = "x"\n\n{own}'
    config = load(write(tmp_path, pyproject__toml=text), {})
    assert config.payload == "both"
    assert (config.checks["test"].file, config.checks["test"].line) == ("pyproject.toml", 7)


def test_a_pyproject_that_is_not_about_us_may_even_be_broken(tmp_path: Path) -> None:
    assert load(write(tmp_path, pyproject__toml="[project\n"), {}) == Config()


def test_punchlist_toml_shadows_pyproject_and_says_so(tmp_path: Path) -> None:
    write(tmp_path, pyproject__toml='[tool.punchlist]\npayload = "both"\n', punchlist__toml='payload = "text"\n')
    config = load(tmp_path, {})
    assert config.payload == "text"
    assert "shadows [tool.punchlist]" in config.notices[0]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('payloda = "text"\n', 1, 'unknown key "payloda". Did you mean "payload"?'),
        ('\npayload = "brif"\n', 2, 'payload must be one of brief, both, text, structured, not "brif".'),
        ("compact = 1\n", 1, "compact must be true or false, not 1."),
        ("[checks.test]\ncommand = 3\n", 2, "checks.test.command must be a string that is not empty, not 3."),
        ('[checks.test]\ncommand = "x"\ncdw = "y"\n', 3, 'unknown key "cdw". Did you mean "cwd"?'),
        ('[checks.test]\ncommand = "x"\ntimeout = -1\n', 3, "checks.test.timeout must be seconds"),
        ('[checks.test]\ncommand = "x"\ntimeout = "soon"\n', 3, 'not "soon"'),
        ('[checks.test]\ncommand = "x"\ntimeout = true\n', 3, "not true"),
        ('[checks.test]\ncwd = "x"\n', 1, 'check "test" needs `command` or `steps`.'),
        ('[checks.test]\ncommand = "x"\nsteps = ["y"]\n', 1, "not both"),
        ("[checks.test]\nsteps = []\n", 2, "must be a list of commands or tables"),
        ('[checks.test]\nsteps = [{ name = "a" }]\n', 2, "needs a `command`"),
        (
            '[checks.test]\nsteps = [\n  "a",\n  { nam = "b", command = "c" },\n]\n',
            4,
            'unknown key "nam". Did you mean "name"?',
        ),
        (
            '[checks.test]\nsteps = [{ name = "a", command = "x" }, { name = "a", command = "y" }]\n',
            2,
            "unique in the check",
        ),
        (
            '[[checks.test.steps]]\ncommand = "x"\n[[checks.test.steps]]\ncommand = "y"\ntimeuot = 3\n',
            5,
            'Did you mean "timeout"?',
        ),
        ('[checks.test]\ncommand = "x"\nenv = { A = 1 }\n', 3, "must be a table of strings"),
        ('[checks.test]\ncommand = "x"\nparser = "pytset"\n', 3, 'there is no parser "pytset". Did you mean "pytest"?'),
        ('[checks.test]\ncommand = "x"\ncmd = "y"\n', 3, '"cmd" and "command" mean the same'),
        ('[checks."a b"]\ncommand = "x"\n', 1, "is no name"),
        ("checks = 3\n", 1, "checks must be a table of names"),
        ("[engines.eslnt]\nenabled = true\n", 1, 'there is no engine "eslnt". Did you mean "eslint"?'),
        ("[engines.ruff]\ninclude_formatter = true\n", 2, "a setting of biome only"),
        ('[parsers.x]\npattern = "a"\nfile = "b"\n', 1, "either `pattern` or `file`"),
        ('[templates.x]\ndescription = "d"\n', 1, "needs an `include_regex`"),
        ("[budget]\nrun = 3\n", 2, "budget.run must be a whole number from 100 up, not 3."),
        ('[keep]\nsize = "lots"\n', 2, "bytes, or a text like"),
        ('tools = ["runs"]\n', 1, 'tools holds "runs", which there is not. Did you mean "run"?'),
        ('tools = ["run_chek"]\n', 1, 'Did you mean "run_check"?'),
        ('tools = "run"\n', 1, "tools must be a list of run, check, fix, live or names of single tools"),
        ("a = \n", 1, "not valid TOML"),
        ('payload = "text"\npayload = "both"\n', 2, "not valid TOML"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_way_out(tmp_path: Path, text: str, line: int, said: str) -> None:
    write(tmp_path, punchlist__toml=text)
    with pytest.raises(Trouble) as raised:
        load(tmp_path, {}, parsers=["pytest", "generic"])
    first = str(raised.value).splitlines()[0]
    assert first.startswith(f"punchlist.toml:{line}:")
    assert said in first
    assert raised.value.code == "invalid_configuration"
    assert "read again at the next call" in str(raised.value)


def test_all_mistakes_are_told_at_once_up_to_five(tmp_path: Path) -> None:
    write(tmp_path, punchlist__toml="".join(f"wrong{n} = 1\n" for n in range(8)))
    with pytest.raises(Trouble) as raised:
        load(tmp_path, {})
    lines = str(raised.value).splitlines()
    assert [line.split(":")[1] for line in lines[:5]] == ["1", "2", "3", "4", "5"]
    assert lines[5] == "... and 3 more"


def test_a_parser_described_in_the_file_may_be_named_in_it(tmp_path: Path) -> None:
    text = '[checks.x]\ncommand = "x"\nparser = "mine"\n[parsers.mine]\npattern = "(?P<message>.*)"\n'
    assert load(write(tmp_path, punchlist__toml=text), {}, parsers=["pytest"]).checks["x"].parser == "mine"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfe\x00", "not UTF-8 text"), (b"# " + b"x" * 1_000_001, "larger than 1 MB")],
)
def test_a_file_that_is_no_text_is_told(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "punchlist.toml").write_bytes(content)
    with pytest.raises(Trouble, match=said):
        load(tmp_path, {})


def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "punchlist.toml")
    with pytest.raises(Trouble, match="no regular file"):
        load(tmp_path, {})


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    (tmp_path / "punchlist.toml").write_bytes(
        b'\xef\xbb\xbfpayload = "text"\r\n[checks.a]\r\ncommand = "x"\r\nbad = 1\r\n'
    )
    with pytest.raises(Trouble, match=r"punchlist\.toml:4:"):
        load(tmp_path, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("docker exec ${APP} x", "docker exec one x"),
        ("${UNSET} $APP ${APP:-x} ${}", "${UNSET} $APP ${APP:-x} ${}"),
        ("${APP}${APP}", "oneone"),
        ("${EMPTY}|", "|"),
    ],
)
def test_only_variables_in_braces_that_are_set_are_replaced(text: str, expected: str) -> None:
    assert expand(text, {"APP": "one", "EMPTY": ""}) == expected


def test_the_working_folder_follows_check_and_step(tmp_path: Path) -> None:
    check = Check(name="x", steps=(), cwd="${SUB}", base=tmp_path)
    step = Step(name="s", command="c", cwd="deep")
    assert working_folder(tmp_path, check, step, {"SUB": "api"}) == tmp_path / "api/deep"
    assert working_folder(tmp_path, Check(name="x", steps=()), None, {}) == tmp_path


# Environment


@pytest.mark.parametrize(
    ("environ", "field", "expected"),
    [
        ({"PUNCHLIST_PAYLOAD": "structured"}, "payload", "structured"),
        ({"SIGNALINT_MCP_PAYLOAD": " both "}, "payload", "both"),
        ({"PUNCHLIST_PAYLOAD": "brief", "SIGNALINT_MCP_PAYLOAD": "both"}, "payload", "brief"),
        ({"PUNCHLIST_PAYLOAD": "", "SIGNALINT_MCP_PAYLOAD": ""}, "payload", "text"),
        ({"PUNCHLIST_COMPACT": "1"}, "compact", True),
        ({"SIGNALINT_COMPACT": "1"}, "compact", True),
        ({"PUNCHLIST_COMPACT": "0", "SIGNALINT_COMPACT": "1"}, "compact", False),
        ({"SIGNALINT_MONOREPO_MODE": "strict"}, "monorepo_mode", "strict"),
        ({"PUNCHLIST_TOOLS": "run, check_files"}, "tools", ("run", "check_files")),
        ({"PUNCHLIST_TOOLS": "all"}, "tools", None),
    ],
)
def test_the_environment_beats_the_file(tmp_path: Path, environ: dict[str, str], field: str, expected: object) -> None:
    write(tmp_path, punchlist__toml='payload = "text"\nmonorepo_mode = "off"\ntools = ["fix"]\n')
    assert getattr(load(tmp_path, environ), field) == expected


@pytest.mark.parametrize(
    "environ",
    [
        {"PUNCHLIST_PAYLOAD": "Both"},
        {"SIGNALINT_MCP_PAYLOAD": "json"},
        {"PUNCHLIST_MONOREPO_MODE": "on"},
        {"PUNCHLIST_TOOLS": "rum"},
    ],
)
def test_a_wrong_value_of_a_variable_is_told_by_its_name(tmp_path: Path, environ: dict[str, str]) -> None:
    with pytest.raises(Trouble, match=next(iter(environ))):
        load(tmp_path, environ)


def test_a_configuration_elsewhere_is_named_by_a_variable(tmp_path: Path) -> None:
    write(tmp_path, punchlist__toml='payload = "text"\n', conf_SLASH_other__toml='payload = "both"\n')
    assert load(tmp_path, {"PUNCHLIST_CONFIG": "conf/other.toml"}).payload == "both"
    with pytest.raises(Trouble, match="PUNCHLIST_CONFIG"):
        load(tmp_path, {"PUNCHLIST_CONFIG": "conf/missing.toml"})


# Together


def signal_file(checks: dict[str, Any]) -> str:
    return json.dumps({"projects": {"app": {"root": ".", "checks": checks}}})


def test_native_beats_older_files_and_each_shadowed_thing_is_named_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        punchlist__toml='ignore = ["/x"]\n[checks.test]\ncommand = "new"\n[engines.tsc]\nenabled = false\n'
        '[templates.jest]\ninclude_regex = "a"\n',
        signal__config__json=signal_file({"test": {"cmd": "old"}, "lint": {"cmd": "lint"}}),
        signalint__config__json=json.dumps({"ignore": ["y"], "engines": {"oxlint": False}}),
    )
    write(
        tmp_path,
        **{"__quiet-shell_SLASH_config__yaml": QUIET},
    )
    config = load(tmp_path, {})
    assert {name: check.command for name, check in config.checks.items()} == {"test": "new", "lint": "lint"}
    assert config.ignore == ("x/**",)
    assert (config.engines["tsc"].enabled, config.engines["oxlint"].enabled) == (False, False)
    assert config.templates["jest"].include_regex == "a"
    shadows = [notice for notice in config.notices if "shadows" in notice]
    assert shadows == [
        'punchlist.toml shadows check "test" of signal.config.json.',
        'punchlist.toml shadows template "jest" of .quiet-shell/config.yaml.',
        'punchlist.toml shadows engine "tsc", "ignore" of signalint.config.json.',
    ]
    assert config.sources == (
        "punchlist.toml",
        "signal.config.json",
        "signalint.config.json",
        ".quiet-shell/config.yaml",
    )


def test_a_signal_config_lists_the_checks_completely_unless_asked(tmp_path: Path) -> None:
    write(tmp_path, signal__config__json=signal_file({"test": {"cmd": "x"}}))
    assert load(tmp_path, {}).discover is False
    write(tmp_path, punchlist__toml="discover = true\n")
    assert load(tmp_path, {}).discover is True


# Changes


def replace_file(path: Path, text: str) -> None:
    path.with_suffix(".new").write_text(text, encoding="utf-8")
    path.with_suffix(".new").replace(path)


def test_a_change_is_seen_at_the_next_call_however_it_is_written(tmp_path: Path) -> None:
    cache = ConfigCache(tmp_path, {})
    assert cache.get().payload == "brief"
    file = tmp_path / "punchlist.toml"
    for payload in ("text", "both", "text", "both"):
        replace_file(file, f'payload = "{payload}"\n')
        assert cache.get().payload == payload
    file.write_text('payload = "structured"\n', encoding="utf-8")
    assert cache.get().payload == "structured"
    file.unlink()
    assert cache.get().payload == "brief"


def test_nothing_is_read_again_while_nothing_changes(tmp_path: Path) -> None:
    cache = ConfigCache(write(tmp_path, punchlist__toml='payload = "text"\n'), {})
    assert cache.get() is cache.get()


def test_a_mistake_is_raised_at_each_call_until_it_is_mended(tmp_path: Path) -> None:
    file = tmp_path / "punchlist.toml"
    file.write_text("payload = 3\n", encoding="utf-8")
    cache = ConfigCache(tmp_path, {})
    for _ in range(2):
        with pytest.raises(Trouble, match=r"punchlist\.toml:1"):
            cache.get()
    config, trouble = cache.get_or_default()
    assert config.payload == "brief"
    assert trouble is not None
    replace_file(file, 'payload = "text"\n')
    assert cache.get().payload == "text"
    assert cache.get_or_default()[1] is None


def test_a_named_file_that_appears_later_is_seen(tmp_path: Path) -> None:
    cache = ConfigCache(tmp_path, {"PUNCHLIST_CONFIG": "late.toml"})
    with pytest.raises(Trouble):
        cache.get()
    write(tmp_path, late__toml='payload = "text"\n')
    assert cache.get().payload == "text"


def test_an_older_file_above_the_root_that_appears_is_seen(tmp_path: Path) -> None:
    root = tmp_path / "app"
    root.mkdir()
    cache = ConfigCache(root, {})
    assert not cache.get().checks
    text = json.dumps({"projects": {"app": {"root": "app", "checks": {"t": {"cmd": "x"}}}}})
    write(tmp_path, signal__config__json=text)
    assert list(cache.get().checks) == ["t"]


def test_an_eslint_configuration_that_appears_beside_signalint_switches_that_engine_on(tmp_path: Path) -> None:
    cache = ConfigCache(write(tmp_path, signalint__config__json="{}"), {})
    assert cache.get().engines["eslint"].enabled is False
    write(tmp_path, eslint__config__mjs="")
    assert cache.get().engines["eslint"].enabled is True


def test_only_what_an_older_file_really_says_is_named_as_shadowed(tmp_path: Path) -> None:
    write(tmp_path, signalint__config__json='{"mcpPayload": "both"}')
    write(tmp_path, punchlist__toml='payload = "text"\nmonorepo_mode = "auto"\n')
    config = load(tmp_path, {})
    assert [notice for notice in config.notices if "shadows" in notice] == [
        'punchlist.toml shadows "mcpPayload" of signalint.config.json.'
    ]


def test_a_file_that_is_nested_without_end_is_told(tmp_path: Path) -> None:
    write(tmp_path, punchlist__toml="a = " + "[" * 50_000)
    with pytest.raises(Trouble, match=r"punchlist\.toml"):
        load(tmp_path, {})


def test_a_yaml_file_whose_aliases_multiply_is_answered_in_a_moment(tmp_path: Path) -> None:
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10) if n else '1'}]\n" for n in range(12))
    write(tmp_path, **{"__quiet-shell_SLASH_config__yaml": f"{levels}templates: {{a: *l11}}\n"})
    with pytest.raises(Trouble, match=r"templates\.a must be a table of settings, not a list"):
        load(tmp_path, {})


def test_a_key_that_is_no_text_is_told(tmp_path: Path) -> None:
    text = "templates:\n  a:\n    description: d\n    include_regex: x\n    tail_paragraphs: 1\n    3: x\n"
    write(tmp_path, **{"__quiet-shell_SLASH_config__yaml": text})
    with pytest.raises(Trouble, match="unknown key"):
        load(tmp_path, {})


def test_a_user_without_a_home_folder_can_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert load(tmp_path, {}) == Config()
    assert find_root(tmp_path, None, {}).path == tmp_path


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("gen", "gen gen/a.ts src/gen/b.ts", "generated gen.ts"),
        ("gen/", "gen/a.ts src/gen/b.ts", "generated"),
        ("/gen", "gen/a.ts", "src/gen/b.ts"),
        ("src/gen", "src/gen src/gen/a/b.ts", "gen x/src/gen"),
        ("./src/gen/**", "src/gen/a", "gen/a"),
        ("*.min.js", "a.min.js x/y/b.min.js", "a.js"),
        ("src/*.ts", "src/a.ts", "src/x/a.ts"),
        ("**/*.snap", "a.snap x/.cache/b.snap", "snap"),
        ("**", "a a/b", ""),
    ],
)
def test_native_ignore_patterns_are_read_as_git_reads_them(tmp_path: Path, pattern: str, yes: str, no: str) -> None:
    ignore = native(tmp_path, f'ignore = ["{pattern}"]\n').ignore
    assert [path for path in yes.split() if not matches(path, ignore)] == []
    assert [path for path in no.split() if matches(path, ignore)] == []


def test_an_ignore_pattern_can_take_back(tmp_path: Path) -> None:
    ignore = native(tmp_path, 'ignore = ["gen", "!gen/keep.ts"]\n').ignore
    assert [matches(path, ignore) for path in ("gen/a.ts", "gen/keep.ts")] == [True, False]


def test_a_file_that_is_broken_anywhere_is_only_ever_told(tmp_path: Path) -> None:
    chance = random.Random(7)
    for _ in range(150):
        text = list(FULL)
        for _ in range(3):
            place = chance.randrange(len(text))
            text[place : place + chance.randrange(8)] = chance.choice(['"', "[", "]", "=", "{", "\\", "\n", "é", ""])
        (tmp_path / "punchlist.toml").write_text("".join(text), encoding="utf-8")
        try:
            load(tmp_path, {}, parsers=["pytest", "vitest", "generic"])
        except Trouble as trouble:
            assert str(trouble).startswith("punchlist.toml:")
