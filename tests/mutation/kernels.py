"""Mutants of the kernels: run the problems whose programs a mutant changes, the suite's fast lists first."""
import itertools
import shutil
from pathlib import Path

from problems import spread_out

ROUNDS = (4, 8, 16, 32)  # problems run together, until one fails
PROGRAM_SHARE = 10  # random problems for each kind that is compiled
RACES = ("oclgrind", "--data-races", "--build-options", "-O0")
MEETING = ("barrier removed", "fence removed")


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
        touched = []
        for problem in self.problems:
            program = self.bench.touches(mutant.file, problem, self.folder)
            if not program:
                continue
            if not touched and not self.bench.lint(program, self.folder):
                return "stillborn", ""
            touched.append((problem, program))
            if len(touched) == ROUNDS[0]:
                failure = self.run([p for p, _ in touched])
                if failure:
                    return "killed", failure
        if len(touched) < ROUNDS[0]:
            failure = self.run([p for p, _ in touched])
            if failure:
                return "killed", failure
        rest = iter(p for p, _ in touched[ROUNDS[0]:])
        for size in itertools.chain(ROUNDS[1:], itertools.repeat(ROUNDS[-1])):
            batch = list(itertools.islice(rest, size))
            if not batch:
                break
            failure = self.run(batch)
            if failure:
                return "killed", failure
        return self.last_chances(mutant, [program for _, program in touched])

    def run(self, problems):
        for tuning in sorted({problem.tuning for problem in problems}):
            failure = self.bench.run([p for p in problems if p.tuning == tuning], self.folder)
            if failure:
                return f"{Path(tuning).name} {failure}" if tuning else failure
        return None

    def last_chances(self, mutant, programs):
        if mutant.operator in MEETING:
            failure = self.races(programs)
            if failure:
                return "killed", failure
        same = sum(self.bench.same_code(program, self.folder) for program in dict.fromkeys(programs))
        told = f"{len(set(programs))} programs of the lists differ, {same} of them not in what is compiled"
        if programs and same == len(set(programs)):
            return "survived", told
        count = self.options.random
        if count:
            failure = self.bench.fuzz(self.folder, count, -(-count // PROGRAM_SHARE), self.options.seed)
            if failure:
                return "killed", failure
        return "survived", told

    def races(self, programs):
        """Small problems with several work-items a group, under Oclgrind: it tells races that PoCL's order of work
        hides."""
        del programs
        return None
