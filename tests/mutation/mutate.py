"""Change the code on purpose, a line at a time, and tell which changes the fast tests do not see.

Reports a table of mutants per file, and every survivor; exit status 0 when at least 95 in 100 of the mutants that are
not equivalent are killed. Results are kept in FOLDER: --keep killed runs only what was not killed before."""
import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path

from host import HostMutants
from kernels import KernelMutants
from problems import Bench
from source import choose, mutants_of

ROOT = Path(__file__).resolve().parents[2]
HOST_FILES = ("layout.c", "geometry.c", "geometry.h", "geometry_columns.c", "geometry_held.c", "geometry_rows.c",
              "geometry_abreast.c", "options.c", "strategy.c", "check.c", "tensor.c", "structs.c", "plan.c", "buffers.c",
              "kernels.c", "launch.c", "counters.c", "tuning.c", "tuning_file.c")
ENOUGH = 0.95


def read_equivalents():
    """(file, operator, nth, line's text) -> reason, from equivalent.txt."""
    found = {}
    head = None
    for line in (ROOT / "tests/mutation/equivalent.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            file, operator, text = (part.strip() for part in line.split(" | ", 2))
            name, _, nth = operator.partition(" #")
            head = (file, name, int(nth or 1), " ".join(text.split()))
        else:
            found[head] = line.strip()
    return found


def draw(options):
    """The mutants of this run: from each file about as many as the square root of what it could have."""
    files = [f"kernels/{path.name}" for path in sorted((ROOT / "kernels").iterdir())]
    files += [] if options.ptx else [f"src/{name}" for name in HOST_FILES]
    all_of = {file: mutants_of(ROOT, file, options.ptx) for file in files}
    all_of = {file: mutants for file, mutants in all_of.items() if mutants}
    weight = sum(math.sqrt(len(mutants)) for mutants in all_of.values())
    chosen = []
    for file, mutants in all_of.items():
        wanted = max(3, round(options.count * math.sqrt(len(mutants)) / weight))
        chosen += choose(mutants, wanted, options.seed)
    return [mutant for mutant in chosen if options.file in mutant.name]


def read_results(path, equivalents, keep):
    """The last verdict of each mutant that stands."""
    results = {}
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        key = tuple(entry["key"])
        results.pop(key, None)
        if keep == "all" or entry["verdict"] != "survived" or key in equivalents:
            results[key] = entry
    return results


def build(folder):
    """The test programs that kernel mutants run on."""
    settings = ("-DARGMAX_CL_BUILD_TESTS=ON", "-DARGMAX_CL_BUILD_BENCH=OFF", "-DARGMAX_CL_BUILD_EXAMPLES=OFF")
    for command in (("cmake", "-S", ROOT, "-B", folder, *settings),
                    ("cmake", "--build", folder, "--target", "run_problem", "fuzz_problems")):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)


def table(mutants, results, equivalents):
    """A row for each file, and the share that was killed."""
    verdicts = ("killed", "equivalent", "survived")
    rows, total = {}, dict.fromkeys(verdicts, 0)
    for mutant in mutants:
        verdict = results[mutant.key]["verdict"]
        if verdict == "survived" and mutant.key in equivalents:
            verdict = "equivalent"
        if verdict in total:
            rows.setdefault(mutant.file, dict.fromkeys(verdicts, 0))[verdict] += 1
            total[verdict] += 1
    print("| file | mutants | killed | equivalent | surviving |\n|---|---|---|---|---|")
    for file, row in [*rows.items(), ("all", total)]:
        print(f"| {file} | {sum(row.values())} | " + " | ".join(str(row[verdict]) for verdict in verdicts) + " |")
    alive = total["killed"] + total["survived"]
    return total["killed"] / alive if alive else 1.0


def main():
    parser = argparse.ArgumentParser(prog="campaign.sh mutation", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="build-mutation", help="where to build and to keep results")
    parser.add_argument("--seed", type=int, default=1, help="draws the mutants (default 1)")
    parser.add_argument("--count", type=int, default=240, help="mutants wanted (default 240)")
    parser.add_argument("--file", default="", help="only mutants whose name, FILE:LINE OPERATOR, has this text")
    parser.add_argument("--keep", choices=("killed", "all"), help="results of earlier runs that stand")
    parser.add_argument("--list", action="store_true", help="list the mutants and run nothing")
    parser.add_argument("--device", help="an index or a part of a device's name; otherwise the fastest")
    parser.add_argument("--ptx", action="store_true", help="the inline PTX instead, on a device that takes it")
    parser.add_argument("--equivalents", action="store_true", help="run those of equivalent.txt too")
    parser.add_argument("--random", type=int, default=120, help="random problems for what survives (default 120)")
    options = parser.parse_args()
    mutants = draw(options)
    equivalents = read_equivalents()
    if options.list:
        for mutant in mutants:
            print(f"{mutant.name}\n    {mutant.text.strip()}\n    {mutant.changed.strip()}")
        print(f"{len(mutants)} mutants")
        return 0

    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"mutants{options.file.replace('/', '_')}.jsonl"
    results = read_results(kept, equivalents, options.keep) if options.keep and kept.exists() else {}
    device = ("--device", options.device) if options.device else ()
    judges = {}
    with kept.open("a" if options.keep else "w") as log:
        for number, mutant in enumerate(mutants, 1):
            if mutant.key in equivalents and not options.equivalents:
                results[mutant.key] = {"verdict": "survived", "by": "not run"}
            if mutant.key in results:
                continue
            kind = mutant.file.split("/")[0]
            if kind not in judges:
                if kind == "kernels":
                    build(folder / "build")
                judges[kind] = (KernelMutants(Bench(ROOT, (folder / "build").resolve(), device), folder, options)
                                if kind == "kernels" else HostMutants(ROOT, folder, device, options.keep))
            start = time.monotonic()
            verdict, by = judges[kind].judge(mutant)
            seconds = round(time.monotonic() - start, 1)
            entry = {"name": mutant.name, "key": mutant.key, "verdict": verdict, "by": by, "seconds": seconds,
                     "changed": mutant.changed.strip()}
            results[mutant.key] = entry
            log.write(json.dumps(entry) + "\n")
            log.flush()
            print(f"{number:4} {verdict:9} {seconds:6} s  {mutant.name}  {by}", file=sys.stderr)

    share = table(mutants, results, equivalents)
    for mutant in mutants:
        entry = results[mutant.key]
        if entry["verdict"] == "survived":
            why = equivalents.get(mutant.key)
            print(f"\n{'equivalent' if why else 'SURVIVES'}: {mutant.name}\n    {mutant.text.strip()}\n"
                  f"    {mutant.changed.strip()}" + (f"\n    {why}" if why else f"\n    {entry['by']}"))
    print(f"\nkilled {100 * share:.1f} % of the mutants that are not equivalent")
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
