"""Draw the panels of the Grafana dashboard from Prometheus, without Grafana.

python scripts/draw_dashboard.py --prometheus 127.0.0.1:9090 --minutes 5 --output dashboard.png
"""

import argparse
import json
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

DASHBOARD: Final = Path(__file__).parents[1] / "deploy/grafana/dashboards/position-oracle.json"
_UNITS: Final = {"bytes": (2**20, "MiB"), "s": (1.0, "s"), "reqps": (1.0, "calls/s")}
_POINTS: Final = 120
_HEADROOM: Final = 1.35
"""Height of the axes as a multiple of the largest value, so that the legend covers no line."""


def main() -> None:
    """Read the panels, ask Prometheus, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--prometheus", default="127.0.0.1:9090", help="host:port")
    parser.add_argument("--minutes", type=float, default=5.0, help="how far back")
    parser.add_argument("--output", type=Path, required=True, help="a picture: .png, .svg")
    given = parser.parse_args()
    panels = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    draw(panels, given.prometheus, 60 * given.minutes).savefig(given.output, dpi=80)


def draw(panels: list[dict[str, Any]], prometheus: str, seconds: float) -> Figure:
    """Draw the panels in the places that they have on the dashboard."""
    mpl.rcParams.update({"font.size": 8, "axes.grid": True, "grid.alpha": 0.3})
    height = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels)
    figure = Figure(figsize=(20, height / 2.4), layout="constrained")
    grid = figure.add_gridspec(height, 24)
    end = time.time()
    for panel in panels:
        place = panel["gridPos"]
        rows = slice(place["y"], place["y"] + place["h"])
        axes = figure.add_subplot(grid[rows, place["x"] : place["x"] + place["w"]])
        unit = panel["fieldConfig"]["defaults"]["unit"]
        size, name = _UNITS.get(unit, (1.0, ""))
        axes.set_title(panel["title"] + (f" [{name}]" if name else ""), loc="left", weight="bold")
        if panel["type"] == "table":
            _table(axes, asked(prometheus, "query", query=panel["targets"][0]["expr"]))
            continue
        for target in panel["targets"]:
            step = max(seconds / _POINTS, 1.0)
            query = target["expr"].replace("$__rate_interval", f"{max(4 * step, 4):.0f}s")
            span = {"start": f"{end - seconds}", "end": f"{end}", "step": f"{step}"}
            for series in asked(prometheus, "query_range", query=query, **span):
                times = [float(at) - end for at, _ in series["values"]]
                values = [float(value) / size for _, value in series["values"]]
                axes.plot(times, values, label=label(target["legendFormat"], series["metric"]))
        axes.set_xlim(-seconds, 0)
        axes.set_ylim(0, _HEADROOM * axes.get_ylim()[1])
        if axes.lines:
            axes.legend(loc="upper left", ncols=3, fontsize=7, frameon=False)
    figure.supxlabel("seconds before the end", fontsize=9)
    return figure


def label(template: str, labels: dict[str, str]) -> str:
    """Return the name of a series, which Grafana makes of its labels."""
    for name, value in labels.items():
        template = template.replace("{{" + name + "}}", value)
    return template


def asked(prometheus: str, kind: str, **parameters: str) -> list[dict[str, Any]]:
    """Return the answer of Prometheus to a query."""
    url = f"http://{prometheus}/api/v1/{kind}?{urllib.parse.urlencode(parameters)}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=30) as response:
        result: list[dict[str, Any]] = json.load(response)["data"]["result"]
    return result


def _table(axes: Any, rows: list[dict[str, Any]]) -> None:
    axes.axis("off")
    names = ("game", "kind", "limit", "checksum")
    cells = [[row["metric"].get(name, "") for name in names] for row in rows]
    if cells:
        axes.table(cellText=cells, colLabels=names, loc="upper center", cellLoc="left")


if __name__ == "__main__":
    main()
