"""Checks of Rust, Go, C and C++, .NET, Swift and JVM projects: what their build systems imply."""

import re
from collections.abc import Iterator
from shlex import quote

from punchlist.project.discovery.folder import Folder, Found
from punchlist.project.manifests import toml_of


def cargo(folder: Folder) -> Iterator[Found]:
    """Yield test, lint, check and build of a crate or cargo workspace."""
    if not folder.has("Cargo.toml"):
        return
    data = toml_of(folder.path / "Cargo.toml") or {}
    every = " --workspace" if "workspace" in data and "package" in data else ""
    for name, command in (
        ("test", f"cargo test{every}"),
        ("lint", f"cargo clippy{every} --all-targets"),
        ("check", f"cargo check{every} --all-targets"),
        ("build", f"cargo build{every}"),
    ):
        yield Found(name, f"cargo-{command.split()[1]}", command, "Cargo.toml", "Cargo.toml")


def go(folder: Folder) -> Iterator[Found]:
    """Yield test, lint, vet and build of a module."""
    if not folder.has("go.mod"):
        return
    yield Found("test", "go-test", "go test ./...", "go.mod", "go.mod")
    config = folder.first(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
    if config:
        yield Found("lint", "golangci-lint", "golangci-lint run", config, config)
    yield Found("vet", "go-vet", "go vet ./...", "go.mod", "go.mod")
    yield Found("build", "go-build", "go build ./...", "go.mod", "go.mod")


def cmake(folder: Folder) -> Iterator[Found]:
    """Yield build and test of a CMake project: in a build folder that is configured, else configuring `build` first."""
    text = folder.text("CMakeLists.txt")
    if not re.search(r"^\s*project\s*\(", text, re.M | re.I):
        return
    build = next(
        (n for n in sorted(folder.names) if "build" in n.lower() and (folder.path / n / "CMakeCache.txt").is_file()),
        None,
    )
    steps: tuple[tuple[str, str], ...] = () if build else (("configure", "cmake -S . -B build"),)
    steps += (("build", f"cmake --build {build or 'build'}"),)
    yield _pipeline("build", "cmake-build", steps, "CMakeLists.txt")
    if re.search(
        r"\b(enable_testing|add_test|gtest_discover_tests|catch_discover_tests)\s*\(|include\s*\(\s*CTest", text, re.I
    ):
        steps += (("test", f"ctest --test-dir {build or 'build'} --output-on-failure"),)
        yield _pipeline("test", "ctest", steps, "CMakeLists.txt")


def meson(folder: Folder) -> Iterator[Found]:
    """Yield build and test of a meson project."""
    text = folder.text("meson.build")
    if "project(" not in text:
        return
    build = next((n for n in sorted(folder.names) if (folder.path / n / "meson-private").is_dir()), None)
    steps: tuple[tuple[str, str], ...] = () if build else (("configure", "meson setup build"),)
    yield _pipeline(
        "build", "meson-compile", (*steps, ("build", f"meson compile -C {build or 'build'}")), "meson.build"
    )
    yield _pipeline("test", "meson-test", (*steps, ("test", f"meson test -C {build or 'build'}")), "meson.build")


def _pipeline(name: str, other: str, steps: tuple[tuple[str, str], ...], file: str) -> Found:
    if len(steps) == 1:
        return Found(name, other, steps[0][1], file, file)
    return Found(name, other, "", file, file, steps=steps)


def dotnet(folder: Folder) -> Iterator[Found]:
    """Yield build and test of a solution, else of the projects of one folder."""
    solutions = folder.ending(".sln", ".slnx")
    projects = folder.ending(".csproj", ".fsproj", ".vbproj")
    for file in solutions[:1] or projects[:1]:
        only = "" if len(solutions) + len(projects) == 1 else f" {quote(file)}"
        text = folder.text(file)
        yield Found("build", "dotnet-build", f"dotnet build{only}", file, file)
        if re.search(r"[Tt]est|xunit|nunit", text):
            yield Found("test", "dotnet-test", f"dotnet test{only}", file, file)


def maven(folder: Folder) -> Iterator[Found]:
    """Yield test and build of a Maven project, with its own wrapper where it has one."""
    if folder.has("pom.xml"):
        maven = "./mvnw" if folder.has("mvnw") else "mvn"
        yield Found("test", "maven-test", f"{maven} -B test", "pom.xml", "pom.xml")
        yield Found("build", "maven-build", f"{maven} -B package -DskipTests", "pom.xml", "pom.xml")


def gradle(folder: Folder) -> Iterator[Found]:
    """Yield test, check and build of a Gradle root, with its own wrapper where it has one."""
    file = folder.first("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
    if file is None:
        return
    gradle = "./gradlew" if folder.has("gradlew") else "gradle"
    for name, task in (("test", "test"), ("check", "check"), ("build", "assemble")):
        yield Found(name, f"gradle-{task}", f"{gradle} --console=plain {task}", file, file)


def swift(folder: Folder) -> Iterator[Found]:
    """Yield build, test and lint of a Swift package."""
    if not folder.has("Package.swift"):
        return
    yield Found("build", "swift-build", "swift build", "Package.swift", "Package.swift")
    if folder.has("Tests"):
        yield Found("test", "swift-test", "swift test", "Package.swift", "Package.swift")
    if folder.has(".swiftlint.yml"):
        yield Found("lint", "swiftlint", "swiftlint lint", ".swiftlint.yml", ".swiftlint.yml")


def others(folder: Folder) -> Iterator[Found]:
    """Yield checks of sbt, Haskell, Zig and Dune projects."""
    for marker, name, other, command in (
        ("build.sbt", "test", "sbt-test", "sbt test"),
        ("build.sbt", "build", "sbt-compile", "sbt compile"),
        ("stack.yaml", "test", "stack-test", "stack test"),
        ("stack.yaml", "build", "stack-build", "stack build"),
        ("cabal.project", "test", "cabal-test", "cabal test all"),
        ("cabal.project", "build", "cabal-build", "cabal build all"),
        ("build.zig", "build", "zig-build", "zig build"),
        ("dune-project", "build", "dune-build", "dune build"),
        ("dune-project", "test", "dune-test", "dune test"),
    ):
        if folder.has(marker):
            yield Found(name, other, command, marker, marker)
