"""Source files as lines of code, and all the mutants that operators.py makes of them."""
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from operators import changes, instruction_changes

# Branches of the preprocessor that are no part of a run: inline PTX, which NVIDIA devices of compute capability 9.0
# alone take (--ptx is for these, and for nothing else); addresses asked for ahead (PREFETCH_DISTANCE, PREFETCH_ROW), on which no answer
# depends; Windows.
PTX = {"NV_PTX", "NV_PTX_ORDER"}
UNREACHED = {"PREFETCH_DISTANCE", "PREFETCH_ROW", "_WIN32"}
PTX_FILES = {"kernels/accumulate/nv_ptx.clh", "kernels/workgroup/warps.clh"}


@dataclass(frozen=True)
class Mutant:
    file: str  # from the root of the tree
    line: int  # from 1
    operator: str
    nth: int  # of this operator in this line, from 1
    start: int
    end: int
    new: str
    text: str  # the line as it was
    copy: int  # which of the file's lines with that text it is, from 1

    @property
    def name(self):
        return f"{self.file}:{self.line} {self.operator}" + (f" #{self.nth}" if self.nth > 1 else "")

    @property
    def changed(self):
        return self.text[:self.start] + self.new + self.text[self.end:]

    @property
    def key(self):
        """What stays the same while lines above are edited."""
        text = " ".join(self.text.split())
        return self.file, self.operator, self.nth, text + (f" (copy {self.copy})" if self.copy > 1 else "")

    def apply(self, source):
        lines = source.split("\n")
        assert lines[self.line - 1] == self.text
        lines[self.line - 1] = self.changed
        return "\n".join(lines)


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def _without_comments(source):
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, _blank, source, flags=re.S)


def _needs(condition):
    """The names of which some must be defined for a branch to be taken."""
    if "!" in condition:
        return set()
    ways = [(PTX | UNREACHED) & set(re.findall(r"\w+", way)) for way in condition.split("||")]
    return set().union(*ways) if all(ways) else set()


def code_lines(source):
    """Yields (number, line, what must be defined) for each line with code; of a #define its body."""
    branches = []  # the conditions around the line
    continued = False
    for number, line in enumerate(_without_comments(source).split("\n"), 1):
        directive = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if directive and not continued:
            word, rest = directive.groups()
            if word in ("if", "ifdef"):
                branches.append(_needs(rest))
            elif word == "ifndef":
                branches.append(set())
            elif word == "elif":
                branches[-1] = _needs(rest)
            elif word == "else":
                branches[-1] = set()
            elif word == "endif":
                branches.pop()
            head = re.match(r"\s*#\s*define\s+\w+(\([^)]*\))?", line)
            if not head:
                continued = False
                continue
            line = " " * head.end() + line[head.end():]
        continued = line.rstrip().endswith("\\")
        if line.strip():
            yield number, line, set().union(*branches)


def mutants_of(root, file, ptx=False):
    source = (Path(root) / file).read_text()
    lines = source.split("\n")
    found = []
    for number, code, needs in code_lines(source):
        native = bool(needs & PTX) or file in PTX_FILES
        if native != ptx or needs & UNREACHED:
            continue
        text = lines[number - 1]
        count = {}
        for operator, start, end, new in [*changes(code), *(instruction_changes(text) if ptx else ())]:
            count[operator] = count.get(operator, 0) + 1
            copy = sum(line.split() == text.split() for line in lines[:number])
            found.append(Mutant(file, number, operator, count[operator], start, end, new, text, copy))
    return found


def _draw(seed, mutant):
    return hashlib.sha256(repr((seed, mutant.key)).encode()).hexdigest()


def choose(mutants, wanted, seed):
    """`wanted` of a file's mutants, drawn by the seed, spread over the operators and at most one a line and operator:
    what is drawn depends on each line's text alone, not on what was edited above it."""
    by_operator = {}
    for mutant in sorted(mutants, key=lambda m: _draw(seed, m)):
        same = by_operator.setdefault(mutant.operator, [])
        if all(other.line != mutant.line for other in same):
            same.append(mutant)
    turns = [(turn, _draw(seed, mutant), mutant) for same in by_operator.values() for turn, mutant in enumerate(same)]
    chosen, lines = [], {}
    for _, _, mutant in sorted(turns, key=lambda t: t[:2]):
        if len(chosen) < wanted and lines.get(mutant.line, 0) < 2:
            lines[mutant.line] = lines.get(mutant.line, 0) + 1
            chosen.append(mutant)
    return sorted(chosen, key=lambda m: (m.line, m.operator, m.nth))
