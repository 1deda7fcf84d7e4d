#!/usr/bin/env python3
"""The library beside what users would pick instead, on the same problems in one run.

    bench/compare.py --bench build/bench/argmax-cl-bench --filter "cpu flat"

Peers: NumPy, PyTorch (eager, and compiled by torch.compile) and CuPy, those that are installed. On a GPU device PyTorch
runs there, otherwise on the CPU. argmax-cl-bench stays open beside them and measures each problem between the peers'
turns, so that all see the same machine. GB/s counts the same bytes for all (see argmax-cl-bench --help). Answers are
compared with NumPy's; "wrong" names the peers that differ. A peer that lacks a type or an option is left out (-).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CHECK_MOST = 1 << 28  # elements beyond which nobody's answer is compared


class Problem:
    """One line of the problem grammar (tests/problem.h)."""

    def __init__(self, text):
        words = text.split()
        self.text, self.op, self.dtype = text, words[0], words[1]
        self.shape = tuple(int(n) for n in words[2].split("x"))
        pairs = dict(word.split("=", 1) for word in words[3:] if "=" in word)
        self.last, self.value = "last" in words, "value" in words
        self.axes = sorted(int(n) for n in pairs.get("axes", ",".join(map(str, range(len(self.shape))))).split(","))
        self.ignore_nan = pairs.get("nan") == "ignore"
        self.data, self.offset = pairs.get("data", "random"), int(pairs.get("offset", 0))
        packed = [int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape))]
        self.strides = [int(n) for n in pairs["strides"].split(",")] if "strides" in pairs else packed
        reach = [(n - 1) * s for n, s in zip(self.shape, self.strides)]
        if "offset" not in pairs:
            self.offset = -sum(r for r in reach if r < 0)
        self.extent = self.offset + sum(r for r in reach if r > 0) + 1
        self.negative = any(s < 0 for s in self.strides)

    def make(self):
        """The buffer's elements as a flat array; bfloat16 as its bits."""
        random = np.random.default_rng(1)
        kind = "uint16" if self.dtype == "bfloat16" else self.dtype
        size = np.dtype(kind).itemsize
        words = random.integers(0, 1 << 64, (self.extent * size + 7) // 8, dtype=np.uint64)
        floating = self.dtype.startswith(("float", "bfloat"))
        if floating:  # below 2 in magnitude, as in the benchmark
            words &= np.uint64(~sum(1 << (8 * size * i + 8 * size - 2) for i in range(8 // size)) & (1 << 64) - 1)
        flat = words.view(kind)[:self.extent]
        if self.data in ("increasing", "decreasing"):
            flat.sort()
            flat = flat[::-1].copy() if self.data == "decreasing" else flat
        elif self.data == "constant":
            flat[:] = 1
        elif self.data == "ties":
            flat[:] = random.integers(0, 5, self.extent).astype(kind)
        elif self.data in ("nan", "allnan") and floating:
            nan = 0x7fc0 if self.dtype == "bfloat16" else np.nan
            flat[slice(None) if self.data == "allnan" else random.integers(0, self.extent, self.extent // 8)] = nan
        return flat


def reduced_last(p, x, transpose, reshape):
    """What a user does for several axes: the reduced ones last and joined. For one axis: none of it."""
    if len(p.axes) == len(p.shape):
        return reshape(x, (-1,)), 0
    if len(p.axes) == 1:
        return x, p.axes[0]
    kept = [d for d in range(len(p.shape)) if d not in p.axes]
    return reshape(transpose(x, kept + p.axes), [p.shape[d] for d in kept] + [-1]), len(kept)


class NumpyPeer:
    """NumPy, or a module that looks like it (CuPy)."""

    def __init__(self, name="numpy", module=np, finish=lambda: None):
        self.name, self.module, self.finish = name, module, finish

    def prepare(self, p, flat):
        if p.dtype == "bfloat16" or p.last:
            return None
        m = self.module
        on_device = m.asarray(flat)
        x = m.lib.stride_tricks.as_strided(on_device[p.offset:], p.shape, [s * flat.itemsize for s in p.strides])
        search = getattr(m, ("nan" if p.ignore_nan and flat.dtype.kind == "f" else "") + p.op)

        def run():
            y, axis = reduced_last(p, x, m.transpose, m.reshape)
            index = search(y, axis=axis)
            if p.value:
                return index, m.take_along_axis(y, m.expand_dims(index, axis), axis)
            return index
        return run

    def answer(self, result):
        index = result[0] if isinstance(result, tuple) else result
        return np.asarray(index.get() if hasattr(index, "get") else index)

    def seconds(self, run):
        start = time.perf_counter()
        run()
        self.finish()
        return time.perf_counter() - start


class TorchPeer:
    def __init__(self, torch, device, compiled):
        self.torch, self.device, self.compiled = torch, device, compiled
        self.name = "compiled" if compiled else "torch"
        self.flush = torch.zeros(1 << 26, dtype=torch.int32, device=device) if device == "cuda" else None

    def prepare(self, p, flat):
        torch = self.torch
        if p.last or p.ignore_nan or p.negative or p.dtype in ("uint16", "uint32", "uint64"):
            return None
        on_device = torch.from_numpy(flat).to(self.device)
        if p.dtype == "bfloat16":
            on_device = on_device.view(torch.bfloat16)
        x = torch.as_strided(on_device, p.shape, p.strides, p.offset)
        search = torch.argmax if p.op == "argmax" else torch.argmin
        both = torch.max if p.op == "argmax" else torch.min

        def function(x):
            y, axis = reduced_last(p, x, torch.permute, torch.reshape)
            if p.value:
                value, index = both(y, dim=axis)
                return index, value
            return search(y, dim=axis)
        if self.compiled:
            torch._dynamo.reset()
            function = torch.compile(function, dynamic=False)

        def run():
            with torch.no_grad():
                return function(x)
        self.small = on_device.numel() * on_device.element_size() < 256 << 20
        return run

    def answer(self, result):
        return (result[0] if isinstance(result, tuple) else result).cpu().numpy()

    def seconds(self, run):
        torch = self.torch
        if self.device != "cuda":
            start = time.perf_counter()
            run()
            return time.perf_counter() - start
        if self.small:
            self.flush.max()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        return 1e-3 * begin.elapsed_time(end)


def find_peers(names, on_gpu):
    peers = [NumpyPeer()] if not on_gpu else []
    try:
        import torch
        import torch._dynamo
        device = "cuda" if on_gpu else "cpu"
        if not on_gpu or torch.cuda.is_available():
            peers += [TorchPeer(torch, device, compiled) for compiled in (False, True)]
    except ImportError:
        pass
    if on_gpu:
        try:
            import cupy
            peers.append(NumpyPeer("cupy", cupy, cupy.cuda.Device().synchronize))
        except ImportError:
            pass
    return [peer for peer in peers if not names or peer.name in names]


def hurry(on):
    """Give all threads of this process real-time priority, or take it away."""
    policy, priority = (os.SCHED_FIFO, 10) if on else (os.SCHED_OTHER, 0)
    for thread in os.listdir("/proc/self/task"):
        os.sched_setscheduler(int(thread), policy, os.sched_param(priority))


class Bench:
    """argmax-cl-bench, kept open: a problem goes in, a JSON line comes out."""

    def __init__(self, options):
        command = [options.bench, "--problems", "-", "--json", "-", "--seconds", str(options.seconds)]
        command += ["--device", options.device] if options.device else []
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


def reference(p, flat):
    """NumPy's answer, for bfloat16 that of the same numbers in float32."""
    if p.extent > CHECK_MOST or p.last:
        return None
    wide = (flat.astype(np.uint32) << 16).view(np.float32) if p.dtype == "bfloat16" else flat
    plain = Problem(p.text)
    plain.dtype, plain.value = str(wide.dtype), False
    peer = NumpyPeer()
    run = peer.prepare(plain, wide)
    return None if run is None else peer.answer(run())


def compare(p, bench, peers, options):
    flat = p.make()
    right, runs, wrong, failed = reference(p, flat), {}, [], {}
    for peer in peers:
        try:
            run = peer.prepare(p, flat)
            if run is None:
                continue
            got = peer.answer(run())
            peer.seconds(run)
            runs[peer] = run
            if right is not None and not np.array_equal(got.reshape(-1), right.reshape(-1)):
                wrong.append(peer.name)
        except Exception as error:  # a peer that cannot is no reason to stop
            failed[peer.name] = f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}"
    ours, samples = [], {peer.name: [] for peer in runs}
    for _ in range(options.rounds):
        ours.append(bench.measure(p))
        if "failure" in ours[-1]:
            return {**ours[-1], "failure": ours[-1]["failure"]}
        for peer, run in runs.items():
            if options.realtime:
                hurry(True)
            samples[peer.name] += measure_peer(peer, run, options.seconds)
            if options.realtime:
                hurry(False)
    best_round = sorted(ours, key=lambda o: o["gbps"])[len(ours) // 2]
    row = {**best_round, "ratio": statistics.median(o["ratio"] for o in ours), "wrong": wrong, "failed": failed}
    small = row["us_device"] < 1000 and options.wall
    row["compared"] = 1e-3 * row["bytes"] / row["us_wall"] if small else row["gbps"]
    row["peers"] = {name: 1e-9 * row["bytes"] / statistics.median(s) for name, s in samples.items()}
    row["best_peer"] = max(row["peers"], key=row["peers"].get) if row["peers"] else None
    row["to_best"] = row["compared"] / row["peers"][row["best_peer"]] if row["peers"] else None
    return row


def show(row, peers, width):
    if "failure" in row:
        print(f"{row['problem']:<{width}} {row['failure']}", flush=True)
        return
    cells = "".join(f"{row['peers'][peer.name]:9.2f}" if peer.name in row["peers"] else f"{'-':>9}" for peer in peers)
    to_best = f"{row['to_best']:7.2f}" if row["to_best"] else f"{'-':>7}"
    wrong = " wrong: " + ", ".join(row["wrong"]) if row["wrong"] else ""
    wrong += "" if row["ok"] else " argmax_cl IS WRONG"
    print(f"{row['problem']:<{width}} {row['gbps']:9.2f}{row['limit_gbps']:9.2f}{row['ratio']:7.2f}{cells}{to_best}  "
          f"{row['best_peer'] or '-':<9}{row['strategy']}{wrong}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default=os.path.join(HERE, "../build/bench/argmax-cl-bench"))
    parser.add_argument("--problems", default=os.path.join(HERE, "problems.txt"))
    parser.add_argument("--filter", action="append", default=[], help="as argmax-cl-bench")
    parser.add_argument("--device", help="as argmax-cl-bench")
    parser.add_argument("--gpu", action="store_true", help="PyTorch and CuPy on their GPU, NumPy not at all")
    parser.add_argument("--peers", default="", help="comma-separated names; default: all that are installed")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each problem, peer and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wall", action="store_true", help="compare wall times of problems below a millisecond")
    parser.add_argument("--realtime", action="store_true",
                        help="measure at real-time priority (needs root): for a machine with other load")
    parser.add_argument("--json", help="append a JSON line for each problem")
    options = parser.parse_args()
    with open(options.problems, encoding="ascii") as file:
        lines = [line for line in file if line.split("#")[0].strip() and all(f in line for f in options.filter)]
    problems = [Problem(line.split("#")[0].strip()) for line in lines]
    peers, bench = find_peers([n for n in options.peers.split(",") if n], options.gpu), Bench(options)
    width = max([len(p.text) for p in problems] + [7])
    print(f"{'problem':<{width}} {'argmax_cl':>9}{'limit':>9}{'ratio':>7}" + "".join(f"{p.name:>9}" for p in peers) +
          f"{'to best':>7}  {'best peer':<9}strategy   (GB/s)", flush=True)
    worse = 0
    for p in problems:
        row = compare(p, bench, peers, options)
        show(row, peers, width)
        worse += bool(row.get("to_best") and row["to_best"] < 1)
        if options.json:
            with open(options.json, "a", encoding="ascii") as file:
                file.write(json.dumps(row) + "\n")
    bench.process.stdin.close()
    bench.process.wait()
    print(f"{worse} of {len(problems)} problems slower than the best peer")


if __name__ == "__main__":
    main()
