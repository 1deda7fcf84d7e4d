"""The examples in Python print what their comments say, five columns behind the start of a comment."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_prints(example):
    pytest.importorskip("pyopencl")
    said = "".join(line + "\n" for line in re.findall(r"(?m)^#     (.*)$", example.read_text()))
    # Isolated: the package that is installed, not a folder of the sources.
    run = subprocess.run([sys.executable, "-I", str(example)], capture_output=True, text=True, check=False)
    assert said and (run.returncode, run.stdout) == (0, said), run.stderr


def test_there_are_some():
    assert EXAMPLES
