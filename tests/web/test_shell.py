"""The page as a whole: accessible, offline, without errors, and with all texts."""

import json
import re
import subprocess
from itertools import product
from pathlib import Path

import pytest

from position_oracle.engine.games.introductions import introductions
from tests.web.conftest import NODE, Opened, resize, some, until

STATIC = Path(__file__).parents[2] / "oracle" / "web" / "static"
ADDRESSES = {
    "games": "#games/",
    "puzzle": "#puzzle/chomp:4/3/2",
    "help": "#help/",
    "graph": "#play/nodekayles:1-2-3-4-1",
    "play": "#play/chomp:4/3/2?first=you&second=perfect",
    "strip": "#play/toads:TT.FF",
    "endless": "#play/transfinite:2x(w+1)",
    "numbers": "#analyse/divisors:72",
    "result": "#play/nim:[1]?first=you&second=you&moves=[0]",
    "heaps": "#play/kayles:[5,7]?first=you&second=you",
    "analyse": "#analyse/chomp:4/3/2",
    "large": "#analyse/chomp3:[200,3,4]",
    "sum": "#analyse/chomp:3/3+nim:[3,5]+toads:T.F",
    "look": "#look/?a=chomp3~100~L~line&b=chomp3~60~W~origin&show=lines~scaled",
}

SEEN = {("play", "dark"), ("sum", "light"), ("look", "light"), ("games", "dark")}


@pytest.mark.parametrize(("view", "theme"), some([*product(ADDRESSES, ["light", "dark"])], SEEN))
def test_nothing_is_wider_than_a_phone_and_axe_finds_no_violation(
    opened: Opened, view: str, theme: str
) -> None:
    page = opened(ADDRESSES[view], size="phone", theme=theme)
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    carrier = pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    resize(page, "desk")
    page.wait_for_timeout(100)
    page.evaluate((Path(carrier.__file__).parent / "axe.min.js").read_text())
    found = page.evaluate("axe.run(document).then((result) => result.violations)")
    said = [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found]
    assert said == []


def test_the_colours_are_switched_and_kept(opened: Opened) -> None:
    page = opened("#play/chomp:3/2")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for _ in range(2):
        page.locator("button.theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.reload()
    page.wait_for_selector("html[data-theme=dark]")


def test_without_the_oracle_the_page_is_still_there(opened: Opened) -> None:
    page = opened("#play/chomp:3/3?first=you&second=you", errors=True, alone=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    until(page, "caches.keys().then((keys) => keys.length > 0)")
    page.context.set_offline(True)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.get_by_role("gridcell", name="row 2, column 2").click()
    page.get_by_role("gridcell", name="row 1, column 1, the poison").click()
    assert page.locator("#turn").inner_text().lower() == "the first player won"
    page.get_by_role("link", name="Games").click()
    page.locator(".gamelist").get_by_text("Nim", exact=True).wait_for()
    page.get_by_role("link", name="Analyse").click()
    page.get_by_text("The server does not answer").wait_for()


def test_every_word_is_in_the_texts_and_every_text_is_used() -> None:
    texts = (STATIC / "texts" / "en.js").read_text()
    known = set(re.findall(r'^  "?([\w.?-]+)"?: ', texts, re.MULTILINE))
    sources = "".join(
        path.read_text() for path in STATIC.rglob("*.js") if path.parent.name != "texts"
    )
    asked = set(re.findall(r'\bt\("([\w.-]+)"', sources))
    assert asked <= known, asked - known
    quoted = set(re.findall(r'["`]([\w.-]+)["`$]', sources))
    families = {key.split(".")[0] for key in re.findall(r"`(\w+\.)\$\{", sources)}
    unsaid = {key for key in known - asked - quoted if key.split(".")[0] not in families}
    assert unsaid == set(), unsaid


@pytest.mark.parametrize("language", ["de", "fr"])
def test_every_language_has_every_text_with_its_blanks(language: str) -> None:
    script = (
        "const read = async (code) => (await import(`${process.argv[1]}/${code}.js`)).default;"
        "const [texts, { games, ...other }] = [await read('en'), await read(process.argv[2])];"
        "process.stdout.write(JSON.stringify({ texts, other, games }));"
    )
    command = [str(NODE), "--input-type=module", "-e", script, str(STATIC / "texts"), language]
    said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert said["other"].keys() == said["texts"].keys()
    for key, text in said["texts"].items():
        blanks = set(re.findall(r"{(\w+)[}|]", text))
        assert set(re.findall(r"{(\w+)[}|]", said["other"][key])) == blanks, key
    starts = {each.start for each in introductions()}
    assert said["games"].keys() == starts
    assert all(len(words) == 4 and all(words) for words in said["games"].values())


def test_the_language_is_that_of_the_browser_until_another_is_chosen(opened: Opened) -> None:
    page = opened("#play/chomp:3/3", locale="fr-CH")
    assert page.locator("#turn").inner_text() == "À toi"
    page.locator("select.language").select_option("de")
    page.locator("#turn", has_text="Du bist am Zug").wait_for()
    assert page.evaluate("document.documentElement.lang") == "de"
    page.locator(".rules", has_text="Der Keks unten links ist vergiftet.").wait_for(
        state="attached"
    )


def test_the_service_worker_keeps_every_file() -> None:
    sources = "".join((STATIC / name).read_text() for name in ("index.html", "sw.js"))
    named = re.findall(r'"/static/([^"]+)"', sources)
    there = {str(path.relative_to(STATIC)) for path in STATIC.rglob("*") if path.is_file()}
    assert sorted(named) == sorted(there - {"index.html", "sw.js"})


def test_the_page_fetches_its_modules_at_once() -> None:
    text = (STATIC / "index.html").read_text()
    fetched = set(re.findall(r'"modulepreload" href="/static/([^"]+)"', text))
    there = {str(path.relative_to(STATIC)) for path in STATIC.rglob("*.js")}
    assert fetched == there - {"app.js", "sw.js", "texts/de.js", "texts/fr.js"}


def test_the_page_holds_no_script_and_no_style_of_its_own() -> None:
    text = (STATIC / "index.html").read_text()
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", text) == []
