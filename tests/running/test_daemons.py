import pytest

from punchlist.running.daemons import is_daemon


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (
            "/usr/lib/jvm/17/bin/java -Xmx512m -cp /x/gradle.jar org.gradle.launcher.daemon.bootstrap.GradleDaemon 8.5",
            True,
        ),
        (
            "java -cp kotlin-compiler.jar org.jetbrains.kotlin.daemon.KotlinCompileDaemon --daemon-runFilesPath /tmp",
            True,
        ),
        ("node /w/node_modules/typescript/lib/tsserver.js --cancellationPipeName x", True),
        ("node /w/node_modules/nx/src/daemon/server/start.js", True),
        ("/w/node_modules/turbo-linux-64/bin/turbo daemon", True),
        ("bazel(demo) --batch=false", True),
        ("/usr/local/bin/watchman --foreground", True),
        ("/home/me/.cargo/bin/sccache", True),
        ("node /home/me/watchman-demo/server.js", False),
        ("python /src/bazel/test_it.py", False),
        ("node node_modules/.bin/vite", False),
        ("java -jar app.jar", False),
        ("sleep 5", False),
        ("", False),
    ],
)
def test_helpers_are_told_from_what_a_script_left_running(words, known):
    assert is_daemon(words) is known
