"""The program of the same build: what the package is compared with."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MESHWRIGHT_PROGRAM", ROOT / "target" / "debug" / "meshwright")


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """Each test runs in an empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def program():
    """Runs the program in this folder: exit code, standard output, standard error."""

    def run(*words):
        environment = {**os.environ, "MESHWRIGHT_PROGRESS_SECONDS": "0", "NO_COLOR": "1"}
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout, done.stderr

    return run
