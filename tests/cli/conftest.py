"""What the tests of the verbs share."""

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder of the test, with no variable that leads elsewhere."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_STATE_HOME", "CODEX_HOME", "COPILOT_HOME", "CLINE_MCP_SETTINGS_PATH"):
        monkeypatch.delenv(name, raising=False)
    return folder
