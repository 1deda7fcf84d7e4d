"""Stored results of one device, as bench/plot.py shows them: which rows count, and the tables made of them."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = ["float32", "float16", "int8", "int64", "float64"]
CLASSES = ["flat", "rows", "columns", "middle", "multi"]
# Okabe and Ito's colours, told apart by every eye, and a mark for each.
OURS = ("argmax_cl", "#000000", "o")
PEERS = {"numpy": ("NumPy", "#E69F00", "s"), "torch": ("PyTorch", "#D55E00", "^"),
         "compiled": ("torch.compile", "#CC79A7", "v"), "cupy": ("CuPy", "#009E73", "D"),
         "cub": ("CUB", "#0072B2", "P"), "jax": ("JAX", "#56B4E9", "*"), "opencv": ("OpenCV", "#009E73", "X"),
         "onnxruntime": ("ONNX Runtime", "#56B4E9", "h"),
         "naive": ("naive kernel", "#999999", "1"), "clblast": ("CLBlast", "#0072B2", "<")}


def tags_of_problems():
    """Problem -> the sets of words after # in bench/problems.txt."""
    tags = {}
    with open(os.path.join(HERE, "problems.txt"), encoding="ascii") as file:
        for line in file:
            text, _, words = line.partition("#")
            if text.strip():
                tags.setdefault(text.strip(), []).append(words.split())
    return tags


def typical(rows, measure="ratio"):
    """Of the rows of the latest commit the one in the middle."""
    latest = max(rows, key=lambda r: r["date"])["commit"]
    rows = sorted((r for r in rows if r["commit"] == latest), key=lambda r: r[measure])
    return rows[len(rows) // 2]


def latest_survey(rows):
    """The problems drawn at random that the latest commit measured, those beside peers where there are any."""
    all_rows = [r for rs in rows.values() for r in rs]
    if not all_rows:
        return []
    latest = max(all_rows, key=lambda r: r["date"])["commit"]
    mine = [[r for r in rs if r["commit"] == latest] for rs in rows.values()]
    return [typical([r for r in rs if r.get("peers")] or rs) for rs in mine if rs]


class Results:
    """One device's file."""

    def __init__(self, path, tags):
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.about, self.first, self.survey, rows = {}, {}, {}, {}
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line)
                except ValueError as error:
                    sys.exit(f"{path}:{number}: {error}")
                if "about" in row:
                    self.about = row
                elif "first" in row:
                    self.first.setdefault(row["problem"], []).append(row)
                elif "us_naive" in row and "failure" not in row:
                    self.survey.setdefault(row["problem"], []).append(row)
                elif "failure" not in row:
                    rows.setdefault(row["problem"], []).append(row)
        self.drawn = latest_survey(self.survey)
        self.rows = {problem: typical(all_rows) for problem, all_rows in rows.items()}
        compared = {p: [r for r in rs if r.get("peers")] for p, rs in rows.items()}
        self.compared = {p: typical(rs) for p, rs in compared.items() if rs}
        largest = [["sweep", "flat"]]  # its line in problems.txt names no number
        self.tags = {p: tags.get(p, largest if len(p.split()) == 3 else [[]]) for p in self.rows}
        any_row = next(iter([*self.rows.values(), *self.drawn]), {})
        self.title = self.about.get("about", any_row.get("device", self.name))
        self.linked = self.about.get("page") == "link"
        self.kind = "gpu" if len(self.tagged("gpu")) > len(self.tagged("cpu")) else "cpu"

    def tagged(self, *words, without=()):
        return [p for p, sets in self.tags.items()
                if any(all(w in s for w in words) and not any(w in s for w in without) for s in sets)]

    def main_problems(self):
        """The plain shapes by class, in the order of problems.txt: [(class, shape, {type: problem})]."""
        found = {}
        for group in CLASSES:
            for p in self.tagged(self.kind, group, without=("order", "values", "views", "adversary", "small")):
                words = p.split()
                shape = f"{words[2]} {words[3]}" if len(words) > 3 else "flat"
                found.setdefault((group, shape), {})[words[1]] = p
        return [(group, shape, types) for (group, shape), types in found.items()]


def pretty_shape(shape):
    size, _, axes = shape.partition(" axes=")
    return "flat" if not axes else f"({size.replace('x', ', ')}) axis {axes}" if "," not in axes else \
        f"({size.replace('x', ', ')}) axes {axes}"


# ---- Tables --------------------------------------------------------------------------------------------------------

def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def provenance(results):
    rows = list(results.rows.values()) + results.drawn
    dates = sorted({r["date"][:10] for r in rows})
    commits = sorted({r["commit"] for r in rows})
    first = rows[0]
    text = f"{dates[0]}{' to ' + dates[-1] if len(dates) > 1 else ''}; {first['device']}; {first['platform']}, " \
           f"driver {first['driver']}; commit {', '.join(commits)}."
    versions = {}
    for r in [*results.compared.values(), *results.drawn]:
        versions.update(r.get("versions", {}))
    if versions:
        text += " Peers: " + ", ".join(f"{PEERS.get(n, (n,))[0]} {v}" for n, v in sorted(versions.items())) + "."
    wrong = [r["problem"] for r in rows if r["ok"] is False]
    text += f" {len(rows)} problems, " + (f"WRONG ANSWERS: {'; '.join(wrong)}." if wrong else "no wrong answer.")
    disturbed = sum(1 for r in rows if not r.get("calm", True))
    if disturbed:
        text += f" On {disturbed} of them the machine was never quiet."
    return [text] + ([results.about["note"]] if "note" in results.about else []) + [""]


def rate(row):
    return f"{row['gbps']:.0f}" if row["gbps"] >= 100 else f"{row['gbps']:.1f}"


def main_table(results):
    shapes = results.main_problems()
    types = [t for t in TYPES if any(t in by_type for _, _, by_type in shapes)]
    rows = []
    for _, shape, by_type in shapes:
        cells = [results.rows.get(by_type.get(t)) for t in types]
        if any(cells):
            rows.append([pretty_shape(shape)] + [f"{rate(r)} ({r['ratio']:.2f})" if r else "" for r in cells])
    return ["GB/s, and the share of the read limit:", ""] + table(["input"] + types, rows) if rows else []


def peer_table(results):
    names = [n for n in PEERS if any(n in r["peers"] for r in results.compared.values())]
    rows = []
    for problem, r in results.compared.items():
        if not names or "small" in " ".join(w for s in results.tags[problem] for w in s):
            continue
        cells = [f"{r['peers'][n]:.{0 if r['peers'][n] >= 100 else 1}f}{' (wrong)' if n in r['wrong'] else ''}"
                 if n in r["peers"] else "" for n in names]
        best = PEERS.get(r["best_peer"], (r["best_peer"],))[0]
        rows.append((r["to_best"], [problem, rate(r), f"{r['ratio']:.2f}"] + cells + [f"{r['to_best']:.2f} ({best})"]))
    rows.sort(key=lambda pair: pair[0])
    return ["Beside the peers, GB/s; the last column is ours to the best of them:", ""] + table(
        ["problem", "argmax_cl", "to the limit"] + [PEERS[n][0] for n in names] + ["to the best"],
        [cells for _, cells in rows]) if rows else []


def random_twin(results, problem):
    """The same problem on random data."""
    words = [w for w in problem.split() if not w.startswith("data=")]
    return results.rows.get(" ".join(words))


def other_table(results):
    rows = []
    for group in ("order", "values", "views", "adversary", "nan", "ties"):
        for p in results.tagged(results.kind, group):
            r, twin = results.rows[p], random_twin(results, p)
            rows.append([p, rate(r), f"{r['ratio']:.2f}",
                         f"{r['ratio'] / twin['ratio']:.2f}" if twin and "data=" in p else ""])
    return ["Other orders, values, views, and data that is hard on some ways to search:", ""] + table(
        ["problem", "GB/s", "to the limit", "to random data"], rows) if rows else []


def small_table(results):
    rows = []
    for p in dict.fromkeys(results.tagged("sweep", "small") + results.tagged("sweep")):
        r, compared = results.rows[p], results.compared.get(p)
        peers = sorted((1e-3 * compared["bytes"] / v, n) for n, v in compared["peers"].items()) if compared else []
        best = f"{peers[0][0]:.1f} ({PEERS[peers[0][1]][0]})" if peers else ""
        cells = [p, f"{r['us_wall']:.1f}", f"{r['us_device']:.1f}", f"{r['launch_us']:.1f}", f"{r['ratio']:.2f}", best]
        rows.append((p.split()[3:], r["dtype"], r["bytes"], cells))
    return ["Sizes; microseconds:", ""] + table(
        ["problem", "enqueue to finish", "on the device", "empty launch", "to the limit", "best peer"],
        [row[-1] for row in sorted(rows)]) if rows else []


def first_table(results):
    rows = []
    for problem, all_rows in results.first.items():
        r = typical(all_rows, "ms_first")
        rows.append([problem, f"{r['ms_create']:.1f}", f"{r['ms_plan']:.1f}", f"{r['ms_run']:.1f}",
                     f"{r['ms_first']:.0f}", f"{r['programs']}", f"{r['launches']}"])
    return ["First result of a process, the driver's cache warm; ms:", ""] + table(
        ["problem", "create", "plan", "run", "all", "programs compiled", "kernels launched"], rows) if rows else []


def pictures_of_page(results):
    """How many of a device's pictures docs/benchmarks.md shows; the others are in bench/results/NAME.md."""
    return 0 if results.linked else 2 if results.drawn else 1


def page_of(results, pictures):
    """The section of docs/benchmarks.md: problems drawn at random first, then the chosen shapes; or a link alone."""
    from profiles import survey_lines
    page = f"../bench/results/{results.name}.md"
    if results.linked:
        return [f"[{results.title}]({page}), {len(results.rows)} problems. {results.about.get('note', '')}".rstrip()]
    lines = provenance(results)
    for i, (path, what) in enumerate(pictures[:pictures_of_page(results)]):
        lines += [f"![{results.title}: {what}](benchmarks/{os.path.basename(path)})", ""]
        lines += survey_lines(results.drawn) if i == 0 else []
    return lines + main_table(results) + [f"Peers, other layouts and sizes: [{results.name}]({page})."]


def details_of(results, pictures):
    """bench/results/NAME.md: all tables, and the other pictures."""
    lines = [f"# {results.title}", ""] + provenance(results)
    for path, what in pictures[pictures_of_page(results):]:
        lines += [f"![{results.title}: {what}](../../docs/benchmarks/{os.path.basename(path)})", ""]
    return lines + main_table(results) + peer_table(results) + other_table(results) + small_table(results) + \
        first_table(results)
