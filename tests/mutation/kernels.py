"""Mutants of the kernels: run the problems whose programs a mutant changes, the suite's fast lists first."""
import shutil
from pathlib import Path

from problems import NOT_BUILT, spread_out

ROUNDS = (4, 12, 32)  # problems run together, until one fails
PROGRAM_SHARE = 10  # random problems for each kind that is compiled


class KernelMutants:
    def __init__(self, bench, folder, options):
        self.bench, self.options = bench, options
        self.folder = Path(folder) / "kernels"
        self.problems = spread_out(bench.read_lists())

    def judge(self, mutant):
        """(verdict, by what): killed, survived, stillborn."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.bench.root / "kernels", self.folder)
        changed = self.folder / Path(mutant.file).name
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
        if "barrier(" in (self.bench.root / mutant.file).read_text():  # PoCL's order of work-items hides races
            dealt = [problem for problem in self.problems if problem.tuning.endswith("dealt.tuning")]
            failure = self.bench.races(dealt, self.folder)
            if failure:
                return "killed", failure
        same = sum(self.bench.same_code(program, self.folder) for program in programs)
        told = f"{len(programs)} programs of the lists differ, {same} of them not in what is compiled"
        count = self.options.random
        if count and not (programs and same == len(programs)):
            failure = self.bench.fuzz(self.folder, count, -(-count // PROGRAM_SHARE), self.options.seed)
            if failure:
                return "killed", failure
        return "survived", told
