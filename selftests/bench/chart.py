# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The entries as a bar chart in SVG, for a README: on light and on dark pages, 760 wide."""
from collections import namedtuple
from xml.sax.saxutils import escape

from figures import (CYCLES, TIME, best_of_ours, is_ours, select, unique, whole_path)

WIDTH = 760
MARGIN = 24
GAP = 36  # between the two columns
COLUMN = (WIDTH - 2 * MARGIN - GAP) // 2
LABEL = 136  # room for an implementation's name
VALUE = 52  # and for a figure behind the longest bar
ROW, BAR = 21, 15
GROUP_HEAD, GROUP_GAP, PANEL_HEAD = 24, 8, 30

TITLES = {"blake2b": "BLAKE2b", "sha3-256": "SHA3-256"}

STYLE = """
.page { fill: #ffffff; stroke: #d1d9e0 } text { fill: #1f2328 } .quiet { fill: #59636e }
.bar { fill: #b4bcc6 } .ours { fill: #0969da } .axis { stroke: #d1d9e0 }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; stroke: #3d444d } text { fill: #f0f6fc } .quiet { fill: #9198a1 }
.bar { fill: #5b636d } .ours { fill: #4493f8 } .axis { stroke: #3d444d }
}
text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
.title { font-size: 17px; font-weight: 600 } .panel { font-size: 14px; font-weight: 600 }
.group { font-size: 12px } .label { font-size: 12px } .strong { font-weight: 600 }
"""

Panel = namedtuple("Panel", "title groups")
USUAL_CASE = "instructions, 4096-byte dm-verity block"

Group = namedtuple("Group", "title bars longest")  # longest: the value that fills the width
Bar = namedtuple("Bar", "name value ours")


def svg(entries):
    metric = CYCLES if select(entries, metric=CYCLES) else TIME
    of_cores = [e for e in select(entries, metric=metric) if e["hash"] in TITLES]
    title = f"{metric.replace('/', ' per ')}, less is better"
    parts, y = section(title[0].upper() + title[1:], of_cores, core_panels(of_cores), MARGIN)
    # The table has all of it; a picture of the usual case says enough.
    in_kernel = select(whole_path(entries), metric=USUAL_CASE) or whole_path(entries)
    if in_kernel:
        title = "Whole path in the kernel, less is better"
        more, y = section(title, in_kernel, whole_path_panels(in_kernel), y + 12)
        parts += more
    return document(parts, y + MARGIN - 8)


def core_panels(entries):
    """One panel per hash; all of its bars have the same scale."""
    return [core_panel(TITLES[hash], select(entries, hash=hash))
            for hash in unique(e["hash"] for e in entries)]


def core_panel(title, entries):
    longest = max(e["value"] for e in entries)
    return Panel(title, [Group(core_title(core), bars(select(entries, core=core)), longest)
                         for core in unique(e["core"] for e in entries)])


def core_title(core):
    return f"Cortex-{core.upper()}" if core.startswith("a") else core


def whole_path_panels(entries):
    """One panel per hash. Each operation has a scale of its own: their sizes differ much."""
    panels = []
    for hash in unique(e["hash"] for e in entries):
        found = select(entries, hash=hash)
        by_metric = [(metric, select(found, metric=metric))
                     for metric in unique(e["metric"] for e in found)]
        panels.append(Panel(hash, [Group(metric, bars(of_it), max(e["value"] for e in of_it))
                                   for metric, of_it in by_metric]))
    return panels


def bars(entries):
    """Our best variant first, then the others."""
    best = best_of_ours(entries)
    ours = [Bar("neon-shash", best["value"], True)] if best else []
    return ours + [Bar(e["impl"], e["value"], False) for e in entries if not is_ours(e)]


def section(title, entries, panels, y):
    """A title, how the figures came about, and panels in two columns; also where it ends."""
    how = "; ".join(unique(e["how"] for e in entries))
    parts = [text(MARGIN, y + 14, title, "title"), text(MARGIN, y + 33, how, "label quiet")]
    y += 46
    for pair in (panels[i:i + 2] for i in range(0, len(panels), 2)):
        for column, panel in enumerate(pair):
            parts += draw(panel, MARGIN + column * (COLUMN + GAP), y)
        y += max(map(height, pair))
    return parts, y


def height(panel):
    rows = sum(len(group.bars) * ROW for group in panel.groups)
    return PANEL_HEAD + rows + len(panel.groups) * (GROUP_HEAD + GROUP_GAP)


def draw(panel, x, y):
    parts = [text(x, y + 18, panel.title, "panel")]
    y += PANEL_HEAD
    for group in panel.groups:
        parts.append(text(x, y + 14, group.title, "group quiet"))
        y += GROUP_HEAD
        axis = x + LABEL
        scale = (COLUMN - LABEL - VALUE) / group.longest
        for bar in group.bars:
            parts += draw_bar(bar, x, y, axis, scale)
            y += ROW
        parts.append(f'<path class="axis" d="M{axis - .5} {y - len(group.bars) * ROW - 2}V{y}"/>')
        y += GROUP_GAP
    return parts


def draw_bar(bar, x, y, axis, scale):
    length = round(bar.value * scale, 1)
    strong = " strong" if bar.ours else ""
    kind = "bar ours" if bar.ours else "bar"
    top = y + (ROW - BAR) / 2 - 1
    return [text(x, y + 14, bar.name, "label" + strong),
            f'<path class="{kind}" d="M{axis} {top}h{length - 2:.1f}q2 0 2 2v{BAR - 4}'
            f'q0 2 -2 2H{axis}z"/>',
            text(axis + length + 6, y + 14, number(bar.value), "label" + strong)]


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}"


def text(x, y, words, style):
    return f'<text class="{style}" x="{x:g}" y="{y:g}">{escape(words)}</text>'


def document(parts, bottom):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom}" '
            f'viewBox="0 0 {WIDTH} {bottom}" role="img" aria-label="neon-shash benchmark">')
    page = f'<rect class="page" x=".5" y=".5" width="{WIDTH - 1}" height="{bottom - 1}" rx="6"/>'
    return "\n".join([head, f"<style>{STYLE}</style>", page, *parts, "</svg>", ""])
