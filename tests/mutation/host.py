"""Mutants of the host code: build a copy of the tree anew and run the tests that need no device, then those that do."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from problems import CLOCK_SECONDS, limit_cpu

# The tests in the order in which they run: milliseconds first. Programs are those of tests/CMakeLists.txt.
UNIT = ("test_check", "test_counters", "test_status", "test_tuning", "print_geometry")
DEVICE = ("test_buffers", "test_device", "test_plans", "test_events", "test_memory", "test_host", "test_forced",
          "run_problem", "run_faults", "run_limits", "run_stress", "test_layouts", "test_threads")
ARGUMENTS = {"run_stress": ("2",)}
LIST_SECONDS = 120
LAYER = "argmax_cl_test_layer"
LAYERED = ("run_faults", "run_limits")  # what makes OpenCL's calls fail lies below them
SANITIZED = UNIT + ("test_smoke",)  # the sanitizer build of scripts/test.sh runs these
SKIPPED = 77
PARTS = ("one_launch", "two_launches", "gpu_one_launch", "gpu_two_launches")


class HostMutants:
    def __init__(self, root, folder, device, trust_device_tests):
        self.root, self.device = Path(root), device
        self.tree = (Path(folder) / "tree").resolve()
        self.build, self.sanitized = self.tree / "build", self.tree / "build-asan"
        self.tree.mkdir(parents=True, exist_ok=True)
        for name in ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "include", "src", "kernels", "tests"):
            self.refresh(self.root / name, self.tree / name)
        settings = ("-DARGMAX_CL_BUILD_TESTS=ON", "-DARGMAX_CL_BUILD_TOOLS=OFF", "-DARGMAX_CL_BUILD_BENCH=OFF",
                    "-DARGMAX_CL_BUILD_EXAMPLES=OFF", "-DARGMAX_CL_INSTALL=OFF")
        for build, own in ((self.build, ("-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG",)),
                           (self.sanitized, ("-DCMAKE_BUILD_TYPE=Debug", "-DARGMAX_CL_SANITIZE=address;undefined"))):
            generator = ("-G", "Ninja") if shutil.which("ninja") and not (build / "Makefile").exists() else ()
            self.shell("cmake", "-S", self.tree, "-B", build, *generator, *settings, *own)
        if not (self.make(self.build, (*UNIT, *DEVICE, LAYER)) and self.make(self.sanitized, SANITIZED)):
            raise SystemExit(f"does not build unchanged; see with: cmake --build {self.build}")
        failure = self.unit(self.build, UNIT) or self.unit(self.sanitized, SANITIZED)
        if not failure and not trust_device_tests:
            failure = self.on_device()
        if failure:
            raise SystemExit(f"fails on unchanged code: {failure}")

    @staticmethod
    def refresh(source, target):
        """Copy what differs, so that as little as possible is built again."""
        files = [source] if source.is_file() else [path for path in source.rglob("*") if path.is_file()]
        for path in files:
            copy = target / path.relative_to(source) if path != source else target
            if not copy.exists() or copy.read_bytes() != path.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)

    @staticmethod
    def shell(*command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{command}:\n{done.stdout}{done.stderr}")

    @staticmethod
    def make(build, programs):
        """Whether it compiles."""
        command = ["cmake", "--build", build, "--target", *programs]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    @staticmethod
    def passes(build, program, *arguments, tuning="", seconds=20):
        """None, or what a test program says that fails."""
        leaks = f"suppressions={build.parent / 'tests/leaks.txt'}:print_suppressions=0"
        environment = {**os.environ, "ARGMAX_CL_TUNING": str(tuning), "CK_FORK": "no", "LSAN_OPTIONS": leaks}
        if program in LAYERED:
            environment["OPENCL_LAYERS"] = str(build / f"tests/lib{LAYER}.so")
        try:
            done = subprocess.run([build / "tests" / program, *arguments], env=environment, cwd=build / "tests",
                                  capture_output=True, text=True, errors="replace", timeout=CLOCK_SECONDS, check=False,
                                  preexec_fn=lambda: limit_cpu(seconds))
        except subprocess.TimeoutExpired:
            return f"{program} hangs"
        if done.returncode in (0, SKIPPED):
            return None
        said = re.search(r"^(FAIL|refused) .*|^.*:[FE]:.*|^.*runtime error:.*|^.*ERROR: \w+Sanitizer.*",
                         done.stdout + done.stderr, re.M)
        return f"{program}: {said.group(0).strip() if said else f'exit status {done.returncode}'}"

    def unit(self, build, programs):
        tests = self.tree / "tests"
        for program in programs:
            arguments = (tests / "geometry.tuning", tests / "geometry.txt") if program == "print_geometry" else ()
            failure = self.passes(build, program, *arguments, seconds=120 if program == "test_smoke" else 8)
            if failure:
                return failure
        return None

    def on_device(self):
        return next(filter(None, map(self.run_lists, DEVICE)), None)

    def run_lists(self, program):
        """A test program; the one that takes lists with each of these."""
        if program != "run_problem":
            return self.passes(self.build, program, *ARGUMENTS.get(program, ()), seconds=LIST_SECONDS)
        tests = self.tree / "tests"
        runs = [("", "kernels.txt"), (tests / "dealt.tuning", "dealt.txt")]
        runs += [(self.build / f"tests/{name}.tuning", "parts.txt") for name in PARTS]
        for tuning, name in runs:
            failure = self.passes(self.build, program, *self.device, "--route", "plan", "--file", tests / name,
                                  tuning=tuning, seconds=LIST_SECONDS)
            if failure:
                return failure
        return None

    def judge(self, mutant):
        """(verdict, by what): killed, survived, stillborn."""
        target = self.tree / mutant.file
        original = target.read_text()
        target.write_text(mutant.apply(original))
        try:
            if not self.make(self.build, UNIT):
                return "stillborn", ""
            failure = self.unit(self.build, UNIT)
            if not failure and self.make(self.sanitized, SANITIZED):
                failure = self.unit(self.sanitized, SANITIZED)
                failure = failure and "sanitized " + failure
            if not failure and self.make(self.build, DEVICE):
                failure = self.on_device()
        finally:
            target.write_text(original)
        return ("killed", failure) if failure else ("survived", "")
