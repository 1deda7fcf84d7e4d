#!/usr/bin/env python3
"""The library beside what users would pick instead, on the same problems in one run.

    bench/compare.py --bench build/bench/argmax-cl-bench --filter "cpu flat"
    bench/compare.py --gpu --problems bench/peers_gpu.txt --limit 200 --json bench/results/h200.jsonl

    bench/compare.py --gpu --random 200 --seed 1 --bytes 64M..512M --peers torch,compiled,cub

--random takes problems that argmax-cl-bench draws, with the same options, and the naive kernel among the peers; a peer
has --patience seconds for each, and a problem on which one is faster is measured twice more.

Peers, those that are installed: on a CPU NumPy, PyTorch (eager, and compiled by torch.compile), OpenCV, ONNX Runtime
and CLBlast; with --gpu PyTorch, CuPy, JAX, and CUB where nvcc is found. argmax-cl-bench stays open beside them and
measures each problem between the peers' turns, so that all see the same machine. GB/s counts the same bytes for all
(see argmax-cl-bench --help). Answers are compared with NumPy's, of the first outputs where all would take too long;
"wrong" names the peers that differ. A peer that lacks a type or an option is left out (-), and so is one that fails.
"""
import argparse
import contextlib
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time

from peers import find_peers
from peers.problem import Problem, Recent, Reference

HERE = os.path.dirname(os.path.abspath(__file__))


def hurry(on):
    """Give all threads of this process real-time priority, or take it away; some may end meanwhile."""
    policy, priority = (os.SCHED_FIFO, 10) if on else (os.SCHED_OTHER, 0)
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setscheduler(int(thread), policy, os.sched_param(priority))


class Bench:
    """argmax-cl-bench, kept open: a problem goes in, a JSON line comes out."""

    def __init__(self, options):
        command = [options.bench, "--problems", "-", "--json", "-", "--seconds", str(options.seconds)]
        command += ["--survey"] if options.random else []
        command += ["--device", options.device] if options.device else []
        command += ["--commit", options.commit] if options.commit else []
        before = (lambda: hurry(True)) if options.realtime else None
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        preexec_fn=before)

    def measure(self, problem):
        self.process.stdin.write(problem.text + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("argmax-cl-bench ended early")
        return json.loads(line)


def measure_peer(peer, run, seconds):
    samples, start = [], time.perf_counter()
    while len(samples) < 3 or time.perf_counter() - start < seconds:
        samples.append(peer.seconds(run))
        if len(samples) == 1 and samples[0] > 2 or time.perf_counter() - start > 20 * seconds + 5:
            break
    return samples


@contextlib.contextmanager
def patience(seconds):
    """TimeoutError after so many seconds; 0: never."""
    def ring(*_):
        raise TimeoutError(f"longer than {seconds:g} s")
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# With --random NumPy looks at so many elements for each problem, and at answers that are at most so many.
LOOKED_AT = 1 << 22


def prepare_peers(p, flat, peers, options):
    """Peer -> what runs the problem once; the names of those with wrong answers; and why others cannot."""
    reference, runs, wrong, failed = Reference(p, flat, LOOKED_AT if options.random else Reference.MOST), {}, [], {}
    outputs = math.prod(p.shape[d] for d in p.kept)
    for peer in peers:
        try:
            with patience(options.patience):
                run = peer.prepare(p, flat)
                if run is None:
                    continue
                result = run()
                if not options.random or reference.right is not None and outputs <= 16 * LOOKED_AT:
                    if reference.agrees(peer.answer(result)) is False:
                        wrong.append(peer.name)
                del result
                peer.seconds(run)
            runs[peer] = run
        except Exception as error:  # a peer that cannot is no reason to stop
            failed[peer.name] = f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}"
    return runs, wrong, failed


# A peer that is so much faster than the memory has not read all of the input. Caches do not explain it from here on.
IMPOSSIBLE = 1.5
BEYOND_CACHES = 1 << 30


def leave_out_impossible(row):
    for name, share in list(row["peers_ratio"].items()):
        if row["bytes"] >= BEYOND_CACHES and share > IMPOSSIBLE:
            row["failed"][name] = f"{row['peers'][name]:.0f} GB/s, {share:.1f} times the read limit: not all was read"
            del row["peers"][name], row["peers_ratio"][name]


def compare(p, bench, peers, data, options):
    runs, wrong, failed = prepare_peers(p, data.want(p.data_key, p.make), peers, options)
    ours, rates = [], {peer.name: [] for peer in runs}

    def one_is_faster():
        return any(rate and rate[0] > ours[0]["gbps"] for rate in rates.values())
    while len(ours) < options.rounds or options.random and len(ours) < 3 and one_is_faster():
        ours.append(bench.measure(p))
        if "failure" in ours[-1]:
            return ours[-1]
        for peer, run in list(runs.items()):
            if options.realtime:
                hurry(True)
            try:
                with patience(options.patience):
                    seconds = statistics.median(measure_peer(peer, run, options.seconds))
                rates[peer.name].append(1e-9 * ours[-1]["bytes"] / seconds)
            except Exception as error:
                failed[peer.name] = f"{type(error).__name__}: {str(error)[:120]}"
                del runs[peer], rates[peer.name]
            if options.realtime:
                hurry(False)
    small = ours[0]["us_device"] < 1000 and options.wall
    compared = [1e-3 * o["bytes"] / o["us_wall"] if small else o["gbps"] for o in ours]
    if options.random:
        rates["naive"] = [1e-3 * o["bytes"] / o["us_naive"] for o in ours]

    def middle(values):
        return round(statistics.median(values), 4)

    # Shares are taken round by round: the machine's bandwidth may drift in between.
    row = {**sorted(ours, key=lambda o: o["gbps"])[len(ours) // 2], "ratio": middle([o["ratio"] for o in ours]),
           "wrong": wrong, "failed": failed, "versions": {peer.name: peer.version for peer in runs},
           "compared": middle(compared), "peers": {name: middle(all_rates) for name, all_rates in rates.items()},
           "peers_ratio": {name: middle([rate / o["limit_gbps"] for rate, o in zip(all_rates, ours)])
                           for name, all_rates in rates.items()}}
    leave_out_impossible(row)
    to_peer = {name: middle([c / rate for c, rate in zip(compared, rates[name])]) for name in row["peers"]}
    row["best_peer"] = min(to_peer, key=to_peer.get) if to_peer else None
    row["to_best"] = to_peer.get(row["best_peer"])
    return row


def show(row, peers, width):
    if "failure" in row:
        print(f"{row['problem']:<{width}} {row['failure']}", flush=True)
        return
    cells = "".join(f"{row['peers'][peer.name]:12.2f}" if peer.name in row["peers"] else f"{'-':>12}" for peer in peers)
    to_best = f"{row['to_best']:7.2f}" if row["to_best"] else f"{'-':>7}"
    wrong = " wrong: " + ", ".join(row["wrong"]) if row["wrong"] else ""
    wrong += " argmax_cl IS WRONG" if row["ok"] is False else ""
    wrong += " failed: " + ", ".join(row["failed"]) if row["failed"] else ""
    print(f"{row['problem']:<{width}} {row['gbps']:9.2f}{row['limit_gbps']:9.2f}{row['ratio']:7.2f}{cells} {to_best}  "
          f"{row['best_peer'] or '-':<12}{row['strategy']}{wrong}", flush=True)


def problem_lines(options):
    """The problems to measure, without their comments."""
    if options.random:
        command = [options.bench, "--print", "--random", str(options.random)] + ["--wide"] * options.wide
        for name in ("seed", "bytes", "dtypes"):
            if getattr(options, name):
                command += ["--" + name, getattr(options, name)]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    else:
        with open(options.problems, encoding="ascii") as file:
            lines = list(file)
    texts = [(line.split("#")[0].strip(), line) for line in lines]
    return [text for text, line in texts if text and all(f in line for f in options.filter) and " largest" not in text]


def share_data(problems):
    """One input for all problems of a type, and these one after another, so that it is made once."""
    problems.sort(key=lambda p: p.dtype)
    for p in problems:
        p.share(max(other.extent for other in problems if other.dtype == p.dtype))


def percentiles(values):
    values = sorted(values)
    return "  ".join(f"{name} {values[min(len(values) - 1, int(share * len(values)))]:.3f}" for name, share in
                     (("worst", 0), ("1 %", 0.01), ("5 %", 0.05), ("10 %", 0.1), ("25 %", 0.25), ("50 %", 0.5)))


def summarise(rows):
    """Ratios of ours and of each peer, and ours beside each and beside the best of them."""
    rows = [r for r in rows if "failure" not in r]
    if not rows:
        return
    print(f"argmax_cl     {len(rows):4} problems; of the limit: {percentiles([r['ratio'] for r in rows])}")
    for name in dict.fromkeys(n for r in rows for n in r["peers"]):
        those = [r for r in rows if name in r["peers"]]
        print(f"{name:<13} {len(those):4} problems; of the limit: "
              f"{percentiles([r['peers_ratio'][name] for r in those])}; wrong: {sum(name in r['wrong'] for r in those)}")
        faster(name, those, [r["compared"] / r["peers"][name] for r in those])
    for what, left_out in (("best of all", ()), ("best but naive", ("naive",))):
        those = [r for r in rows if any(n not in left_out for n in r["peers"])]
        if those:
            faster(what, those, [r["compared"] / max(v for n, v in r["peers"].items() if n not in left_out)
                                 for r in those])


def faster(name, rows, shares):
    mean = math.exp(statistics.mean(math.log(s) for s in shares))
    print(f"  argmax_cl to {name}: {mean:.3f} times as fast (geometric mean), worst {min(shares):.3f}; "
          f"more than 2 % behind on {sum(s < 0.98 for s in shares)} of {len(shares)}")
    for share, row in sorted(zip(shares, rows), key=lambda pair: pair[0])[:10]:
        if share < 0.98:
            print(f"    {share:.3f} {row['strategy']:<18} {row['problem']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default=os.path.join(HERE, "../build/bench/argmax-cl-bench"))
    parser.add_argument("--problems", default=os.path.join(HERE, "problems.txt"))
    parser.add_argument("--filter", action="append", default=[], help="as argmax-cl-bench")
    parser.add_argument("--device", help="as argmax-cl-bench")
    parser.add_argument("--commit", help="as argmax-cl-bench")
    parser.add_argument("--gpu", action="store_true", help="the peers on an NVIDIA GPU instead of those on the CPU")
    parser.add_argument("--cub", metavar="FILE",
                        help="bench/peers/cub_argmax.cu as a compiled library, to save the time")
    parser.add_argument("--peers", default="", help="comma-separated names; default: all that are installed")
    parser.add_argument("--seconds", type=float, help="for each problem, peer and round; default: 0.5, --random: 0.1")
    parser.add_argument("--rounds", type=int, help="default: 3, with --random 1")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="problems to draw")
    parser.add_argument("--survey", action="store_true", help="the problems of --problems as --random does")
    parser.add_argument("--seed", help="as argmax-cl-bench")
    parser.add_argument("--bytes", help="as argmax-cl-bench")
    parser.add_argument("--dtypes", help="as argmax-cl-bench")
    parser.add_argument("--wide", action="store_true", help="as argmax-cl-bench")
    parser.add_argument("--patience", type=float, help="seconds for a peer to compile or measure a problem, 0: any; "
                        "default: 0, with --random 30")
    parser.add_argument("--limit", type=float, default=1e9, help="no new problem after so many seconds in all")
    parser.add_argument("--wall", action="store_true", help="compare wall times of problems below a millisecond")
    parser.add_argument("--realtime", action="store_true",
                        help="measure at real-time priority (needs root): for a machine with other load")
    parser.add_argument("--json", help="append a JSON line for each problem")
    options = parser.parse_args()
    problems = [Problem(line) for line in problem_lines(options)]
    options.random = options.random or options.survey
    if options.random:
        share_data(problems)
    options.seconds = options.seconds or (0.1 if options.random else 0.5)
    options.rounds = options.rounds or (1 if options.random else 3)
    options.patience = options.patience if options.patience is not None else 30 if options.random else 0
    start, names, data = time.perf_counter(), [n for n in options.peers.split(",") if n], Recent(3)
    rows = []
    peers, bench = find_peers(names, options.gpu, options.device, options.cub), Bench(options)
    width = max([len(p.text) for p in problems] + [7])
    print(f"{'problem':<{width}} {'argmax_cl':>9}{'limit':>9}{'ratio':>7}" + "".join(f"{p.name:>12}" for p in peers) +
          f" {'to best':>7}  {'best peer':<12}strategy   (GB/s)", flush=True)
    worse = done = 0
    for p in problems:
        if time.perf_counter() - start > options.limit:
            print(f"the time is up: {len(problems) - done} problems were not measured")
            break
        row, done = compare(p, bench, peers, data, options), done + 1
        show(row, peers, width)
        rows.append(row)
        worse += bool(row.get("to_best") and row["to_best"] < 1)
        if options.json:
            with open(options.json, "a", encoding="ascii") as file:
                file.write(json.dumps(row) + "\n")
    bench.process.stdin.close()
    bench.process.wait()
    print(f"{worse} of {done} problems slower than the best peer")
    if options.random:
        summarise(rows)


if __name__ == "__main__":
    main()
