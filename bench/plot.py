#!/usr/bin/env python3
"""The pictures and tables of docs/benchmarks.md, from the stored results.

    bench/plot.py                      every bench/results/*.jsonl: pictures into docs/benchmarks/, a table of each into
                                       the page, all tables into bench/results/NAME.md
    bench/plot.py --to FOLDER FILE...  pictures and tables of these files alone, into a folder, the page untouched

A file of results is what argmax-cl-bench --json and bench/compare.py --json append, from one device; it may hold one
line {"about": TITLE, "note": TEXT, "page": "link"}. Of several lines on a problem those of the latest commit count, and
of these the one with the median ratio. In the page, what stands between <!-- results NAME --> and <!-- end NAME --> is
replaced; a device that has no such place gets one at the end. With "page": "link" that is a line with a link, and all
pictures are in bench/results/NAME.md.
Needs matplotlib.
"""
import argparse
import glob
import io
import os
import re
import statistics
import sys

from profiles import draw_profiles
from stored import OURS, PEERS, TYPES, Results, details_of, page_of, pretty_shape, tags_of_problems

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "../docs/benchmarks.md")
PICTURES = os.path.join(HERE, "../docs/benchmarks")


# ---- Pictures ------------------------------------------------------------------------------------------------------

def matplotlib_pyplot():
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "argmax_cl", "font.size": 9,
                                "font.family": "DejaVu Sans",
                                "axes.spines.top": False, "axes.spines.right": False})
    import matplotlib.pyplot as plt
    return plt


def save(figure, folder, name):
    path = os.path.join(folder, name + ".svg")
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight", facecolor="white")
    with open(path, "w", encoding="utf-8") as file:  # Verdana has the widths of DejaVu Sans
        file.write(re.sub("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif", text.getvalue()))
    return path


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
            for name, share in (row["peers_ratio"] if row else {}).items():
                _, colour, mark = PEERS.get(name, (name, "#888888", "|"))
                wrong = name in row["wrong"]
                axis.plot(min(share, 1.15), at, mark, color=colour, markersize=5.5,
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
        handles.append(plt.Line2D([], [], linestyle="", color="#444444", marker="s", markerfacecolor="none",
                                  label="wrong answers"))
    figure.suptitle(f"{results.title}: share of the read limit", fontsize=11, y=1.0)
    figure.tight_layout(w_pad=0.6)
    figure.legend(handles=handles, loc="upper center", ncol=min(len(handles), 9), frameon=False,
                  bbox_to_anchor=(0.5, 0.005))
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
    peers_seen, times = [], []
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
        axis.plot(x, [r["us_device"] for r in rows], "o--", color="#000000", markersize=4.5, linewidth=1,
                  markerfacecolor="white")
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        low, high = min(x), max(x)
        ticks = [t for t in (2 ** k for k in range(10, 40, 5)) if low / 2 <= t <= high * 2]
        axis.set_xticks(ticks, [bytes_label(t) for t in ticks])
        axis.minorticks_off()
        times += [t for line in axis.lines for t in line.get_ydata()]
        axis.grid(color="#eeeeee", linewidth=0.8)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("input")
    units = ["0.1 µs", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"]
    decades = [(10.0 ** (i - 1), unit) for i, unit in enumerate(units)]
    shown = [(time, unit) for time, unit in decades if min(times) / 2 < time < max(times) * 2]
    axes[0][0].set_yticks([t for t, _ in shown], [unit for _, unit in shown])
    axes[0][0].set_ylim(min(times) / 1.5, max(times) * 1.5)
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


def replace_in_page(text, results, lines):
    begin, end = f"<!-- results {results.name} -->", f"<!-- end {results.name} -->"
    if begin not in text or end not in text:
        heading = "" if results.linked else f"### {results.title}\n\n"
        text = f"{text.rstrip()}\n\n{heading}{begin}\n{end}\n"
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
        if not results.rows and not results.drawn:
            sys.exit(f"{path}: no results")
        drawn = [(draw_profiles(plt, results, save, folder), "problems drawn at random, within a factor of the limit"),
                 (draw_ratios(plt, results, folder), "share of the read limit"),
                 (draw_costs(plt, results, folder), "time of one call against its size")]
        shown = [(p, what) for p, what in drawn if p]
        details = options.to or os.path.join(HERE, "results")
        with open(os.path.join(details, results.name + ".md"), "w", encoding="utf-8") as file:
            file.write("\n".join(details_of(results, shown)).rstrip() + "\n")
        if not options.to:
            page = replace_in_page(page, results, page_of(results, shown))
        print(f"{results.title}: {len(results.rows)} problems, {len(results.drawn)} drawn at random, {', '.join(os.path.relpath(p) for p, _ in drawn if p)}")
    if not options.to:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
