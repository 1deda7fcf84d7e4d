#!/usr/bin/env python3
"""check_lists.py ROOT: every strategy has lines of its own in tests/device/lists/strategies.txt."""
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
LIST = "tests/device/lists/strategies.txt"

declared = re.compile(r'const strategy strategy_\w+ = \{"([a-z-]+)"')
names = {name for path in (ROOT / "src/families").glob("*.c") for name in declared.findall(path.read_text())}
if not names:
    sys.exit("no strategies are found in src/families")
missing = sorted(names - set(re.findall(r"strategy=([a-z-]+)", (ROOT / LIST).read_text())))
for name in missing:
    print(f"{LIST}: no problem has strategy={name}")
sys.exit(bool(missing))
