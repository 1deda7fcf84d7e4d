#!/usr/bin/env python3
"""The library beside what users would pick instead, on the same problems in one run.

    bench/compare.py --bench build/bench/argmax-cl-bench --filter "cpu flat"
    bench/compare.py --gpu --problems bench/peers_gpu.txt --limit 200 --json bench/results/h200.jsonl

Peers, those that are installed: on a CPU NumPy, PyTorch (eager, and compiled by torch.compile), OpenCV, ONNX Runtime
and CLBlast; with --gpu PyTorch, CuPy, JAX, and CUB where nvcc is found. argmax-cl-bench stays open beside them and
measures each problem between the peers' turns, so that all see the same machine. GB/s counts the same bytes for all
(see argmax-cl-bench --help). Answers are compared with NumPy's, of the first outputs where all would take too long;
"wrong" names the peers that differ. A peer that lacks a type or an option is left out (-), and so is one that fails.
"""
import argparse
import contextlib
import json
import os
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


def prepare_peers(p, flat, peers):
    """Peer -> what runs the problem once; the names of those with wrong answers; and why others cannot."""
    reference, runs, wrong, failed = Reference(p, flat), {}, [], {}
    for peer in peers:
        try:
            run = peer.prepare(p, flat)
            if run is None:
                continue
            got = peer.answer(run())
            peer.seconds(run)
            if reference.agrees(got) is False:
                wrong.append(peer.name)
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
    runs, wrong, failed = prepare_peers(p, data.want(p.data_key, p.make), peers)
    ours, rates = [], {peer.name: [] for peer in runs}
    for _ in range(options.rounds):
        ours.append(bench.measure(p))
        if "failure" in ours[-1]:
            return ours[-1]
        for peer, run in list(runs.items()):
            if options.realtime:
                hurry(True)
            try:
                seconds = statistics.median(measure_peer(peer, run, options.seconds))
                rates[peer.name].append(1e-9 * ours[-1]["bytes"] / seconds)
            except Exception as error:
                failed[peer.name] = f"{type(error).__name__}: {str(error)[:120]}"
                del runs[peer], rates[peer.name]
            if options.realtime:
                hurry(False)
    small = ours[0]["us_device"] < 1000 and options.wall
    compared = [1e-3 * o["bytes"] / o["us_wall"] if small else o["gbps"] for o in ours]

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
    parser.add_argument("--seconds", type=float, default=0.5, help="for each problem, peer and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=1e9, help="no new problem after so many seconds in all")
    parser.add_argument("--wall", action="store_true", help="compare wall times of problems below a millisecond")
    parser.add_argument("--realtime", action="store_true",
                        help="measure at real-time priority (needs root): for a machine with other load")
    parser.add_argument("--json", help="append a JSON line for each problem")
    options = parser.parse_args()
    with open(options.problems, encoding="ascii") as file:
        lines = [line for line in file if line.split("#")[0].strip() and all(f in line for f in options.filter)]
    problems = [Problem(line.split("#")[0].strip()) for line in lines if " largest" not in line.split("#")[0]]
    start, names, data = time.perf_counter(), [n for n in options.peers.split(",") if n], Recent(3)
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
        worse += bool(row.get("to_best") and row["to_best"] < 1)
        if options.json:
            with open(options.json, "a", encoding="ascii") as file:
                file.write(json.dumps(row) + "\n")
    bench.process.stdin.close()
    bench.process.wait()
    print(f"{worse} of {done} problems slower than the best peer")


if __name__ == "__main__":
    main()
