"""The fast lists of problems for the kernels, what each compiles, and running them on mutated kernels."""
import hashlib
import json
import os
import re
import resource
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

# (tuning file, list of problems): parts of the test suite (tests/device/CMakeLists.txt), the quickest first. A tuning file
# without a folder is made by CMake, in the build folder.
LISTS = (
    (None, "kernels.txt"),
    (None, "masks.txt"),
    (None, "words.txt"),
    ("dealt.tuning", "dealt.txt"),
    ("warps.tuning", "dealt.txt"),
    ("narrow.tuning", "narrow.txt"),
    ("odd.tuning", "narrow.txt"),
    ("many.tuning", "narrow.txt"),
    ("one_launch.tuning", "parts.txt"),
    ("two_launches.tuning", "parts.txt"),
    ("gpu_one_launch.tuning", "parts.txt"),
    ("gpu_two_launches.tuning", "parts.txt"),
    ("many_parts.tuning", "parts.txt"),
    ("tail.tuning", "parts.txt"),
    ("aligned.tuning", "aligned.txt"),
)
# The same for Oclgrind, with the call: small ones of every strategy, work-groups of several jobs, buffers without guards.
SIMULATED = (("dealt.tuning", "dealt.txt", "plan"), (None, "simulated.txt", "plan"), (None, "simulated.txt", "host"))
PROBLEM_SECONDS = 90  # of the processor, for one of them: PoCL compiles the slowest for 21, and longer on a busy machine
FUZZ_SECONDS = 1800  # by the clock; fuzz_problems itself calls a problem that hangs wrong
NOT_BUILT = "does not compile"
CODE = ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "include", "src", "kernels", "tests")


def code_files(root):
    """All that the tests are made of, from the root of the tree."""
    for name in CODE:
        for path in sorted((root / name).rglob("*")) or [root / name]:
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(root)


def digest(root, device):
    """Another one where the unchanged code is another one, or the device."""
    code = [(str(path), (root / path).read_bytes()) for path in code_files(root) if path.name != "equivalent.txt"]
    return hashlib.sha256(repr((device, code)).encode()).hexdigest()[:16]


def configure(root, build, *settings):
    """A build folder for the tests of the tree."""
    generator = ("-G", "Ninja") if shutil.which("ninja") and not (build / "Makefile").exists() else ()
    done = subprocess.run(["cmake", "-S", root, "-B", build, *generator, "-DARGMAX_CL_BUILD_TESTS=ON", *settings],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)


def make(build, programs, jobs):
    """None, or what the compiler says."""
    done = subprocess.run(["cmake", "--build", build, "-j", str(jobs), "--target", *programs],
                          capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else None


def limit_cpu(seconds=20):
    """For a child process, before it starts: what takes more of the processor hangs."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def limit_clock(seconds=20):
    """Seconds by the clock for a process with that limit: what waits for ever hangs too, and tests take a small part of
    their limit, so other work beside them is no matter."""
    return 60 + 3 * seconds // 2


@dataclass(frozen=True)
class Problem:
    tuning: str  # path, "" for none
    line: str
    programs: tuple  # of (kernel, options)


class Bench:
    """The test programs of a build folder, and the kernels they read."""

    def __init__(self, root, build, device):
        self.root, self.build = root, build
        self.device = ("--device", device) if device else ()
        self.expanded = {}

    def environment(self, tuning, kernels, **more):
        own = {"ARGMAX_CL_TUNING": tuning, "ARGMAX_CL_KERNELS": str(kernels)}
        return {**os.environ, **own, **more}

    def tuning_path(self, name):
        if not name:
            return ""
        own = self.root / "tests/device/lists" / name
        return str(own if own.exists() else self.build / "tests" / name)

    def read_lists(self, jobs=1):
        """Every problem of the lists with its programs; what was said of the same files before is kept."""
        kept = self.build / f"problems-{digest(self.root, self.device)}.json"
        if not kept.exists():
            with ThreadPoolExecutor(jobs) as pool:
                problems = [problem for found in pool.map(self.run_list, LISTS) for problem in found]
            kept.write_text(json.dumps([[p.tuning, p.line, p.programs] for p in problems]))
        return [Problem(tuning, line, tuple(map(tuple, programs))) for tuning, line, programs
                in json.loads(kept.read_text())]

    def run_list(self, tuning_and_list):
        """The problems of one, with their programs, as --explain tells; all must be right on unchanged kernels."""
        tuning, name = tuning_and_list
        path = self.tuning_path(tuning)
        command = [self.build / "tests/run_problem", *self.device, "--explain", "--route", "plan", "--file",
                   self.root / "tests/device/lists" / name]
        done = subprocess.run(command, env=self.environment(path, self.root / "kernels"), capture_output=True,
                              text=True, check=False)
        if done.returncode:
            said = (done.stdout + done.stderr)[-2000:]
            raise SystemExit(f"{name} with {tuning} fails on unchanged kernels:\n{said}")
        said = done.stdout.splitlines()
        kernels = "|".join(path.stem for path in sorted((self.root / "kernels/families").glob("*.cl")))
        return [Problem(path, line[8:], tuple((kernel, text.strip()) for kernel, text in
                                              re.findall(rf"\| ({kernels}): ([^|]*)", plan)))
                for line, plan in zip(said[::2], said[1::2])]

    def includes(self, kernel, folder):
        """All files that a kernel's program is made of."""
        found, left = set(), [f"families/{kernel}.cl"]
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += re.findall(r'^#include "(.*)"', (folder / name).read_text(), re.M)
        return found

    def expand(self, kernel, options, folder):
        """A program after the preprocessor."""
        words = [word for word in options.split() if word.startswith("-D")]
        command = ["cc", "-E", "-P", "-x", "c", "-I", folder, "-D__OPENCL_VERSION__=120", *words, folder / f"families/{kernel}.cl"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def touches(self, file, problem, folder):
        """The first program of the problem that differs where `folder` has the changed file."""
        original = self.root / "kernels"
        for program in problem.programs:
            kernel, options = program
            if str(Path(file).relative_to("kernels")) not in self.includes(kernel, original):
                continue
            if program not in self.expanded:
                self.expanded[program] = self.expand(kernel, options, original)
            if self.expand(kernel, options, folder) != self.expanded[program]:
                return program
        return None

    def lint(self, program, folder):
        """Whether a program of the folder compiles; what no clang is there to tell, running it will."""
        if not shutil.which("clang"):
            return True
        kernel, options = program
        target = "nvptx64-nvidia-nvcl" if "-DNV_PTX=1" in options.split() else "spir64"
        command = ["clang", "-x", "cl", f"--target={target}", "-Xclang", "-finclude-default-header", "-fsyntax-only",
                   "-w", "-I", folder, *options.split(), folder / f"families/{kernel}.cl"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def same_code(self, program, folder):
        """Whether optimised code for a program is the same as before."""
        if not shutil.which("clang"):
            return False
        kernel, options = program
        texts = []
        for where in (self.root / "kernels", folder):
            command = ["clang", "-x", "cl", "--target=spir64", "-Xclang", "-finclude-default-header", "-O2", "-w", "-S",
                       "-I", where, "-emit-llvm", "-o", "-", *options.split(), where / f"families/{kernel}.cl"]
            text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            texts.append(re.sub(r"^(source_filename|; ModuleID).*$", "", text, flags=re.M))
        return texts[0] == texts[1] != ""

    def run(self, problems, kernels, wrapper=()):
        """Run problems that share a tuning file until one is wrong: None when all are right, else what happened."""
        command = [*wrapper, "stdbuf", "-oL", str(self.build / "tests/run_problem"), *self.device, "--route", "plan"]
        command += [problem.line for problem in problems]
        with tempfile.TemporaryDirectory() as cache:
            environment = self.environment(problems[0].tuning, kernels, POCL_CACHE_DIR=cache)
            return _watch(command, environment, [problem.line for problem in problems])

    def simulated(self, kernels):
        """(what Oclgrind, where there is one, finds in small problems of every strategy: a data race, an access outside
        a buffer, a wrong answer, no end; why it cannot tell). The latter is nothing against the kernels: there is code
        that it cannot run."""
        if not shutil.which("oclgrind"):
            return None, None
        for tuning, name, route in SIMULATED:
            path = self.root / "tests/device/lists" / name
            found, untold = self.simulate(self.tuning_path(tuning), path, route, kernels)
            if found or untold:
                return found and f"oclgrind: {found}", untold and f"oclgrind, {name}: {untold}"
        return None, None

    def simulate(self, tuning, path, route, kernels):
        seconds = 8 + 2 * len(path.read_text().splitlines())  # of the processor; all together take a tenth of it
        command = [self.root / "scripts/with_opencl.sh", "races", self.build / "tests/run_problem", "--device", "Oclgrind",
                   "--route", route, "--file", path]
        with subprocess.Popen(command, env=self.environment(tuning, kernels), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                              preexec_fn=lambda: limit_cpu(seconds)) as process:
            try:
                said = process.communicate(timeout=limit_clock(seconds))[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return None, "takes too long by the clock"
        return self.read_simulation(said, process.returncode)

    @staticmethod
    def read_simulation(said, status):
        report = re.search(r"^Oclgrind's report, .*\n\s*(.+)", said, re.M)
        if report:
            return report.group(1).strip(), None
        wrong = re.search(r"^FAIL +(.*)\n(?!.*status \d)", said, re.M)  # with a status it is not run
        if wrong:
            return wrong.group(1).strip(), None
        if status in (128 + signal.SIGXCPU, 128 + signal.SIGKILL):
            return "hangs", None
        return None, " | ".join(line for line in said.splitlines() if not line.startswith("ok "))[-500:] if status else None

    def fuzz(self, kernels, count, kinds, seed, tuning=""):
        """(what random problems find, why they cannot tell)"""
        command = [str(self.build / "tests/fuzz_problems"), *self.device, "--count", str(count), "--kinds", str(kinds),
                   "--seed", str(seed), "--jobs", "1"]
        with tempfile.TemporaryDirectory() as cache:
            environment = self.environment(tuning, kernels, POCL_CACHE_DIR=cache)
            try:
                done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False,
                                      timeout=FUZZ_SECONDS)
            except subprocess.TimeoutExpired:
                return None, "random problems: not done in time"
        said = "".join(done.stderr.splitlines(True)[:1]).strip()
        return (None, None) if done.returncode == 0 else (f"random: {said}", None)


def _spent(process):
    """Seconds of the processor that it has taken."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _output(process):
    """Yields its lines as they come, and None where it takes too long for the next ones."""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        text = b""
        while True:
            *lines, text = text.split(b"\n")
            yield from (line.decode(errors="replace") for line in lines)
            before, deadline = _spent(process), time.monotonic() + limit_clock(4 * PROBLEM_SECONDS)
            while not selector.select(1):
                if _spent(process) - before > PROBLEM_SECONDS or time.monotonic() > deadline:
                    yield None
                    return
            said = os.read(process.stdout.fileno(), 1 << 16)
            if not said:
                return
            text += said


def _watch(command, environment, lines):
    """Run a command of run_problem's; end it at its first failure, or when it takes too long."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
                          start_new_session=True, preexec_fn=lambda: limit_cpu(len(lines) * PROBLEM_SECONDS)) as process:
        right, verdict, output = 0, None, _output(process)
        try:
            for said in output:
                if said is None:
                    verdict = "hangs: " + lines[min(right, len(lines) - 1)]
                elif said.startswith(("FAIL", "refused")):
                    verdict = NOT_BUILT if "clBuildProgram" in (next(output, "") or "") else said[8:].strip()
                right += bool(said) and said.startswith("ok ")
                if verdict:
                    break
            else:
                process.wait()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        if verdict is None and (process.returncode != 0 or right != len(lines)):
            verdict = f"crashes ({process.returncode}): " + lines[min(right, len(lines) - 1)]
        return verdict


def spread_out(problems):
    """In an order in which every few hold most of the options that there are."""
    left, seen, order = list(problems), set(), []
    while left:
        best = max(left, key=lambda p: len({word for _, text in p.programs for word in text.split()} - seen))
        seen |= {word for _, text in best.programs for word in text.split()}
        if all({word for _, text in p.programs for word in text.split()} <= seen for p in left):
            seen = set()
        left.remove(best)
        order.append(best)
    return order
