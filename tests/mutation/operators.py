"""What a mutant changes: a table of operators, each a pattern in a line of code and what takes its place.

A line comes with comments, strings and preprocessor conditions blanked out (source.py), so patterns see code alone.
The code is formatted by clang-format: binary operators have a space on either side.

Weaker fences and memory orders are no operators here: processors and the OpenCL implementations for them order memory
more strongly than asked, so no test on one can tell. Barriers are.
"""
import re

# (operator, pattern, replacement). The replacement may be a function of the match, which gives None for "not here".
SWAPS = (
    ("kept_in", "kept_index"), ("kept_index", "kept_value"), ("kept_value", "kept_index"),
    ("reduced_in", "kept_in"), ("reduced_size", "kept_size"), ("kept_size", "reduced_size"),
    ("in_offset", "index_offset"), ("index_offset", "value_offset"), ("value_offset", "index_offset"),
    ("column_index", "column_value"), ("column_value", "column_index"), ("column_stride", "column_index"),
    ("kept_count", "reduced_count"), ("reduced_count", "kept_count"),
    ("jobs_per_group", "jobs"), ("segment_vectors", "segment"),
)


def _swap(match):
    return dict(SWAPS)[match.group(0)]


def _constant(step):
    def change(match):
        number = int(match.group(1)) + step
        return None if number < 0 else f"{number}{match.group(2)}"
    return change


def _index(match):
    inside = match.group(1)
    return None if inside.isupper() or inside.isdigit() else f"[{inside} + 1]"


def _other_extreme(match):
    pairs = {"min": "max", "max": "min", "MIN": "MAX", "MAX": "MIN"}
    return match.group(1) + pairs[match.group(2)] + match.group(3)


NUMBER = r"(?<![\w.])(\d+)((?:u|ul|l)?)(?![\w.])"

OPERATORS = (
    ("< to <=", r"(?<= )<(?= )", "<="),
    ("<= to <", r"(?<= )<=(?= )", "<"),
    ("> to >=", r"(?<= )>(?= )", ">="),
    (">= to >", r"(?<= )>=(?= )", ">"),
    ("< to >", r"(?<= )<(?= )", ">"),
    ("> to <", r"(?<= )>(?= )", "<"),
    (">= to <=", r"(?<= )>=(?= )", "<="),
    ("== to !=", r"(?<= )==(?= )", "!="),
    ("!= to ==", r"(?<= )!=(?= )", "=="),
    ("&& to ||", r"&&", "||"),
    ("|| to &&", r"\|\|", "&&"),
    ("+ to -", r"(?<=[\w)\]] )\+(?= )", "-"),
    ("- to +", r"(?<=[\w)\]] )-(?= )", "+"),
    ("* to +", r"(?<=[\w)\]] )\*(?= [\w(])", "+"),
    ("/ to *", r"(?<=[\w)\]] )/(?= )", "*"),
    ("% to /", r"(?<=[\w)\]] )%(?= )", "/"),
    ("<< to >>", r"(?<= )<<(?= )", ">>"),
    (">> to <<", r"(?<= )>>(?= )", "<<"),
    ("& to |", r"(?<=[\w)\]] )&(?= )", "|"),
    ("| to &", r"(?<=[\w)\]] )\|(?= )", "&"),
    ("^ to |", r"(?<=[\w)\]] )\^(?= )", "|"),
    ("~ dropped", r"~(?=[\w(])", ""),
    ("+= to -=", r"\+=", "-="),
    ("-= to +=", r"-=", "+="),
    ("*= to +=", r"\*=", "+="),
    ("min for max", r"\b((?:VECTOR_|pair_)?)(min|max|MIN|MAX)((?:_u64|_u32|_signed)?)(?=[(,])", _other_extreme),
    ("constant + 1", NUMBER, _constant(1)),
    ("constant - 1", NUMBER, _constant(-1)),
    ("index + 1", r"(?<=\w)\[(\w+)\]", _index),
    ("direction swapped", r"\bLAST(?= \?)", "!LAST"),
    ("operator swapped", r"\bMINIMUM(?= \?)", "!MINIMUM"),
    ("NaN mode swapped", r"\bIGNORE_NAN(?= \?)", "!IGNORE_NAN"),
    ("field swapped", r"\b(?:" + "|".join(name for name, _ in SWAPS) + r")\b", _swap),
    ("even for odd", r"(?<=\.)even\b", "odd"),
    ("lo for hi", r"(?<=\.)lo\b", "hi"),
    ("barrier removed", r"\bbarrier\([A-Z_ |]+\);", ""),
    ("tail dropped", r"(?<=for \(; )(\w+) < \w+(?=; \+\+)", "false"),
    ("true for false", r"\bfalse\b", "true"),
    ("false for true", r"\btrue\b", "false"),
    ("lock dropped", r"\bpthread_mutex_lock\([^;]*\);", ";"),
)
PATTERNS = tuple((name, re.compile(pattern), to) for name, pattern, to in OPERATORS)

# Within the strings of inline PTX.
INSTRUCTIONS = tuple((name, re.compile(pattern), to) for name, pattern, to in (
    ("gt to ge", r'(?<=")gt(?=")', "ge"),
    ("ge to gt", r'(?<=")ge(?=")', "gt"),
    ("lt to le", r'(?<=")lt(?=")', "le"),
    ("le to lt", r'(?<=")le(?=")', "lt"),
    ("num to nan", r'(?<=")num(?=")', "nan"),
    ("and to or", r'(?<=")and(?=")', "or"),
    ("min for max", r'(?<=")(max|min)(?=[".])', lambda m: "min" if m.group(1) == "max" else "max"),
    (".NaN dropped", r"\.NaN\.", "."),
    ("signed for unsigned", r"(?<=\.)u(?=16x2|64)", "s"),
    ("other byte", r"(?<=0x[0-9A-F])[0-9](?=[0-9A-F]{2})", lambda m: str((int(m.group(0)) + 1) % 8)),
    ("equal to unequal", r"(?<=set\.)eq", "ne"),
))

# A statement that gives a value to something declared before.
ASSIGNMENT = re.compile(r"^\s+(?:\*|\(\*)?\w[\w.\[\]]*(?:->[\w.\[\]]+)*\)? (?:[-+*/|^&]|<<|>>)?= [^;]*;(?= *\\?$)")
# Lines that only declare: their numbers are sizes, and changing these does not compile or means nothing.
DECLARATION = re.compile(
    r"^\s*(?:(?:typedef|struct|enum|assert)\b|\(void\)|.*__attribute__)|^\s+[\w ]+ \*?[\w, \[\]*]+;$")


def instruction_changes(text):
    """All mutants of the strings in a line of inline PTX."""
    for name, pattern, to in INSTRUCTIONS:
        for match in pattern.finditer(text):
            yield name, match.start(), match.end(), to(match) if callable(to) else to


def _condition(code):
    """The condition of an `if` that ends in this line: (start, end) of what stands between its parentheses."""
    match = re.search(r"\bif \(", code)
    if not match:
        return None
    depth, start = 1, match.end()
    for at in range(start, len(code)):
        depth += (code[at] == "(") - (code[at] == ")")
        if depth == 0:
            return start, at
    return None


def changes(code):
    """All mutants of a line: (operator, start, end, replacement)."""
    if DECLARATION.search(code):
        return
    for name, pattern, to in PATTERNS:
        for match in pattern.finditer(code):
            new = to(match) if callable(to) else to
            if new is not None:
                yield name, match.start(), match.end(), new
    condition = _condition(code)
    if condition:
        start, end = condition
        yield "condition negated", start, end, f"!({code[start:end]})"
        yield "condition dropped", start, end, "true"
        yield "branch dropped", start, end, "false"
    match = ASSIGNMENT.search(code)
    if match:
        yield "statement dropped", match.start(), match.end(), ";"
