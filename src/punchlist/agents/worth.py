"""Which programs are worth a punch list: those that test, lint, check types, compile, build or format, and then end."""

import re
from collections.abc import Sequence

from punchlist.reading.command import Invocation, Scripts, bare, understand

KINDS = frozenset({"test", "lint", "types", "compile", "build", "format"})


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


# Known to the reading stage, but run for what they do or print.
OTHERS = word_set(
    "node nodejs tsx ts-node babel-node vite-node link cl ld ld.lld coverage python pypy py ipython perl php lua luac"
    " ruby luajit scala scala-cli erl escript elixir elixirc bash sh zsh dash ksh git m nuget cpack javadoc composer"
    " podman docker-compose kubectl ansible ansible-playbook jq nginx nmake devenv mvnDebug"
)
# They do not end by themselves.
LIVE = word_set("nodemon concurrently run-p npm-run-all wireit sphinx-autobuild webpack-dev-server ccmake")
# No check in any project, so that neither the registry nor a configuration has to be read to know.
PLAIN = word_set(
    "ls cat cd pwd echo printf git gh grep rg find sed awk head tail wc sort uniq cut tr cp mv rm mkdir touch chmod"
    " which type env export source . true false test [ sleep date diff tree du df ps kill curl wget tar unzip jq less"
    " xargs ssh scp rsync apt apt-get brew pip pip3 uv docker kubectl psql sqlite3 node python python3 open code vim"
)
# Only with one of these words behind it (options between passed over); "" is the bare program.
SUBCOMMANDS: dict[str, frozenset[str]] = {
    "cargo": word_set("test t check c build b clippy fmt nextest bench doc llvm-cov tarpaulin audit deny"),
    "cross": word_set("test check build clippy"),
    "go": word_set("test build vet"),
    "richgo": word_set("test"),
    "deno": word_set("test lint check fmt"),
    "bun": word_set("test"),
    "hatch": word_set("test fmt"),
    "ruff": word_set("check format"),
    "biome": word_set("check lint format ci"),
    "rome": word_set("check format ci"),
    "ultracite": word_set("check lint format"),
    "dmypy": word_set("run check recheck"),
    "manage.py": word_set("test check"),
    "django-admin": word_set("test check"),
    "rails": word_set("test test:system test:all zeitwerk:check"),
    "artisan": word_set("test"),
    "mkdocs": word_set("build"),
    "next": word_set("build lint"),
    "react-scripts": word_set("test build"),
    "craco": word_set("test build"),
    "vite": word_set("build"),
    "vue-cli-service": word_set("build lint test:unit test:e2e"),
    "astro": word_set("build check"),
    "nuxt": word_set("build typecheck"),
    "nuxi": word_set("build typecheck"),
    "svelte-kit": word_set("build"),
    "storybook": word_set("build"),
    "expo": word_set("lint"),
    "ng": word_set("build lint"),
    "rsbuild": word_set("build"),
    "playwright": word_set("test"),
    "playwright-test": word_set("test"),
    "cypress": word_set("run"),
    "hardhat": word_set("test compile"),
    "pre-commit": word_set("run"),
    "prek": word_set("run"),
    "sqlfluff": word_set("lint fix format"),
    "golangci-lint": word_set("run fmt"),
    "meson": word_set("setup compile test"),
    "bazel": word_set("build test coverage"),
    "bazelisk": word_set("build test coverage"),
    "dotnet": word_set("test build format"),
    "swift": word_set("test build"),
    "zig": word_set("build test cc c++"),
    "mix": word_set("test compile format credo dialyzer"),
    "flutter": word_set("test analyze build"),
    "dart": word_set("test analyze"),
    "stack": word_set("test build"),
    "cabal": word_set("test build"),
    "wasm-pack": word_set("build test"),
    "trunk": word_set("build"),
    "maturin": word_set("build develop"),
    "terraform": word_set("validate fmt"),
    "helm": word_set("lint"),
    "docker": word_set("build"),
    "buf": word_set("lint build breaking"),
    "swiftlint": word_set("lint"),
    "tofu": word_set("validate fmt"),
    "rebar3": word_set("eunit ct compile dialyzer xref"),
    "ansible-test": word_set("sanity units integration"),
}
# Without one of these options they print a file's new text, or they watch, or they read their input.
NEEDS: dict[str, frozenset[str]] = {
    "prettier": word_set("--check -c --write -w --list-different -l"),
    "gofmt": word_set("-l -w"),
    "goimports": word_set("-l -w"),
    "gofumpt": word_set("-l -w"),
    "clang-format": word_set("-i --dry-run -n"),
    "autopep8": word_set("-i --in-place"),
    "yapf": word_set("-i --in-place"),
    "docformatter": word_set("-i --in-place --check -c"),
    "esbuild": word_set("--outfile --outdir"),
    "babel": word_set("-o --out-file -d --out-dir"),
    "swc": word_set("-o --out-file -d --out-dir"),
    "karma": word_set("--single-run"),
    "commitlint": word_set("--from --last --edit -e -f -l"),
}
# Programs whose words are names of targets: these parts of a name tell what a target is for.
TARGETS = word_set(
    "make gmake bmake mingw32-make scons just task rake mvn gradle sbt ant poe invoke inv nox-s turbo nx lerna mage"
)
RUNNERS = word_set("npm pnpm yarn bun composer")
GOOD_NAMES = word_set(
    "test tests lint linter typecheck types tsc check checks build compile format fmt e2e unit spec specs coverage ci"
    " verify validate eslint prettier integration all package assemble analyze analyse vet clippy pytest jest"
    " mypy ruff style"
)
LIVE_NAMES = word_set(
    "watch dev serve server start ui open preview run up down logs shell repl deploy release publish clean"
    " install graph tree tasks help dependencies properties init migrate seed push"
)
# Options by which a program tells something, waits for somebody, or never ends.
TELLS = word_set(
    "--version --help --init --listTests --list-tests --list --collect-only --co --fixtures --markers --print-config"
    " --showConfig --show-config --showconfig --listFiles --listFilesOnly --show-settings --show-files --diff --dry-run"
    " --explain --watch --watchAll --ui --pdb --trace --interactive --stdin --setup-plan --print --serve --debug-server"
    " -list --just-print --question --list-msgs --env-info --support-info --usage --debug-brk --headed --repl"
)
TELLS_AS = re.compile(r"--(?:stdin|inspect|watch|dump|print|list|completion)[-a-zA-Z]*(?:=.*)?$|-dump|-print-")
FALSE = re.compile(r"--watch(?:All)?=(?:false|0|no)$")
SHORT: dict[str, frozenset[str]] = {
    "-w": word_set("tsc vue-tsc tsgo mocha ava rollup webpack rspack babel tsup swc tspc glint"),
    "-h": word_set(""),  # help nearly everywhere: see `_tells`
    "-V": word_set(""),
    "-E": word_set("gcc g++ clang clang++ cmake"),
    "-M": word_set("gcc g++ clang clang++"),
    "-MM": word_set("gcc g++ clang clang++"),
    "-###": word_set("gcc g++ clang clang++"),
    "-n": word_set("make gmake just ninja"),
    "-N": word_set("ctest"),
    "-t": word_set("ninja"),
    "-l": word_set("tox nox"),
    "-p": word_set("make gmake"),
    "-d": word_set("gofmt goimports gofumpt"),
    "-P": word_set("cmake"),
    "-T": word_set("rake"),
}
V_IS_VERSION = word_set("tsc eslint jest prettier mvn gradle vitest stylelint webpack vite rollup rspec make ng")
ALWAYS_SHORT = frozenset({"-h", "-V"})
USED_OTHERWISE = {"-h": word_set("stylelint"), "-V": word_set("ctest rspec")}
# Wrappers that ask for somebody, detach, or want the bytes for themselves.
WRAPPED_BADLY = word_set("sudo nohup strace unbuffer bear rtk setsid watch exec command catchsegv")


def worth(text: str, scripts: Scripts | None = None) -> bool:
    """Tell whether a simple command (no operators) is the project's test, lint, build and the like, and will end.

    `scripts` finds what `npm run x` stands for; where it cannot, the script's name decides.
    """
    found = understand(text, scripts)
    verdicts = [verdict(one) for one in found]
    opaque = len(found) > 1 and _runner(found[0]) and verdicts[0]
    return False not in verdicts and (any(verdicts) or bool(opaque))


def verdict(one: Invocation) -> bool | None:
    """True for a check, False for what must be left alone, None for a program that is neither."""
    program, words = one.program, one.words[1:]
    if _bad_way(one) or program == "punchlist" or _tells(program, words):
        return False
    if _runner(one):
        return _by_script(program, words)
    if program in TARGETS:
        return _by_targets(program, words)
    program, words = _php_and_python(program, tuple(words))
    if program in ("react-scripts", "craco") and "test" in words and not any(map(FALSE.match, words)):
        return False  # they watch
    if program in SUBCOMMANDS:
        return _subcommand(program, words) in SUBCOMMANDS[program]
    if program in LIVE:
        return False
    if program in OTHERS:
        return _is_node_test(program, words)
    if program in NEEDS and not any(word.split("=")[0] in NEEDS[program] for word in words):
        return False
    if program in SIMPLE or program in NEEDS:
        return True
    return None if program in PLAIN else _by_registry(one)


def _is_node_test(program: str, words: Sequence[str]) -> bool | None:
    return True if program in ("node", "nodejs", "tsx") and "--test" in words else None


def _by_registry(one: Invocation) -> bool | None:
    """Ask the reading stage's registry, whose import is not for nothing."""
    from punchlist.reading.recognise import by_command
    from punchlist.reading.registry import infrastructure, other_languages

    # Parsers of what operates things: their programs count only where they are named here.
    others = {parser.name for parser in (*infrastructure.PARSERS, *other_languages.PARSERS)}
    kinds = {found.parser.kind for found in by_command([one]) if found.parser.name not in others}
    return True if kinds & KINDS else None


# Linters and checkers that end by themselves, whether or not the reading stage knows their output by name.
SIMPLE = word_set(
    "pytest mypy jest vitest tsc vue-tsc eslint oxlint flake8 pylint pyright basedpyright ty black isort rspec phpunit"
    " mocha unittest stylelint webpack ctest ninja gcc g++ clang clang++ rustc javac tox nox bandit codespell"
    " shellcheck hadolint tflint actionlint kubeconform rubocop reek brakeman standardrb erb_lint phpstan psalm phpcs"
    " php-cs-fixer ktlint detekt swiftlint luacheck checkmake proselint vale markdownlint-cli2 dialyzer credo"
    " flow ember-template-lint lychee typos taplo editorconfig-checker yamlfmt-check bats shellspec busted ginkgo"
    " prove protoc kubeval dotenv-linter yamllint ansible-lint swiftc erlc dartanalyzer busted eunit jsonlint"
    " cppcheck cpplint iwyu infer semgrep pytype pydoclint refurb perflint deptry import-linter lint-imports darglint"
)


def _bad_way(one: Invocation) -> bool:
    return any(via.split()[0] in WRAPPED_BADLY for via in one.via)


def _runner(one: Invocation) -> bool:
    return one.program in RUNNERS and not (one.program == "bun" and one.words[1:2] == ("test",))


def _php_and_python(program: str, words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """`python manage.py test` and `php vendor/bin/phpunit` are `manage.py test` and `phpunit`."""
    if program in ("python", "php", "ruby", "node") and words and not words[0].startswith("-"):
        script = words[0].rsplit("/", 1)[-1]
        name = script if script == "manage.py" else bare(script)
        if name in SIMPLE or name in ("manage.py", "artisan", "rails"):
            return name, words[1:]
    return program, words


def _subcommand(program: str, words: Sequence[str]) -> str:
    valued = {"cargo": ("--manifest-path", "--color", "-C"), "go": ("-C",), "docker": ("--context", "-H")}
    taken = valued.get(program, ())
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in taken:
            skip = True
        elif not word.startswith(("-", "+")):
            return word
    return ""


def _by_script(program: str, words: Sequence[str]) -> bool | None:
    plain = [word for word in words if not word.startswith("-")]
    if any(word in ("-w", "--workspace", "-C", "--prefix", "--filter", "-F", "--dir", "--cwd") for word in words):
        plain = [word for at, word in enumerate(words) if not word.startswith("-") and not _takes(words, at)]
    if not plain:
        return False
    if plain[0] in ("run", "run-script"):
        return named_well(plain[1]) if len(plain) > 1 and "debug" not in plain[1] else False
    if plain[0] == "workspace":
        return named_well(plain[2]) if len(plain) > 2 else False
    if program == "npm":
        return plain[0] in ("test", "t", "tst")
    return named_well(plain[0])


def _takes(words: Sequence[str], at: int) -> bool:
    return at > 0 and words[at - 1] in ("-w", "--workspace", "-C", "--prefix", "--filter", "-F", "--dir", "--cwd")


def _by_targets(program: str, words: Sequence[str]) -> bool | None:
    taken = word_set(
        "-C -f -I -o -W --directory --file -P -pl -D -x -p --project --scope -t --target -F --filter --projects"
    )
    targets = [
        word
        for at, word in enumerate(words)
        if not word.startswith("-")
        and "=" not in word
        and not (at and words[at - 1] in taken)
        and not (at and words[at - 1] in ("-j", "-T", "-l") and word.isdigit())
    ]
    if program in ("turbo", "nx", "lerna"):
        targets += [word for at, word in enumerate(words) if at and words[at - 1] in ("-t", "--target")]
        targets = [target for target in targets if target not in ("run", "run-many", "affected")]
    if not targets:
        return program in ("make", "gmake", "bmake", "mingw32-make", "scons", "ant", "rake")
    names = [target.rsplit(":", 1)[-1] if program == "gradle" else target for target in targets]
    good = [named_well(name) for name in names if name not in ("clean", "-")]
    return all(one or one is None for one in good) and any(good)


def named_well(name: str) -> bool | None:
    """What a script's or a target's name says: True a check, False something that goes on or changes the world."""
    parts = {part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)}
    if parts & LIVE_NAMES:
        return False
    return True if parts & GOOD_NAMES else None


def _tells(program: str, words: Sequence[str]) -> bool:
    if len(words) == 1 and (words[0] == "-version" or (words[0] == "-v" and program in V_IS_VERSION)):
        return True
    own = words[: words.index("--")] if "--" in words and program in TARGETS | RUNNERS else words
    for at, word in enumerate(words):
        if FALSE.match(word):
            continue
        if word in TELLS or (word.startswith("-") and TELLS_AS.match(word)):
            return not _means_else(program, word)
        if word == "-" or (word == "-o" and words[at + 1 : at + 2] in (["-"], ("-",))):
            return True
        if word in SHORT and own is words and _short(program, word):
            return True
    return bool(words) and words[0] in ("help", "watch", "serve", "dev", "start", "preview", "init", "lsp", "server")


def _means_else(program: str, word: str) -> bool:
    """Options that say something else for a program: `black --diff` tells, `phpcs --dry-run` does not."""
    return (program, word) in {
        ("clang-format", "--dry-run"),
        ("php-cs-fixer", "--dry-run"),
        ("prettier", "--list-different"),
        ("eslint", "--debug"),
        ("knip", "--debug"),
        ("rspec", "--dry-run"),
        ("vitest", "--ui"),
    } and word != "--ui"


def _short(program: str, word: str) -> bool:
    if word in ALWAYS_SHORT:
        return program not in USED_OTHERWISE[word]
    return program in SHORT[word]
