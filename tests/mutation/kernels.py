"""Mutants of the kernels: run the problems whose programs a mutant changes, the suite's fast lists first."""
import json
import shutil
from pathlib import Path

from problems import NOT_BUILT, Bench, configure, make, spread_out

ROUNDS = (4, 12, 32)  # problems run together, until one fails
PROGRAM_SHARE = 10  # random problems for each kind that is compiled


class KernelMutants:
    """Those that a worker judges; the test programs are everybody's."""

    def __init__(self, root, folder, own, options):
        self.bench, self.options = Bench(root, folder / "build", options.device), options
        self.folder = own / "kernels"
        self.untold = folder / "simulator.json"  # why the simulator is left out
        self.problems = None

    def build(self):
        """Nothing of one's own."""

    def check(self):
        """Build the test programs; all problems of the lists must be right on unchanged kernels. {name: failure} of the
        simulator, which is left out where it has anything to say of those."""
        build = self.bench.build
        configure(self.bench.root, build, "-DARGMAX_CL_BUILD_BENCH=OFF", "-DARGMAX_CL_BUILD_EXAMPLES=OFF")
        failure = make(build, ("run_problem", "fuzz_problems"), self.options.jobs)
        if failure:
            raise SystemExit(f"does not build unchanged:\n{failure}")
        self.bench.read_lists(self.options.jobs)
        failure = next(filter(None, self.bench.simulated(self.bench.root / "kernels")), None)
        failures = {"simulator": failure} if failure else {}
        self.untold.write_text(json.dumps(failures))
        return failures

    def judge(self, mutant):
        """(verdict, by what): killed, survived, stillborn."""
        self.problems = self.problems or spread_out(self.bench.read_lists())
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.bench.root / "kernels", self.folder)
        changed = self.folder / Path(mutant.file).relative_to("kernels")
        changed.write_text(mutant.apply(changed.read_text()))
        programs = {}
        for batch in self.batches(mutant, programs):
            if not batch:
                continue
            if not self.bench.lint(next(iter(programs)), self.folder):
                return "stillborn", ""
            failure = self.run(batch)
            if failure:
                return ("stillborn", "") if failure.endswith(NOT_BUILT) else ("killed", failure)
        return self.last_chances(mutant, programs)

    def batches(self, mutant, programs):
        """Yields the problems that the mutant touches, a few at a time; their programs are noted."""
        batch, rounds = [], list(ROUNDS)
        for problem in self.problems:
            program = self.bench.touches(mutant.file, problem, self.folder)
            if not program:
                continue
            programs[program] = True
            batch.append(problem)
            if len(batch) == rounds[0]:
                yield batch
                batch = []
                if len(rounds) > 1:
                    rounds.pop(0)
        yield batch

    def run(self, problems):
        for tuning in sorted({problem.tuning for problem in problems}):
            failure = self.bench.run([p for p in problems if p.tuning == tuning], self.folder)
            if failure:
                return f"{Path(tuning).name} {failure}" if tuning else failure
        return None

    def last_chances(self, mutant, programs):
        untold = []
        if not json.loads(self.untold.read_text()):  # PoCL's order of work-items hides races
            failure, why = self.bench.simulated(self.folder)
            if failure:
                return "killed", failure
            untold.append(why)
        same = sum(self.bench.same_code(program, self.folder) for program in programs)
        told = f"{len(programs)} programs of the lists differ, {same} of them not in what is compiled"
        count = self.options.random
        if count and not (programs and same == len(programs)):
            failure, why = self.bench.fuzz(self.folder, count, -(-count // PROGRAM_SHARE), self.options.seed)
            if failure:
                return "killed", failure
            untold.append(why)
        return "survived", "; ".join(filter(None, [told, *untold]))
