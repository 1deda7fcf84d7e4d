#!/usr/bin/env python3
"""What README.md and docs/ name must exist: files, environment variables, tuning fields, options of programs, anchors,
messages.

usage: check_docs.py [ROOT]
"""
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "bench/results/random/README.md",
         ROOT / "tests/README.md", ROOT / "tests/fuzz/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FILES = sorted(str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if not
               any(part.startswith((".", "build")) or part == "__pycache__" for part in p.relative_to(ROOT).parts))
KNOWN = set(FILES)
BASENAMES = {name.rsplit("/", 1)[-1] for name in FILES}
TOP = {name.split("/")[0] for name in FILES if "/" in name}
ENDINGS = (".c", ".h", ".hpp", ".cl", ".clh", ".txt", ".tuning", ".sh", ".py", ".md", ".def", ".cmake", ".jsonl", ".svg")
ROOMS = ("src", "kernels", "include")  # named without the folder before them
FOREIGN = ("cmake", "ctest", "pkg-config", "cc", "chrt", "git", "apt-get", "pip", "nvcc", "oclgrind")
EXAMPLES = {"program.c", "x.npy", "found.tuning", "spoiled.tuning", "FILE"}  # names that a reader chooses


def text_of(*names):
    return "\n".join((ROOT / n).read_text(errors="replace") for n in FILES for name in names
                     if re.fullmatch(name, n) and (ROOT / n).is_file())


SOURCE = text_of(r"(src|include|kernels|tests|tools|bench|cmake|scripts|examples|bindings)/.*\.(c|h|hpp|cl|clh|def|py|sh|txt|cmake|in)",
                 "CMakeLists.txt")


NAMES = set(re.findall(r"\bARGMAX_CL_[A-Z0-9_]+\b", SOURCE))


def program_source(word):
    """Text that must know the options of a program, None for what is no program of ours."""
    name = word.rsplit("/", 1)[-1]
    if name == "argmax-cl":
        return text_of(r"tools/argmax-cl/.*")
    if name == "argmax-cl-bench":
        return text_of(r"bench/.*\.[ch]")
    if name == "campaign.sh":
        return text_of(r"scripts/campaign\.sh", r"scripts/campaigns/.*", r"tests/.*\.(c|py)")
    if name.endswith((".sh", ".py")) and name in BASENAMES:
        return text_of(rf"(.*/)?{re.escape(name)}", r"tests/mutation/.*\.py") if name == "mutate.py" else \
            text_of(rf"(.*/)?{re.escape(name)}")
    if re.fullmatch(r"(run|fuzz|print|test)_[a-z_]+", name):
        source = re.sub("_(stub|cuda)$", "", name)
        found = text_of(rf"tests/.*/{source}\.c")
        return found + text_of(r"tests/support/.*") if found else None
    return None


def code_of(text):
    """(line number, code) for each code span and each line of a code block."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield number, line.strip(), True
        else:
            for span in re.findall(r"`([^`]+)`", line):
                yield number, span, False


def path_exists(page, token):
    if token.startswith(("~", "$", "/", "%", "http", "-", "<")):
        return True
    token = token.removeprefix("./").rstrip("/")
    if token.startswith("build"):
        program = re.fullmatch(r"build[a-z-]*/(tests|bench|tools)/(.*/)?([A-Za-z_-]+)", token)
        return not program or program.group(3) in ("argmax-cl", "argmax-cl-bench", "fuzz", "fuzz_NAME") or \
            program.group(3).startswith("libargmax") or program_source(program.group(3)) is not None
    base = page.parent
    if "*" in token or "NAME" in token:
        pattern = token.replace("NAME", "*")
        return any(ROOT.glob(pattern)) or any(base.glob(pattern))
    if (base / token).exists() or token in KNOWN or any((ROOT / room / token).exists() for room in ROOMS):
        return True
    return "/" not in token and token in BASENAMES


def wrong_paths(page, code):
    for token in re.split(r"[\s,;:()\[\]\"'=]+", code):
        token = token.rstrip(".")
        if "#" in token or token in EXAMPLES or not re.fullmatch(r"[A-Za-z0-9_./*~-]+", token):
            continue
        looks = token.endswith(ENDINGS) and not token.startswith(".") or "/" in token and \
            token.removeprefix("./").split("/")[0] in TOP | {"build"}
        if looks and not path_exists(page, token):
            yield f"no such file: {token}"


def wrong_options(code, block):
    words = code.split("#")[0].split()
    options = [m.group(0) for w in words for m in [re.match(r"--[a-z][a-z-]*", w)] if m]
    if not options or any(w.rsplit("/", 1)[-1] in FOREIGN for w in words):
        return
    sources = [s for s in map(program_source, words) if s is not None]
    for option in options:
        if not any(re.search(rf'{option}(?![a-z-])|"{option[2:]}"', s) for s in sources or [SOURCE]):
            yield f"no such option: {option}"


def wrong_links(page, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if path.startswith(("http", "mailto")):
            continue
        file = page if not path else (page.parent / path)
        if not file.exists():
            yield f"no such file: {target}"
        elif anchor and anchor not in {re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-")
                                       for h in re.findall(r"^#+ (.*)", file.read_text(), re.M)}:
            yield f"no such heading: {target}"


def wrong_fields():
    defined = re.findall(r"^FIELD\(\w+, (\w+),", text_of(r"src/policy/tuning\.def"), re.M)
    page = (ROOT / "docs/tuning-fields.md").read_text()
    told = [name for cell in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", page, re.M) for name in re.findall(r"\w+", cell)]
    yield from (f"docs/tuning-fields.md: no such tuning field: {name}" for name in told if name not in defined)
    yield from (f"docs/tuning-fields.md: a tuning field that the page lacks: {name}" for name in defined if name not in told)
    for where in PAGES:
        for line in re.findall(r"^ *`?((?:cpu|gpu)(?: \w+=\d+)+)", where.read_text(), re.M):
            yield from (f"{where.relative_to(ROOT)}: no such tuning field: {name}"
                        for name in re.findall(r"(\w+)=", line) if name not in defined)


def wrong_messages():
    """docs/troubleshooting.md: its headings are messages of the sources, "..." for what differs; its table has every status."""
    page = (ROOT / "docs/troubleshooting.md").read_text()
    texts = re.sub(r'"\s*(PRI\w+)?\s*"', "", text_of(r"(src|tools/argmax-cl)/.*\.c"))
    headings = re.findall(r"^### (.*)$", page, re.M)
    if not headings:
        yield "docs/troubleshooting.md: no messages found"
    for heading in headings:
        pieces = [piece.replace('"', '\\"') for piece in heading.strip("`").split("…") if piece]
        anything = r'(?:[^"\\]|\\.)*'  # within one literal
        if not re.search(anything.join(map(re.escape, pieces)), texts):
            yield f"docs/troubleshooting.md: no such message: {heading}"
    for name, number, sentence in re.findall(r'^STATUS\(ERROR_(\w+), (\d+), "(.*)"\)', text_of(r"src/api/status\.def"), re.M):
        row = f"| {number} `ARGMAX_CL_ERROR_{name}` | {sentence} |"
        if row not in page:
            yield f"docs/troubleshooting.md lacks: {row}"


def wrong_in(page):
    text = page.read_text()
    for number, code, block in code_of(text):
        yield from ((number, said) for said in wrong_paths(page, code))
        yield from ((number, said) for said in wrong_options(code, block))
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r"\bARGMAX_CL_[A-Z0-9_]+\b", line):
            if name not in NAMES:
                yield number, f"no such variable or constant: {name}"
    yield from ((0, said) for said in wrong_links(page, text))


def main():
    wrong = [f"{page.relative_to(ROOT)}:{number}: {said}" for page in PAGES for number, said in wrong_in(page)]
    wrong += wrong_fields()
    wrong += wrong_messages()
    print("\n".join(wrong) or f"{len(PAGES)} pages: what they name exists")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
