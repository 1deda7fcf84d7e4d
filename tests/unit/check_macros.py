#!/usr/bin/env python3
"""What the host gives kernels (src/families/) is what kernels/options.clh declares, and kernels keep to its conventions.

usage: check_macros.py ROOT [CLANG]
With clang also: each kernel compiles with the defaults alone, and what the page refuses is refused.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
CLANG = sys.argv[2] if len(sys.argv) > 2 and not sys.argv[2].endswith("NOTFOUND") else None
PAGE = ROOT / "kernels/options.clh"
FAMILIES = sorted((ROOT / "kernels/families").glob("*.cl"))

# Options, and a word of the message that refuses them.
REFUSED = [
    ("VEC=3", "VEC is"), ("VEC=32", "VEC is"), ("VEC=32 T=uchar GROUP=2", "VEC is"), ("T=uint8_t", "T is"),
    ("T=float", "T is"), ("IDX_T=ushort", "IDX_T is"), ("IDX_T=long", "IDX_T is"), ("SWAR=2", "boolean"),
    ("TAIL=-1", "boolean"), ("KIND=BOOL", "KIND is"), ("KIND=FLOAT", "MANTISSA"),
    ("KIND=FLOAT MANTISSA=3 T=uchar", "MANTISSA"), ("KIND=FLOAT MANTISSA=10", "MANTISSA"),
    ("MANTISSA=23", "mantissa"), ("KEPT=0", "KEPT"), ("REDUCED=-1", "REDUCED"), ("GROUP=3", "powers of two"),
    ("LANES=2", "LANES"), ("GROUP=2 ACROSS=4", "ACROSS"), ("UNROLL=33", "UNROLL"), ("UNROLL=0", "UNROLL"),
    ("LOADS=0", "LOADS"), ("WIDE=32", "WIDE"), ("SUB_GROUP=8", "SUB_GROUP"),
    ("STEP=3", "STEP"), ("HINT=5 PREFETCH_DISTANCE=64", "HINT"), ("PREFETCH_DISTANCE=64", "a hint"),
    ("PREFETCH_ROW=64", "near"), ("PREFETCH_ROW=64 HINT=1 PREFETCH_DISTANCE=64", "near"), ("LOAD=FAST", "LOAD is"),
    ("SWAR=1", "packed words"), ("SWAR=1 T=uchar VEC=2", "packed words"), ("PANEL=2 GROUP=2", "panel"),
    ("ONE_LAUNCH=1 SPLIT=0", "only parts"), ("SPLIT=1 ATOMIC_PARTIAL=1", "in words"),
    ("SPLIT=1 ONE_LAUNCH=1 ATOMIC_PARTIAL=1 FLAGGED_PARTIAL=1", "ATOMIC_PARTIAL"),
    ("SPLIT=1 ONE_LAUNCH=1 ATOMIC_PARTIAL=1 T=ulong", "ATOMIC_PARTIAL"), ("TAIL=1", "a tail"),
    ("CONTIGUOUS_BATCH=1 LOAD=STRIDED", "batches"),
    ("CONTIGUOUS_BATCH=1 OVERLAP=1", "batches"), ("CONSTANT_STRIDE=1 OVERLAP=1", "overlap"), ("OVERLAP=1 LOAD=ALIGNED", "of one work-item"),
    ("PEEL=1 OVERLAP=1", "single elements"),
    ("LOCAL_INDEX=1", "places"), ("LOCAL_INDEX=1 T=uchar SPLIT=1", "places"),
]

problems = []


def compile_with(kernel, options):
    return subprocess.run(
        [CLANG, "-x", "cl", "-cl-std=CL1.2", "-I", ROOT / "kernels", "--target=spir64", "-Xclang",
         "-finclude-default-header", "-fsyntax-only", "-Wall", "-Wextra", "-Wundef", "-Werror",
         *(f"-D{o}" for o in options.split()), kernel], capture_output=True, text=True)


declared = [name for name in re.findall(r"^#ifndef ([A-Z_]+)\b", PAGE.read_text(), re.M) if not name.endswith("_CLH")]
defaults = re.findall(r"^#ifndef ([A-Z_]+)\b(?<!_CLH).*\n#define ([A-Z_]+) ", PAGE.read_text(), re.M)
always = {*declared, *re.findall(r"^#define ([A-Z_]+)\b", PAGE.read_text(), re.M)}
emitted = set()
for source in (ROOT / "src/families").glob("*.c"):
    text = source.read_text()
    emitted |= set(re.findall(r"-D([A-Z_]+)=", text))
    problems += [f"{source.name}: -D{name} without a value" for name in re.findall(r"-D([A-Z_]+)[^A-Z_=]", text)]
for name in sorted(emitted - set(declared)):
    problems.append(f"kernels/options.clh does not declare {name}, which the host gives")
for name in sorted(set(declared) - emitted):
    problems.append(f"kernels/options.clh declares {name}, which the host never gives")
for name, other in defaults:
    if name != other:
        problems.append(f"kernels/options.clh: the default of {name} is {other}'s")
for name in {n for n in declared if declared.count(n) > 1}:
    problems.append(f"kernels/options.clh declares {name} twice")

for file in sorted((ROOT / "kernels").rglob("*.cl*")):
    if file == PAGE:
        continue
    for number, line in enumerate(file.read_text().split("\n"), 1):
        asked = re.findall(r"^\s*#\s*(?:ifdef|ifndef)\s+(\w+)", line) + re.findall(r"\bdefined\s*\(?\s*(\w+)", line)
        made = re.findall(r"^\s*#\s*(?:define|undef)\s+(\w+)", line)
        problems += [f"{file.relative_to(ROOT)}:{number}: {name} is always defined: #if {name}" for name in asked
                     if line.lstrip().startswith("#") and name in always]
        problems += [f"{file.relative_to(ROOT)}:{number}: {name} is the host's" for name in made
                     if name in always]
for kernel in FAMILIES:
    first = re.search(r'^#include "(.*)"', kernel.read_text(), re.M)
    if not first or first.group(1) != "options.clh":
        problems.append(f"{kernel.relative_to(ROOT)}: options.clh comes first")

if CLANG:
    for kernel in FAMILIES:
        result = compile_with(kernel, "")
        if result.returncode:
            problems.append(f"{kernel.name} does not compile with the defaults alone:\n{result.stderr}")
    for options, word in REFUSED:
        message = compile_with(ROOT / "kernels/families/rows.cl", options).stderr
        if not re.search(rf"error: .*{word}", message):
            problems.append(f"{options} is not refused by a message with \"{word}\":\n{message}")

for problem in problems:
    print(problem)
print(f"check_macros: {len(declared)} macros, {len(problems)} problems")
sys.exit(1 if problems else 0)
