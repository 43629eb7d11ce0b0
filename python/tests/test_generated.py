"""What is made from the Rust files is up to date."""

import subprocess
import sys
from pathlib import Path


def test_generated_files_are_fresh() -> None:
    generate = Path(__file__).parents[1] / "generate.py"
    done = subprocess.run([sys.executable, generate, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
