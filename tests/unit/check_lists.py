#!/usr/bin/env python3
"""check_lists.py ROOT: every strategy has lines of its own in the lists of problems that are to have each of them."""
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
LISTS = ("kernels", "strategies", "simulated")

declared = re.compile(r'const strategy strategy_\w+ = \{"([a-z-]+)"')
names = {name for path in (ROOT / "src/families").glob("*.c") for name in declared.findall(path.read_text())}
if not names:
    sys.exit("no strategies are found in src/families")
wrong = 0
for title in LISTS:
    text = (ROOT / f"tests/device/lists/{title}.txt").read_text()
    for name in sorted(names - set(re.findall(r"strategy=([a-z-]+)", text))):
        if title != "kernels" or not name.startswith("split-"):  # those have a list to themselves, parts.txt
            print(f"tests/device/lists/{title}.txt: no problem has strategy={name}")
            wrong = 1
sys.exit(wrong)
