"""Checks of Ruby, PHP, Elixir, Deno and Dart projects, and of pre-commit."""

import re
from collections.abc import Iterator
from shlex import quote

from punchlist.project.discovery.folder import Folder, Found, line_in
from punchlist.project.discovery.names import is_check, plain_name, slug
from punchlist.project.manifests import table


def ruby(folder: Folder) -> Iterator[Found]:
    """Yield RSpec, Rails or Rake tests, and RuboCop."""
    if not folder.has("Gemfile", "Rakefile", ".rspec", ".rubocop.yml"):
        return
    gems, rake = folder.text("Gemfile"), folder.text("Rakefile")
    bundle = "bundle exec " if folder.has("Gemfile") else ""
    if folder.has(".rspec") or (folder.has("spec") and "rspec" in gems + rake):
        file = ".rspec" if folder.has(".rspec") else "Gemfile"
        yield Found("test", "rspec", f"{bundle}rspec", file, file)
    elif (folder.path / "bin/rails").is_file() and folder.has("test"):
        yield Found("test", "rails-test", "bin/rails test", "bin/rails", "bin/rails")
    elif re.search(r"TestTask|RSpec::Core|\btask\s*(?:\(\s*)?:test\b|\btask\s+default:\s*:?test", rake):
        yield Found(
            "test", "rake-test", f"{bundle}rake test", "Rakefile", "Rakefile", line_in(rake, r"TestTask|:test\b")
        )
    if folder.has(".rubocop.yml") or re.search(r"""gem\s*\(?\s*["']rubocop""", gems):
        file = ".rubocop.yml" if folder.has(".rubocop.yml") else "Gemfile"
        yield Found("lint", "rubocop", f"{bundle}rubocop", file, file)


def php(folder: Folder) -> Iterator[Found]:
    """Yield composer scripts that are checks, then PHPUnit or Pest, PHPStan, Psalm and PHP-CS-Fixer."""
    composer = folder.json("composer.json")
    text = folder.text("composer.json")
    used = ""
    for script, body in table(composer, "scripts").items():
        commands = (
            [body]
            if isinstance(body, str)
            else [c for c in body if isinstance(c, str)]
            if isinstance(body, list)
            else []
        )
        name = plain_name(script)
        if name and commands and all(is_check(command) for command in commands):
            used += " ".join(commands) + " "
            line = line_in(text, rf'^\s*"{re.escape(script)}"\s*:')
            run = f"composer run-script {quote(script)}"
            says = " ; ".join(commands)
            other = f"composer-{slug(script)}"
            yield Found(name, other, run, "composer.json script", "composer.json", line, True, says=says)
    needed = {**table(composer, "require"), **table(composer, "require-dev")}
    unit = folder.first("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
    if unit and not re.search(r"phpunit|pest", used):
        tool = "pest" if "pestphp/pest" in needed else "phpunit"
        yield Found("test", tool, f"vendor/bin/{tool}", unit, unit)
    for name, tool, command, files in (
        (
            "lint",
            "phpstan",
            "phpstan analyse --no-progress",
            ("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"),
        ),
        ("lint", "psalm", "psalm --no-progress", ("psalm.xml", "psalm.xml.dist")),
        (
            "format-check",
            "php-cs-fixer",
            "php-cs-fixer fix --dry-run --diff",
            (".php-cs-fixer.php", ".php-cs-fixer.dist.php"),
        ),
    ):
        config = folder.first(*files)
        if config and tool not in used:
            yield Found(name, tool, f"vendor/bin/{command}", config, config)


def elixir(folder: Folder) -> Iterator[Found]:
    """Yield test, build, lint and format check of a Mix project."""
    if not folder.has("mix.exs"):
        return
    yield Found("test", "mix-test", "mix test", "mix.exs", "mix.exs")
    yield Found("build", "mix-compile", "mix compile", "mix.exs", "mix.exs")
    if folder.has(".credo.exs") or ":credo" in folder.text("mix.exs"):
        yield Found("lint", "credo", "mix credo", "mix.exs", "mix.exs")
    if folder.has(".formatter.exs"):
        yield Found("format-check", "mix-format", "mix format --check-formatted", ".formatter.exs", ".formatter.exs")


def deno(folder: Folder) -> Iterator[Found]:
    """Yield Deno tasks that are checks, then its own test, lint and type check."""
    file = folder.first("deno.json", "deno.jsonc")
    if file is None:
        return
    text = folder.text(file)
    named: set[str] = set()
    for task, body in table(folder.json(file), "tasks").items():
        command = body.get("command") if isinstance(body, dict) else body
        name = plain_name(task)
        if name and isinstance(command, str) and is_check(command):
            named.add(name)
            line = line_in(text, rf'^\s*"{re.escape(task)}"\s*:')
            yield Found(
                name, f"deno-{slug(task)}", f"deno task {quote(task)}", f"{file} task", file, line, True, says=command
            )
    for name, command in (("test", "deno test"), ("lint", "deno lint"), ("typecheck", "deno check .")):
        if name not in named:
            yield Found(name, command.replace(" ", "-").rstrip("-."), command, file, file)


def dart(folder: Folder) -> Iterator[Found]:
    """Yield analysis and tests of a Dart or Flutter package."""
    text = folder.text("pubspec.yaml")
    if not text:
        return
    tool = "flutter" if re.search(r"sdk:\s*flutter", text) else "dart"
    yield Found("lint", f"{tool}-analyze", f"{tool} analyze", "pubspec.yaml", "pubspec.yaml")
    if folder.has("test"):
        yield Found("test", f"{tool}-test", f"{tool} test", "pubspec.yaml", "pubspec.yaml")


def pre_commit(folder: Folder) -> Iterator[Found]:
    """Yield the hooks of pre-commit over all files (they may mend files, as they do at a commit)."""
    if folder.has(".pre-commit-config.yaml"):
        yield Found(
            "pre-commit",
            "pre-commit",
            "pre-commit run --all-files",
            ".pre-commit-config.yaml",
            ".pre-commit-config.yaml",
        )
