#!/usr/bin/env python3
"""The pictures and tables of docs/benchmarks.md, from the stored results.

    bench/plot.py                      every bench/results/*.jsonl: pictures into docs/benchmarks/, tables into the page
    bench/plot.py --to FOLDER FILE...  pictures and tables of these files alone, into a folder, the page untouched

A file of results is what argmax-cl-bench --json and bench/compare.py --json append, from one device; it may hold one
line {"about": TITLE, "note": TEXT}. Of several lines on a problem those of the latest commit count, and of these the
one with the median ratio. In the page, what stands between <!-- results NAME --> and <!-- end NAME --> is replaced.
Needs matplotlib.
"""
import argparse
import glob
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "../docs/benchmarks.md")
PICTURES = os.path.join(HERE, "../docs/benchmarks")
TYPES = ["float32", "float16", "int8", "int64", "float64"]
CLASSES = ["flat", "rows", "columns", "middle", "multi"]
# Okabe and Ito's colours, told apart by every eye, and a mark for each.
OURS = ("argmax_cl", "#000000", "o")
PEERS = {"numpy": ("NumPy", "#E69F00", "s"), "torch": ("PyTorch", "#D55E00", "^"),
         "compiled": ("torch.compile", "#CC79A7", "v"), "cupy": ("CuPy", "#009E73", "D"), "cub": ("CUB", "#0072B2", "P"),
         "jax": ("JAX", "#56B4E9", "*"), "opencv": ("OpenCV", "#009E73", "X"), "onnxruntime": ("ONNX Runtime", "#56B4E9", "h"),
         "clblast": ("CLBlast", "#0072B2", "<")}


def tags_of_problems():
    """Problem -> the sets of words after # in bench/problems.txt."""
    tags = {}
    with open(os.path.join(HERE, "problems.txt"), encoding="ascii") as file:
        for line in file:
            text, _, words = line.partition("#")
            if text.strip():
                tags.setdefault(text.strip(), []).append(words.split())
    return tags


class Results:
    """One device's file."""

    def __init__(self, path, tags):
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.about, rows = {}, {}
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line)
                except ValueError as error:
                    sys.exit(f"{path}:{number}: {error}")
                if "about" in row:
                    self.about = row
                elif "failure" not in row:
                    rows.setdefault(row["problem"], []).append(row)
        self.rows = {problem: self.typical(all_rows) for problem, all_rows in rows.items()}
        compared = {p: [r for r in rs if r.get("peers")] for p, rs in rows.items()}
        self.compared = {p: self.typical(rs) for p, rs in compared.items() if rs}
        self.tags = {p: tags.get(p, [[]]) for p in self.rows}
        any_row = next(iter(self.rows.values()), {})
        self.title = self.about.get("about", any_row.get("device", self.name))
        self.kind = "gpu" if len(self.tagged("gpu")) > len(self.tagged("cpu")) else "cpu"

    @staticmethod
    def typical(rows):
        latest = max(rows, key=lambda r: r["date"])["commit"]
        rows = sorted((r for r in rows if r["commit"] == latest), key=lambda r: r["ratio"])
        return rows[len(rows) // 2]

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


# ---- Pictures ---------------------------------------------------------------------------------------------------------

def matplotlib_pyplot():
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "argmax_cl", "font.size": 9,
                                "font.family": "DejaVu Sans", "axes.spines.top": False, "axes.spines.right": False})
    import matplotlib.pyplot as plt
    return plt


def save(figure, folder, name):
    path = os.path.join(folder, name + ".svg")
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    return path


def pretty_shape(shape):
    size, _, axes = shape.partition(" axes=")
    return "flat" if not axes else f"({size.replace('x', ', ')}) axis {axes}" if "," not in axes else \
        f"({size.replace('x', ', ')}) axes {axes}"


def draw_ratios(plt, results, folder):
    shapes = results.main_problems()
    types = [t for t in TYPES if any(t in by_type for _, _, by_type in shapes)]
    if not shapes or not types:
        return None
    seen = {name for r in results.compared.values() for name in r["peers"]}
    figure, axes = plt.subplots(1, len(types), sharey=True, figsize=(2.2 + 2.1 * len(types), 1.6 + 0.27 * len(shapes)),
                                squeeze=False)
    places, labels, place, last = [], [], 0.0, None
    for group, shape, _ in shapes:
        place += 0.5 if last not in (None, group) else 0
        places.append(place)
        labels.append(pretty_shape(shape))
        place, last = place + 1, group
    for axis, dtype in zip(axes[0], types):
        axis.axvline(1, color="#888888", linewidth=1)
        for at, (_, _, by_type) in zip(places, shapes):
            problem = by_type.get(dtype)
            axis.axhline(at, color="#eeeeee", linewidth=0.8, zorder=0)
            row = results.compared.get(problem)
            for name, rate in (row["peers"] if row else {}).items():
                _, colour, mark = PEERS.get(name, (name, "#888888", "|"))
                wrong = name in row["wrong"]
                axis.plot(min(rate / row["limit_gbps"], 1.15), at, mark, color=colour, markersize=5.5,
                          markerfacecolor="none" if wrong else colour, markeredgewidth=1.1, alpha=0.9, clip_on=False)
            if problem in results.rows:
                axis.plot(min(results.rows[problem]["ratio"], 1.15), at, OURS[2], color=OURS[1], markersize=6, zorder=5,
                          clip_on=False)
        axis.set_title(dtype, fontsize=10)
        axis.set_xlim(0, 1.15)
        axis.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
        axis.tick_params(axis="y", length=0)
    axes[0][0].set_yticks(places, labels)
    axes[0][0].set_ylim(places[-1] + 0.7, -0.7)
    marks = [OURS] + [PEERS[n] for n in PEERS if n in seen]
    handles = [plt.Line2D([], [], linestyle="", color=c, marker=m, markersize=6, label=n) for n, c, m in marks]
    wrong = any(r["wrong"] for r in results.compared.values())
    if wrong:
        handles.append(plt.Line2D([], [], linestyle="", color="#444444", marker="s", markerfacecolor="none", label="wrong answers"))
    figure.suptitle(f"{results.title}: share of the read limit", fontsize=11, y=1.0)
    figure.tight_layout(w_pad=0.6)
    figure.legend(handles=handles, loc="upper center", ncol=min(len(handles), 7), frameon=False, bbox_to_anchor=(0.5, 0.005))
    return save(figure, folder, results.name + "-ratio")


def bytes_label(n):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024 or unit == "GiB":
            return f"{n:g} {unit}"
        n /= 1024


def draw_costs(plt, results, folder):
    panels = [("float32, flat", "flat", "float32"), ("int8, flat", "flat", "int8"),
              ("float32, square, axis 1", "rows", "float32"), ("float32, square, axis 0", "columns", "float32")]
    found = []
    for title, group, dtype in panels:
        rows = sorted((results.rows[p] for p in results.tagged("sweep", group) if results.rows[p]["dtype"] == dtype),
                      key=lambda r: r["bytes"])
        if len(rows) >= 3:
            found.append((title, rows))
    if not found:
        return None
    figure, axes = plt.subplots(1, len(found), sharey=True, figsize=(1 + 3.1 * len(found), 3.6), squeeze=False)
    peers_seen = []
    for axis, (title, rows) in zip(axes[0], found):
        x = [r["bytes"] for r in rows]
        launch = statistics.median(r["launch_us"] for r in rows)
        axis.plot(x, [1e-3 * r["bytes"] / r["limit_gbps"] for r in rows], color="#888888", linewidth=1.5)
        axis.axhline(launch, color="#888888", linewidth=1, linestyle=":")
        peers = {}
        for r in rows:
            row = results.compared.get(r["problem"])
            for name, rate in (row["peers"] if row else {}).items():
                peers.setdefault(name, []).append((row["bytes"], 1e-3 * row["bytes"] / rate))
        for name, points in peers.items():
            label, colour, mark = PEERS.get(name, (name, "#888888", "|"))
            peers_seen += [name] if name not in peers_seen else []
            axis.plot(*zip(*points), mark + "-", color=colour, markersize=4, linewidth=0.8)
        axis.plot(x, [r["us_wall"] for r in rows], "o-", color="#000000", markersize=4.5, linewidth=1.2)
        axis.plot(x, [r["us_device"] for r in rows], "o--", color="#000000", markersize=4.5, linewidth=1, markerfacecolor="white")
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        low, high = min(x), max(x)
        ticks = [t for t in (2 ** k for k in range(10, 40, 5)) if low / 2 <= t <= high * 2]
        axis.set_xticks(ticks, [bytes_label(t) for t in ticks])
        axis.minorticks_off()
        axis.grid(color="#eeeeee", linewidth=0.8)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("input")
    axes[0][0].set_ylabel("microseconds")
    line = plt.Line2D
    handles = [line([], [], color="#000000", marker="o", markersize=4.5, label="argmax_cl, enqueue to finish"),
               line([], [], color="#000000", marker="o", markersize=4.5, markerfacecolor="white", linestyle="--",
                    label="argmax_cl, on the device"),
               line([], [], color="#888888", label="read limit, on the device"),
               line([], [], color="#888888", linestyle=":", label="empty launch, enqueue to finish")]
    handles += [line([], [], color=PEERS[n][1], marker=PEERS[n][2], markersize=4, linewidth=0.8, label=PEERS[n][0])
                for n in PEERS if n in peers_seen]
    figure.suptitle(f"{results.title}: time of one call", fontsize=11, y=1.0)
    figure.tight_layout(w_pad=0.8)
    figure.legend(handles=handles, loc="upper center", ncol=4, frameon=False, bbox_to_anchor=(0.5, 0.01))
    return save(figure, folder, results.name + "-cost")


# ---- Tables -----------------------------------------------------------------------------------------------------------

def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def provenance(results):
    rows = list(results.rows.values())
    dates = sorted({r["date"][:10] for r in rows})
    commits = sorted({r["commit"] for r in rows})
    first = rows[0]
    text = f"{dates[0]}{' to ' + dates[-1] if len(dates) > 1 else ''}; {first['device']}; {first['platform']}, driver " \
           f"{first['driver']}; commit {', '.join(commits)}."
    versions = {}
    for r in results.compared.values():
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
        best = max(r["peers"], key=r["peers"].get)
        cells = [f"{r['peers'][n]:.{0 if r['peers'][n] >= 100 else 1}f}{' (wrong)' if n in r['wrong'] else ''}"
                 if n in r["peers"] else "" for n in names]
        rows.append((r["gbps"] / r["peers"][best], [problem, rate(r), f"{r['ratio']:.2f}"] + cells +
                     [f"{r['gbps'] / r['peers'][best]:.2f} ({PEERS.get(best, (best,))[0]})"]))
    rows.sort(key=lambda pair: pair[0])
    return ["Beside the peers, GB/s; the last column is ours to the best of them:", ""] + table(
        ["problem", "argmax_cl", "to the limit"] + [PEERS[n][0] for n in names] + ["to the best"],
        [cells for _, cells in rows]) if rows else []


def random_twin(results, problem):
    """The same problem on random data, or with half or twice the size where that alone was measured."""
    words = [w for w in problem.split() if not w.startswith("data=")]
    return results.rows.get(" ".join(words))


def other_table(results):
    rows = []
    for group in ("order", "values", "views", "adversary", "nan", "ties"):
        for p in results.tagged(results.kind, group):
            r, twin = results.rows[p], random_twin(results, p)
            rows.append([p, rate(r), f"{r['ratio']:.2f}",
                         f"{r['gbps'] / twin['gbps']:.2f}" if twin and "data=" in p else ""])
    return ["Other orders, values, views, and data that is hard on some ways to search:", ""] + table(
        ["problem", "GB/s", "to the limit", "to random data"], rows) if rows else []


def small_table(results):
    rows = []
    for p in dict.fromkeys(results.tagged("sweep", "small") + results.tagged("sweep")):
        r, compared = results.rows[p], results.compared.get(p)
        peers = sorted((1e-3 * compared["bytes"] / v, n) for n, v in compared["peers"].items()) if compared else []
        rows.append((r["bytes"], [p, f"{r['us_wall']:.1f}", f"{r['us_device']:.1f}", f"{r['launch_us']:.1f}",
                                  f"{r['ratio']:.2f}", f"{peers[0][0]:.1f} ({PEERS[peers[0][1]][0]})" if peers else ""]))
    return ["Sizes; microseconds:", ""] + table(
        ["problem", "enqueue to finish", "on the device", "empty launch", "to the limit", "best peer"],
        [cells for _, cells in rows]) if rows else []


def page_of(results, pictures):
    lines = provenance(results)
    for path, what in pictures:
        lines += [f"![{results.title}: {what}](benchmarks/{os.path.basename(path)})", ""]
    details = peer_table(results) + other_table(results) + small_table(results)
    lines += main_table(results)
    if details:
        lines += ["<details><summary>Peers, other orders and layouts, sizes</summary>", ""] + details + ["</details>", ""]
    return lines


def replace_in_page(text, name, lines):
    begin, end = f"<!-- results {name} -->", f"<!-- end {name} -->"
    if begin not in text or end not in text:
        sys.exit(f"{os.path.relpath(PAGE)} has no place for bench/results/{name}.jsonl: add the lines\n{begin}\n{end}")
    head, rest = text.split(begin, 1)
    return head + begin + "\n" + "\n".join(lines).rstrip() + "\n" + end + rest.split(end, 1)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="default: all of bench/results")
    parser.add_argument("--to", help="folder for pictures and tables; the page is left alone")
    options = parser.parse_args()
    files = options.files or sorted(glob.glob(os.path.join(HERE, "results", "*.jsonl")))
    folder = options.to or PICTURES
    os.makedirs(folder, exist_ok=True)
    plt, tags = matplotlib_pyplot(), tags_of_problems()
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    for path in files:
        results = Results(path, tags)
        if not results.rows:
            sys.exit(f"{path}: no results")
        drawn = [(draw_ratios(plt, results, folder), "share of the read limit"),
                 (draw_costs(plt, results, folder), "time of one call against its size")]
        lines = page_of(results, [(p, what) for p, what in drawn if p])
        if options.to:
            with open(os.path.join(folder, results.name + ".md"), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        else:
            page = replace_in_page(page, results.name, lines)
        print(f"{results.title}: {len(results.rows)} problems, {', '.join(os.path.relpath(p) for p, _ in drawn if p)}")
    if not options.to:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
