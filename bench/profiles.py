"""Performance profiles (Dolan and More, 2002) of problems drawn at random: the share of problems that each way to solve
them finishes within a factor of the limit, and within a factor of the fastest."""
from stored import OURS, PEERS

MOST = 10  # the largest factor shown


def times_of(row):
    """Name -> microseconds on the device; "" is the library."""
    times = {"": row["us_device"], "naive": row["us_naive"]}
    for name, rate in row.get("peers", {}).items():
        times[name] = 1e-3 * row["bytes"] / rate
    return times


def profile(factors, count):
    """Steps of the share of `count` problems within a factor; who cannot solve one is within none."""
    factors = sorted(factors)
    x, y = [1.0], [sum(f <= 1 for f in factors) / count]
    for i, factor in enumerate(factors):
        if 1 < factor <= MOST:
            x.append(factor)
            y.append((i + 1) / count)
    return x + [MOST], y + [y[-1]]


def draw_profiles(plt, results, save, folder):
    """The picture's path; None without such problems."""
    rows = results.drawn
    if len(rows) < 10:
        return None
    times = [times_of(r) for r in rows]
    names = [n for n in ["", *PEERS] if any(n in t for t in times)]
    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(9, 3.8))
    for axis, title, bases in ((axes[0], "within a factor of the limit", [r["us_limit"] for r in rows]),
                               (axes[1], "within a factor of the fastest", [min(t.values()) for t in times])):
        for name in names:
            label, colour, mark = OURS if not name else PEERS[name]
            x, y = profile([t[name] / base for t, base in zip(times, bases) if name in t], len(rows))
            axis.step(x, y, where="post", color=colour, linewidth=2 if not name else 1.2, label=label)
        axis.set_xscale("log")
        axis.set_xlim(1, MOST)
        axis.set_xticks([1, 1.1, 1.5, 2, 3, 5, 10], ["1", "1.1", "1.5", "2", "3", "5", "10"])
        axis.minorticks_off()
        axis.set_ylim(0, 1.01)
        axis.grid(color="#eeeeee", linewidth=0.8)
        axis.set_xlabel(title)
    axes[0].set_ylabel("share of problems")
    figure.suptitle(f"{results.title}: {len(rows)} problems drawn at random", fontsize=11, y=1.0)
    figure.tight_layout(w_pad=0.8)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncol=min(len(labels), 6), frameon=False,
                  bbox_to_anchor=(0.5, 0.02))
    return save(figure, folder, results.name + "-profile")


def survey_lines(rows):
    """The percentiles of the ratio, and the ten worst, as lines of Markdown."""
    if not rows:
        return []
    ratios = sorted(r["ratio"] for r in rows)

    def at(share):
        return f"{ratios[min(len(ratios) - 1, int(share * len(ratios)))]:.2f}"
    lost = sum(r["us_naive"] < r["us_device"] for r in rows)
    lines = [f"{len(rows)} problems drawn at random, commit {rows[0]['commit']}; the limit's time over the library's:", "",
             "| worst | 1 % | 5 % | 10 % | 25 % | median | at least 0.9 | slower than the naive kernel |",
             "|---|---|---|---|---|---|---|---|",
             f"| {ratios[0]:.2f} | {at(.01)} | {at(.05)} | {at(.1)} | {at(.25)} | {at(.5)} | "
             f"{sum(r >= 0.9 for r in ratios) / len(ratios):.0%} | {lost} |", ""]
    worst = sorted(rows, key=lambda r: r["ratio"])[:10]
    return lines + ["The ten worst:", "", "| ratio | naive | strategy | problem |", "|---|---|---|---|"] + [
        f"| {r['ratio']:.2f} | {r['ratio_naive']:.2f} | {r['strategy']} | `{r['problem']}` |" for r in worst] + [""]
