"""The three older formats are read as their users wrote them."""

import json
from pathlib import Path
from typing import Any

import pytest

from punchlist.model import Trouble
from punchlist.project.config import load
from punchlist.project.older_signal import ADAPTERS
from punchlist.project.records import Step
from punchlist.project.settings import EngineSetting


def signal(folder: Path, checks: dict[str, Any], root: str = ".", **project: Any) -> Path:
    path = folder / "signal.config.json"
    data = {"projects": {"app": {"root": root, "checks": checks, **project}}}
    path.write_text(json.dumps(data, indent=2), encoding="utf-8")
    return path


def test_a_single_check_is_read_with_all_its_fields(tmp_path: Path) -> None:
    signal(
        tmp_path,
        {
            "backend_test": {
                "cmd": "docker exec ${APP_CONTAINER} pytest",
                "cwd": "backend",
                "timeout_ms": 120000,
                "adapter": "pytest",
                "env": {"A": "${B}"},
                "on_failure": "docker logs ${APP_CONTAINER}",
                "strip_path_prefix": "/app/",
            }
        },
    )
    check = load(tmp_path, {"APP_CONTAINER": "secret"}).checks["backend_test"]
    assert check.steps == (Step(name="backend_test", command="docker exec ${APP_CONTAINER} pytest"),)
    assert (check.cwd, check.timeout_s, check.parser, check.env) == ("backend", 120.0, "pytest", {"A": "${B}"})
    assert (check.on_failure, check.strip_path_prefix) == ("docker logs ${APP_CONTAINER}", "/app/")
    assert (check.origin, check.file, check.line, check.base) == (
        "signal.config.json",
        "signal.config.json",
        6,
        tmp_path,
    )
    assert not check.pipeline


def test_a_check_without_time_limit_or_adapter_has_a_minute_and_is_recognised(tmp_path: Path) -> None:
    signal(tmp_path, {"test": {"cmd": "pytest -q"}})
    check = load(tmp_path, {}).checks["test"]
    assert (check.timeout_s, check.parser) == (60.0, None)


def test_a_pipeline_is_read_with_the_fields_of_its_steps(tmp_path: Path) -> None:
    signal(
        tmp_path,
        {
            "full": {
                "steps": [
                    {"name": "clean", "cmd": "rm -rf var/cache/*", "timeout_ms": 30000},
                    {"name": "test", "cmd": "vendor/bin/behat", "adapter": "behat", "env": {"X": "1"}, "cwd": "sub",
                     "on_failure": "tail log", "strip_path_prefix": "/srv/"},
                ],
                "fail_fast": False,
                "timeout_ms": 500,
                "env": {"Y": "2"},
            }
        },
    )  # fmt: skip
    check = load(tmp_path, {}).checks["full"]
    assert (check.pipeline, check.fail_fast, check.timeout_s, check.env) == (True, False, 0.5, {"Y": "2"})
    assert check.steps == (
        Step(name="clean", command="rm -rf var/cache/*", timeout_s=30.0),
        Step(
            name="test",
            command="vendor/bin/behat",
            timeout_s=60.0,
            adapter="behat",
            env={"X": "1"},
            cwd="sub",
            on_failure="tail log",
            strip_path_prefix="/srv/",
        ),
    )


def test_a_pipeline_without_its_own_limit_has_its_steps_together_and_stops_at_a_failure(tmp_path: Path) -> None:
    signal(tmp_path, {"full": {"steps": [{"name": "a", "cmd": "x"}, {"name": "b", "cmd": "y", "timeout_ms": 900000}]}})
    check = load(tmp_path, {}).checks["full"]
    assert (check.pipeline, check.fail_fast, check.timeout_s) == (True, True, 960.0)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_every_adapter_name_is_valid(tmp_path: Path, adapter: str) -> None:
    signal(tmp_path, {"x": {"cmd": "true", "adapter": adapter}})
    assert load(tmp_path, {}, parsers=[]).checks["x"].parser == adapter


def test_there_are_the_22_documented_adapters_and_symfony_log() -> None:
    assert len(set(ADAPTERS)) == 23
    assert "symfony_log" in ADAPTERS


@pytest.mark.parametrize("name", ["test:unit", "web test", "früh", "a/b"])
def test_check_names_that_the_older_server_could_not_run_are_taken(tmp_path: Path, name: str) -> None:
    signal(tmp_path, {name: {"cmd": "true"}})
    assert list(load(tmp_path, {}).checks) == [name]


@pytest.mark.parametrize(
    ("check", "line", "said"),
    [
        ({"cmd": "x", "timout_ms": 3}, 8, 'unknown key "timout_ms". Did you mean "timeout_ms"?'),
        ({"cmd": "x", "fail_fast": True}, 8, 'unknown key "fail_fast"'),
        ({"cmd": ""}, 7, "must be a string that is not empty"),
        ({"cmd": "x", "timeout_ms": 0}, 8, "must be a positive integer in milliseconds, not 0"),
        ({"cmd": "x", "timeout_ms": 1.5}, 8, "must be a positive integer in milliseconds"),
        ({"cmd": "x", "adapter": "pytst"}, 8, 'there is no adapter "pytst". Did you mean "pytest"?'),
        ({"cmd": "x", "env": {"A": 1}}, 8, "must be a table of strings"),
        ({"cmd": "x", "strip_path_prefix": ""}, 8, "must be a string that is not empty"),
        ({"cwd": "x"}, 6, 'needs "cmd" or "steps"'),
        ("pytest", 6, "must be a table of settings"),
        ({"steps": []}, 7, "at least one step"),
        ({"steps": [{"name": "a"}]}, 8, 'step 1 of check "t" needs "name" and "cmd"'),
        ({"steps": [{"name": "a b", "cmd": "x"}]}, 9, "must be letters, digits"),
        ({"steps": [{"name": "a", "cmd": "x"}, {"name": "a", "cmd": "y"}]}, 13, "unique in the check"),
        ({"steps": [{"name": "a", "cmd": "x", "comand": "y"}]}, 11, 'unknown key "comand"'),
        ({"steps": [{"name": "a", "cmd": "x"}], "cmd": "y"}, 13, 'unknown key "cmd"'),
    ],
)
def test_a_mistake_in_a_signal_check_is_told_with_its_line(tmp_path: Path, check: object, line: int, said: str) -> None:
    signal(tmp_path, {"t": check})
    with pytest.raises(Trouble) as raised:
        load(tmp_path, {})
    first = str(raised.value).splitlines()[0]
    assert first.startswith(f"signal.config.json:{line}:")
    assert said in first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"projects": {\n  "a": {}\n}}', 'signal.config.json:2:3: project "a" needs a "root"'),
        ("[]", 'needs "projects"'),
        ('{"project": {}}', 'needs "projects"'),
        ('{\n  "projects": {,\n}', "signal.config.json:2:16: not valid JSON"),
        ('{\n  // ours\n  "projects": {}}', "Comments are not allowed"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_a_signal_file_of_another_shape_is_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "signal.config.json").write_text(text, encoding="utf-8")
    with pytest.raises(Trouble) as raised:
        load(tmp_path, {})
    assert said in str(raised.value)


def test_keys_of_a_project_that_mean_nothing_are_left_alone(tmp_path: Path) -> None:
    signal(tmp_path, {"t": {"cmd": "x"}}, description="ours")
    assert list(load(tmp_path, {}).checks) == ["t"]


def several(tmp_path: Path) -> Path:
    for folder in ("mono/web/src", "mono/api", "elsewhere", "conf"):
        (tmp_path / folder).mkdir(parents=True)
    data = {
        "projects": {
            "all": {"root": "../mono", "checks": {"all": {"cmd": "x"}}},
            "web": {"root": "${BASE}/web", "checks": {"web": {"cmd": "y"}}},
        }
    }
    file = tmp_path / "conf/signal.config.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("root", "checks"),
    [("mono/web/src", ["web"]), ("mono/web", ["web"]), ("mono/api", ["all"]), ("mono", ["all"]), ("elsewhere", [])],
)
def test_the_longest_project_root_that_holds_the_root_is_chosen(tmp_path: Path, root: str, checks: list[str]) -> None:
    environ = {"SIGNAL_CONFIG": str(several(tmp_path)), "BASE": str(tmp_path / "mono")}
    config = load(tmp_path / root, environ)
    assert list(config.checks) == checks
    assert ("no project holds" in " ".join(config.notices)) is not bool(checks)


def test_a_variable_in_a_root_that_is_not_set_matches_nothing(tmp_path: Path) -> None:
    config = load(tmp_path / "mono/web", {"SIGNAL_CONFIG": str(several(tmp_path))})
    assert list(config.checks) == ["all"]


def test_a_signal_config_that_is_missing_is_told_by_its_variable(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="SIGNAL_CONFIG"):
        load(tmp_path, {"SIGNAL_CONFIG": "nowhere.json"})


def test_a_broken_signal_file_above_the_root_is_passed_over_and_said(tmp_path: Path) -> None:
    (tmp_path / "signal.config.json").write_text("{", encoding="utf-8")
    (tmp_path / "app").mkdir()
    config = load(tmp_path / "app", {})
    assert not config.checks
    assert "passed over" in config.notices[0]
    with pytest.raises(Trouble):
        load(tmp_path, {})


# Signalint


def signalint(folder: Path, **data: Any) -> None:
    (folder / "signalint.config.json").write_text(json.dumps(data, indent=2), encoding="utf-8")


def test_keys_left_out_have_that_systems_defaults_but_the_payload(tmp_path: Path) -> None:
    signalint(tmp_path)
    config = load(tmp_path, {})
    assert config.engines == {
        "oxlint": EngineSetting(enabled=True, timeout_s=30),
        "tsc": EngineSetting(enabled=True, timeout_s=60),
        "biome": EngineSetting(enabled=False, timeout_s=30),
        "eslint": EngineSetting(enabled=False, timeout_s=30),
    }
    assert config.ignore == ("node_modules/**", "dist/**", ".signalint/**")
    assert (config.monorepo_mode, config.payload) == ("off", "brief")


@pytest.mark.parametrize("name", ["eslint.config.js", "eslint.config.mts"])
def test_eslint_is_on_where_a_flat_configuration_lies_in_the_root(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("", encoding="utf-8")
    signalint(tmp_path)
    assert load(tmp_path, {}).engines["eslint"].enabled is True
    signalint(tmp_path, engines={"eslint": False})
    assert load(tmp_path, {}).engines["eslint"].enabled is False


def test_every_documented_signalint_key_is_read(tmp_path: Path) -> None:
    signalint(
        tmp_path,
        engines={"oxlint": False, "tsc": False, "biome": {"includeFormatter": True}, "eslint": True},
        ignore=["gen/**"],
        timeoutsMs={"tsc": 1500},
        mcpPayload="structured",
        monorepoMode="strict",
    )
    config = load(tmp_path, {})
    assert [config.engines[e].enabled for e in ("oxlint", "tsc", "biome", "eslint")] == [False, False, True, True]
    assert config.engines["biome"].include_formatter
    assert config.engines["tsc"].timeout_s == 1.5
    assert (config.ignore, config.payload, config.monorepo_mode) == (("gen/**",), "structured", "strict")
    assert load(tmp_path, {"SIGNALINT_MONOREPO_MODE": "auto"}).monorepo_mode == "auto"


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        ({"foo": 1}, 2, 'Unknown configuration field "foo".'),
        ({"engine": {}}, 2, 'Did you mean "engines"?'),
        ({"engines": {"x": True}}, 3, 'Unknown "engines" field "x".'),
        ({"engines": {"tsc": "yes"}}, 3, 'signalint.config.json engine "tsc" must be a boolean.'),
        ({"engines": {"tsc": {"includeFormatter": True}}}, 3, "must be a boolean"),
        ({"engines": {"biome": {"formatter": True}}}, 4, 'Unknown "biome" field "formatter".'),
        ({"engines": {"biome": {"includeFormatter": 1}}}, 4, "must be a boolean"),
        ({"engines": []}, 2, "must be an object"),
        ({"timeoutsMs": {"tsc": 0}}, 3, 'timeout "tsc" must be a positive integer in milliseconds.'),
        ({"timeoutsMs": {"tsc": 1.5}}, 3, "must be a positive integer in milliseconds."),
        ({"timeoutsMs": {"ruff": 5}}, 3, 'Unknown "timeoutsMs" field "ruff".'),
        ({"ignore": "x"}, 2, 'field "ignore" must be an array of non-empty strings.'),
        ({"ignore": [""]}, 2, "non-empty strings"),
        ({"mcpPayload": "brief"}, 2, "must be one of both, text, structured"),
        ({"monorepoMode": True}, 2, "must be one of off, auto, strict"),
    ],
)
def test_a_mistake_in_a_signalint_file_is_told_in_its_own_words(
    tmp_path: Path, data: dict[str, Any], line: int, said: str
) -> None:
    signalint(tmp_path, **data)
    with pytest.raises(Trouble) as raised:
        load(tmp_path, {})
    first = str(raised.value).splitlines()[0]
    assert first.startswith(f"signalint.config.json:{line}:")
    assert said in first


def test_a_signalint_file_that_is_no_object_is_told(tmp_path: Path) -> None:
    (tmp_path / "signalint.config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(Trouble, match="must contain a JSON object"):
        load(tmp_path, {})


# quiet-shell

TEMPLATES = """\
templates:
  jest:
    description: "Jest tests"
    include_regex: "(FAIL|●|✕)"
    tail_paragraphs: 2

  # shown even when it passes
  build-with-stats:
    description: "build"
    include_regex: "(error|warning|built|compiled)"
    tail_paragraphs: 2
    suppress_output_on_success: false
"""


def quiet(folder: Path, text: str) -> None:
    (folder / ".quiet-shell").mkdir(exist_ok=True)
    (folder / ".quiet-shell/config.yaml").write_text(text, encoding="utf-8")


def test_templates_are_read_from_the_folder_or_one_above(tmp_path: Path) -> None:
    quiet(tmp_path, TEMPLATES)
    root = tmp_path / "a/b"
    root.mkdir(parents=True)
    templates = load(root, {}).templates
    assert list(templates) == ["jest", "build-with-stats"]
    assert templates["jest"].include_regex == "(FAIL|●|✕)"
    assert (templates["jest"].line, templates["jest"].file) == (4, str(tmp_path / ".quiet-shell/config.yaml"))
    assert templates["jest"].suppress_output_on_success is None
    assert templates["build-with-stats"].suppress_output_on_success is False


def test_an_older_file_in_the_home_folder_is_the_last_that_is_looked_at(tmp_path: Path) -> None:
    quiet(tmp_path, TEMPLATES)
    root = tmp_path / "home/app"
    root.mkdir(parents=True)
    assert not load(root, {}, home=tmp_path / "home").templates
    quiet(tmp_path / "home", TEMPLATES)
    assert load(root, {}, home=tmp_path / "home").templates


@pytest.mark.parametrize("text", ["", "# nothing\n", "templates:\n", "other: 1\n"])
def test_a_quiet_file_without_templates_gives_none(tmp_path: Path, text: str) -> None:
    quiet(tmp_path, text)
    assert not load(tmp_path, {}).templates


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("templates:\n  a:\n    include_regex: x\n    tail_paragraphs: 1\n", 2, 'template "a" needs description.'),
        (
            "templates:\n  a:\n    description: d\n    include_regex: x\n    tail_paragraphs: -1\n",
            5,
            "a whole number from 0 up",
        ),
        ("templates:\n  a:\n    description: d\n    include_regex: 3\n    tail_paragraphs: 1\n", 4, "must be a string"),
        (
            "templates:\n  a:\n    description: d\n    include_regx: x\n    tail_paragraphs: 1\n",
            4,
            'Did you mean "include_regex"?',
        ),
        ("templates:\n  - a\n", 1, "must be a table of names"),
        ("templates:\n  a: {\n", 3, "not valid YAML"),
        ("templates: !!python/object:os.system {}\n", 1, "not valid YAML"),
        ("- a\n", None, "must be a table"),
    ],
)
def test_a_mistake_in_a_template_is_told_and_not_passed_over(
    tmp_path: Path, text: str, line: int | None, said: str
) -> None:
    quiet(tmp_path, text)
    with pytest.raises(Trouble) as raised:
        load(tmp_path, {})
    first = str(raised.value).splitlines()[0]
    assert first.startswith(f".quiet-shell/config.yaml:{line}:" if line else ".quiet-shell/config.yaml:")
    assert said in str(raised.value)
