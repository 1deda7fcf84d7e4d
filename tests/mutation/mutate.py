"""Change the code on purpose, a line at a time, and tell which changes the fast tests do not see.

Reports a table of mutants per file, and every survivor; exit status 0 when at least 95 in 100 of the mutants that are
not equivalent are killed, 1 when fewer are, 3 when the time was over before all were judged. Results are kept in
FOLDER: --keep killed runs only what was not killed before, --keep all what was not run."""
import argparse
import json
import math
import os
import re
import sys
from pathlib import Path

from source import choose, mutants_of
from workers import ROOT, judged

# All that decides; what only asks OpenCL and what says so is left out.
HOST_FOLDERS = ("api", "problem", "policy", "families", "runtime")
HOST_LEFT_OUT = ("handle.c", "host.c", "host_arrays.c", "onecall.c", "public.c", "status.c", "device.c",
                 "device_list.c", "fork.c", "dtype.c",
                 "describe.c", "text.c", "program.c", "workspaces.c")
ENOUGH = 0.95
UNFINISHED = 3


def read_equivalents():
    """(file, operator, nth, line's text) -> reason, from equivalent.txt."""
    found = {}
    head = None
    for line in (ROOT / "tests/mutation/equivalent.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            file, operator, text = re.match(r"(.+?) \| ((?:\S to \||.+?)(?: #\d+)?) \| (.+)", line).groups()
            name, _, nth = operator.partition(" #")
            head = (file, name, int(nth or 1), " ".join(text.split()))
        else:
            found[head] = line.strip()
    return found


def draw(options):
    """The mutants of this run: from each file about as many as the square root of what it could have."""
    files = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "kernels").glob("*/*"))]
    if not options.ptx:
        files += [f"src/{folder}/{path.name}" for folder in HOST_FOLDERS
                  for path in sorted((ROOT / "src" / folder).iterdir())
                  if path.suffix == ".c" and path.name not in HOST_LEFT_OUT]
        files.append("src/families/geometry.h")
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


def table(mutants, results, equivalents):
    """A row for each file, and the share that was killed."""
    verdicts = ("killed", "equivalent", "survived")
    rows, total = {}, dict.fromkeys(verdicts, 0)
    for mutant in mutants:
        verdict = results[mutant.key]["verdict"] if mutant.key in results else None
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


def read_options():
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(prog="campaign.sh mutation", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default="build-mutation", help="where to build and to keep results")
    parser.add_argument("--seed", type=int, default=1, help="draws the mutants (default 1)")
    parser.add_argument("--count", type=int, default=240, help="mutants wanted (default 240)")
    parser.add_argument("--file", default="", help="only mutants whose name, FILE:LINE OPERATOR, has this text")
    parser.add_argument("--keep", choices=("killed", "all"), help="results of earlier runs that stand")
    parser.add_argument("--list", action="store_true", help="list the mutants and run nothing")
    parser.add_argument("--device", help="an index or a part of a device's name; otherwise the fastest")
    parser.add_argument("--ptx", action="store_true", help="the inline PTX instead, on a device that takes it")
    parser.add_argument("--equivalents", action="store_true", help="run those of equivalent.txt too")
    parser.add_argument("--random", type=int, default=120, help="random problems for what survives (default 120)")
    parser.add_argument("--jobs", type=int, default=cores, help="mutants judged at once (default: one a core)")
    parser.add_argument("--seconds", type=float, help="end after this time; the rest is for --keep all")
    options = parser.parse_args()
    options.jobs = max(1, options.jobs)
    options.build_jobs = max(2, cores // options.jobs)  # of a worker
    return options


def prepare(folder, options):
    """The environment of all that is run."""
    folder.mkdir(parents=True, exist_ok=True)
    cache = Path(os.environ.setdefault("POCL_CACHE_DIR", str(folder / "pocl")))
    cache.mkdir(parents=True, exist_ok=True)
    for name in ("POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"):  # of older and of newer PoCL
        os.environ.setdefault(name, "2")
    if options.device:
        os.environ["ARGMAX_CL_TEST_DEVICE"] = options.device


def report(mutants, results, equivalents):
    """Prints it; returns the exit status."""
    share = table(mutants, results, equivalents)
    done = [mutant for mutant in mutants if mutant.key in results]
    for mutant in done:
        entry = results[mutant.key]
        if entry["verdict"] == "survived":
            why = equivalents.get(mutant.key)
            print(f"\n{'equivalent' if why else 'SURVIVES'}: {mutant.name}\n    {mutant.text.strip()}\n"
                  f"    {mutant.changed.strip()}" + (f"\n    {why}" if why else f"\n    {entry['by']}"))
    print(f"\nkilled {100 * share:.1f} % of the mutants that are not equivalent")
    if len(done) < len(mutants):
        print(f"{len(done)} of {len(mutants)} mutants judged: go on with --keep all")
        return UNFINISHED
    return 0 if share >= ENOUGH else 1


def main():
    options = read_options()
    mutants = draw(options)
    equivalents = read_equivalents()
    if options.list:
        for mutant in mutants:
            print(f"{mutant.name}\n    {mutant.text.strip()}\n    {mutant.changed.strip()}")
        print(f"{len(mutants)} mutants")
        return 0

    folder = options.folder.resolve()
    prepare(folder, options)
    kept = folder / f"mutants{options.file.replace('/', '_')}.jsonl"
    results = read_results(kept, equivalents, options.keep) if options.keep and kept.exists() else {}
    kept.write_text("".join(json.dumps(entry) + "\n" for entry in results.values()))
    if not options.equivalents:
        results |= {key: {"verdict": "survived", "by": "not run"} for key in equivalents}
    left = [mutant for mutant in mutants if mutant.key not in results]
    with kept.open("a") as log:
        for number, (mutant, (verdict, by), seconds) in enumerate(judged(left, folder, options), 1):
            entry = {"name": mutant.name, "key": mutant.key, "verdict": verdict, "by": by, "seconds": seconds,
                     "changed": mutant.changed.strip()}
            results[mutant.key] = entry
            log.write(json.dumps(entry) + "\n")
            log.flush()
            print(f"{number:4} of {len(left)} {verdict:9} {seconds:6} s  {mutant.name}  {by}", file=sys.stderr,
                  flush=True)
    return report(mutants, results, equivalents)


if __name__ == "__main__":
    sys.exit(main())
