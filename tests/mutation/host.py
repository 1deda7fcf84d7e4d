"""Mutants of the host code: build a copy of the tree anew and run the tests that need no device, then those that do."""
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from problems import code_files, configure, digest, limit_clock, limit_cpu, make

# The tests in the order in which they run: milliseconds first. Programs are those of tests/README.md.
UNIT = ("test_check", "test_problem", "test_counters", "test_geometry", "test_status", "test_tuning", "print_geometry")
DEVICE = ("test_partials", "test_buffers", "test_overlaps", "test_device", "test_plans", "test_events", "test_memory", "test_host",
          "test_stream", "test_forced", "run_problem", "run_faults", "run_limits", "run_stress", "test_layouts", "test_threads")
UNIT_SECONDS, DEVICE_SECONDS = 8, 180  # of the processor; what takes more hangs
PATIENCE = 5  # times as much before kernels are compiled
LAYER = "argmax_cl_test_layer"
LAYERED = ("run_faults", "run_limits")  # what makes OpenCL's calls fail lies below them
SANITIZED = UNIT + ("test_smoke",)  # the sanitizer build of scripts/test.sh runs these
SKIPPED = 77
BLOCKS = ("--route", "host", "--largest-buffer", "4096", "--memory-limit", "16384")
PARTS = ("one_launch", "two_launches", "gpu_one_launch", "gpu_two_launches")


class HostMutants:
    """Those that a worker judges, in a tree and builds of its own."""

    def __init__(self, root, folder, own, options):
        self.root, self.tree = root, own / "tree"
        self.unchanged = folder / f"unchanged-{digest(root, options.device)}.json"
        self.plain, self.sanitized = self.tree / "build", self.tree / "build-asan"
        self.device, self.jobs, self.at_once = options.device, options.build_jobs, options.jobs
        self.on_device = DEVICE

    def build(self):
        self.refresh()
        settings = [f"-DARGMAX_CL_{part}=OFF" for part in ("BUILD_TOOLS", "BUILD_BENCH", "BUILD_EXAMPLES", "INSTALL")]
        configure(self.tree, self.plain, *settings, "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG")
        configure(self.tree, self.sanitized, *settings, "-DCMAKE_BUILD_TYPE=Debug",
                  "-DARGMAX_CL_SANITIZE=address;undefined")
        targets = (self.plain / "CMakeFiles/TargetDirectories.txt").read_text()
        layer = (LAYER,) if f"/{LAYER}.dir" in targets else ()
        if not layer:
            print("mutation: tests with faults are not built here, so host code is judged without", file=sys.stderr)
            self.on_device = tuple(name for name in DEVICE if name not in LAYERED)
        failure = self.make(self.plain, (*UNIT, *self.on_device, *layer)) or self.make(self.sanitized, SANITIZED)
        if failure:
            raise SystemExit(f"does not build unchanged:\n{failure}")

    def check(self):
        """What is left out since it fails on unchanged code, {name: failure}; tried once while that stays the same. All
        run at once and have longer than with a mutant: the implementation keeps what it compiles for them here."""
        if not self.unchanged.exists():
            runs = [(title + program, title, run) for title, build, programs in self.stages() for program in programs
                    for run in self.runs(build, program)]
            with ThreadPoolExecutor(self.at_once) as pool:
                said = pool.map(lambda run: self.passes(*run[2], patience=PATIENCE), runs)
                failures = {name: title + failure for (name, title, _), failure in zip(runs, said) if failure}
            if set(failures) & set(UNIT):
                raise SystemExit(f"fails on unchanged code: {failures}")
            self.unchanged.write_text(json.dumps(failures))
        return json.loads(self.unchanged.read_text())

    def judge(self, mutant):
        """(verdict, by what): killed, survived, stillborn."""
        target = self.tree / mutant.file
        original = target.read_text()
        target.write_text(mutant.apply(original))
        try:
            if self.make(self.plain, UNIT):
                return "stillborn", ""
            _, failure = next(self.failures(json.loads(self.unchanged.read_text())), (None, None))
        finally:
            target.write_text(original)
        return ("killed", failure) if failure else ("survived", "")

    def failures(self, left_out=()):
        """Yields (name, what it says) for each test that fails, in the order in which they run."""
        for title, build, programs in self.stages():
            programs = [program for program in programs if title + program not in left_out]
            if self.make(build, programs):
                continue
            for program in programs:
                failure = next(filter(None, (self.passes(*run) for run in self.runs(build, program))), None)
                if failure:
                    yield title + program, title + failure

    def stages(self):
        """(title, build folder, programs), the quickest first."""
        return (("", self.plain, UNIT), ("sanitized ", self.sanitized, SANITIZED), ("", self.plain, self.on_device))

    def refresh(self):
        """Copy what differs, so that as little as possible is built again."""
        files = set(code_files(self.root))
        for path in set(code_files(self.tree)) - files:
            (self.tree / path).unlink()
        for path in files:
            source, copy = self.root / path, self.tree / path
            if not copy.exists() or copy.read_bytes() != source.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)

    def make(self, build, programs):
        return make(build, programs, self.jobs)

    def runs(self, build, program):
        """What a test is made of: arguments of passes()."""
        tests = self.tree / "tests"
        selector = (self.device,) if self.device else ()
        if program == "print_geometry":
            return [(build, program, (tests / "golden/geometry.tuning", tests / "golden/geometry.txt"))]
        if program == "run_stress":
            return [(build, program, ("2", "1", *selector))]
        if program != "run_problem":
            return [(build, program)]
        lists = [("", "kernels.txt"), (tests / "device/lists/dealt.tuning", "dealt.txt")]
        lists += [(build / f"tests/{name}.tuning", "parts.txt") for name in PARTS]
        device = ("--device", *selector) if selector else ()
        lists += [("", "masks.txt")]
        places = tests / "device/lists"
        runs = [(("--route", "plan", "--file", places / name), tuning) for tuning, name in lists]
        runs += [((*BLOCKS, *how, "--file", places / "streams.txt"), "") for how in ((), ("--copies",))]
        return [(build, program, (*device, *arguments), tuning) for arguments, tuning in runs]

    @staticmethod
    def passes(build, program, arguments=(), tuning="", patience=1):
        """None, or what one run of a program says that fails."""
        seconds = patience * (UNIT_SECONDS if program in UNIT else DEVICE_SECONDS)
        leaks = f"suppressions={build.parent / 'tests/support/leaks.txt'}:print_suppressions=0"
        environment = {**os.environ, "ARGMAX_CL_TUNING": str(tuning), "LSAN_OPTIONS": leaks}
        if program in LAYERED:
            environment["OPENCL_LAYERS"] = str(build / f"tests/lib{LAYER}.so")
        try:
            done = subprocess.run([build / "tests" / program, *arguments], env=environment, cwd=build / "tests",
                                  capture_output=True, text=True, errors="replace", timeout=limit_clock(seconds),
                                  check=False, preexec_fn=lambda: limit_cpu(seconds))
        except subprocess.TimeoutExpired:
            return f"{program} hangs"
        if done.returncode in (0, SKIPPED):
            return None
        said = re.search(r"^(FAIL|refused) .*|^.*:[FE]:.*|^.*runtime error:.*|^.*ERROR: \w+Sanitizer.*",
                         done.stdout + done.stderr, re.M)
        return f"{program}: {said.group(0).strip() if said else f'exit status {done.returncode}'}"
