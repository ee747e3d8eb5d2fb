"""Registry rows: Rust's compiler, cargo, its test runners and checkers."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "rustc-json",
        "tools.rustc_json",
        signs=('"reason":"compiler-message"', '"$message_type":"diagnostic"', '"reason":"build-finished"'),
        anchors=(b'"reason":"', b'"$message_type":"'),
        kind="compile",
        formats="cargo and clippy --message-format=json, rustc --error-format=json",
    ),
    Parser(
        "libtest-json",
        "tools.libtest_json",
        signs=('"type": "suite"', '"type":"suite"'),
        anchors=(b'"event": "failed"', b'"event":"failed"', b'"suite"'),
        kind="test",
        formats="JSON events",
    ),
    Parser(
        "cargo-test",
        "tools.libtest",
        commands=("cargo test", "cargo run", "cargo bench", "cargo t", "cargo r", "cargo tarpaulin", "cargo llvm-cov"),
        signs=(" panicked at ", "test result: ", " has overflowed its stack"),
        sign=r"test result: (?:ok|FAILED)\. \d|thread '.*'(?: \(\d+\))? (?:panicked at |has overflowed)",
        anchors=(b"test result: ", b" panicked at ", b"... FAILED", b"failures:", b"---- ", b"running ", b" --- FAILED",
                 b"overflowed its stack", b"fatal runtime error"),
        kind="test",
        formats="pretty, terse, doctests, --nocapture, panics of any Rust program",
        aliases=("libtest", "rust-panic"),
    ),
    Parser(
        "cargo",
        "tools.cargo",
        commands=("cargo", "rustc", "rustdoc", "clippy-driver", "cross", "wasm-pack", "trunk", "maturin"),
        signs=("error[E0", "--> ", "could not compile `", "custom build command for `", "Caused by:"),
        sign=
            r"--> \S.*:\d+:\d+$|error(?:\[E\d{4}\])?: (?:could not compile `|failed to "
            r"|no matching package)|\.rs:\d+:\d+: (?:error|warning)",
        anchors=(b"error[", b"error: ", b"warning: ", b"Caused by:"),
        kind="compile",
        formats="human, short",
        aliases=("rustc", "clippy", "cargo-clippy", "cargo-build"),
    ),
)  # fmt: skip
