// One sheet with its controls: the game, x, the kind of sheet, and the colours.

import { button, field, h, say, select } from "./dom.js";
import { createDetails, listOfLosers, shapeOf } from "./measured.js";
import { OracleError } from "./oracle.js";
import { isChomp, losersPicture, namesOf, winnersPicture } from "./sheetpicture.js";
import { ORIGINS } from "./sheets.js";
import { t } from "./text.js";
import { createSheet } from "./views/sheet.js";

const ALPHA = Math.SQRT1_2;
const FRAME_MS = 120;
const LARGEST_X = 2 ** 31 - 1;
const GAMES = ["chomp3", "chomp3{passes=1}", "nim{heaps=3}", "nim{heaps=3,passes=1}",
  "wythoff{rule=pairs}", "wythoff{rule=all}", "wythoff{rule=both}"];
const COLOURS = { L: ["line", "plain"], W: ["origin", "age", "plain"] };

/**
 * A panel: {state, element, sheet, refresh(), pause()}. `state` is {game, x, kind, colour}.
 *
 * `shared` has the data that panels share. `limits` is a promise of the last x of each game. `onFrame` is called
 * when the frame moves, `keep` after a choice. The element describes the picture.
 */
export function createPanel(name, start, { frame, shared, limits, onFrame, keep }) {
  const state = { ...start };
  const unit = () => (shared.scaled ? Math.max(1, state.x) : 1);
  let known = new Map();
  let playing = null;
  let held = null;
  let loaded = ""; // what the picture will show once it is drawn

  const offered = h("datalist", { id: `games-${name}` });
  const game = h("input", { type: "text", list: `games-${name}`, spellcheck: "false", autocomplete: "off",
    autocapitalize: "off", on: { change: () => change({ game: game.value.trim() || "chomp3" }) } });
  const x = h("input", { type: "number", min: 0, max: 1_000_000, inputmode: "numeric", on: { change: () => change({ x: whole(x.value) }) } });
  const slider = h("input", { type: "range", min: 0, "aria-label": t("look.slider", { name: name.toUpperCase() }),
    on: { input: () => change({ x: whole(slider.value) }) } });
  const kind = select(Object.keys(COLOURS).map((each) => [each, t(`look.${each}`)]), state.kind, (value) =>
    change({ kind: value, colour: COLOURS[value][0] }));
  const colour = select([], "", (value) => change({ colour: value }));
  const play = button(t("look.play"), () => (playing ? pause() : animate()), { class: "small" });
  const legend = h("p", { class: "legend" });
  const readout = h("output", { class: "readout" });
  const values = createDetails(t("look.values"), () => listOfLosers(state.game, state.x, Math.floor(frame.left * unit())));
  const measured = createDetails(t("look.measured"), () => shapeOf(state.game, state.x));
  const sheet = createSheet({ frame, unit, load, overlay, onFrame, onCell });
  sheet.element.addEventListener("drawn", () => { element.dataset.drawn = loaded; });
  const element = h("section", { class: "card panel", "aria-label": t("look.panel", { name: name.toUpperCase() }) },
    h("div", { class: "controls" }, field(t("look.game"), game), field(t("look.kind"), kind),
      field(t("look.colour"), colour), field(t("look.x"), x)),
    offered, h("div", { class: "slide" }, slider, play), sheet.element, legend, readout, values.element, measured.element);

  function change(next) {
    Object.assign(state, next);
    if (next.game || next.kind) sheet.forget();
    refresh();
    keep();
  }

  function refresh() {
    const colours = COLOURS[state.kind];
    if (!colours.includes(state.colour)) [state.colour] = colours;
    colour.replaceChildren(...colours.map((each) => h("option", { value: each }, t(`colour.${each}`))));
    colour.value = state.colour;
    game.value = state.game;
    x.value = state.x;
    slider.max = Math.max(known.get(state.game)?.last ?? 1000, state.x);
    slider.value = state.x;
    kind.value = state.kind;
    drawLegend();
    sheet.update();
    values.update();
    measured.update();
  }

  function drawLegend() {
    const swatch = (each) => h("span", {}, h("span", { class: `swatch s-${each}`, "aria-hidden": "true" }), ` ${t(`legend.${each}`)}`);
    legend.replaceChildren(state.colour === "plain" ? "" : h("span", {}, t(`legend.of.${state.colour}`)),
      ...namesOf(state).map(swatch), shared.overlay && isChomp(state.game) ? swatch("theory") : "");
  }

  /** The lines of equation (5) of the paper of 2007, in cells of L_x. */
  function overlay() {
    if (!shared.overlay || !isChomp(state.game) || !state.x) return [];
    const end = (Math.SQRT2 - 1) * state.x;
    const tail = (2 - Math.SQRT2) * state.x;
    return [
      [[0, ALPHA * state.x], [end, 0], "lower"],
      [[0, ALPHA * state.x], [end, tail], "upper"],
      [[end, tail], [Math.max(2 * end, (frame.left + frame.span) * unit()), tail], "flat"],
    ];
  }

  async function load(window, block) {
    const asked = { ...state };
    try {
      await limits;
      sheet.complain("");
      const found = await (asked.kind === "L" ? losersPicture : winnersPicture)(asked, window, block,
        { colours, stored: known.get(asked.game)?.stored });
      if (!found) {
        sheet.complain(t("look.zoomIn"));
        return null;
      }
      held = { window, parts: found.parts };
      const counted = t(asked.kind === "L" ? "look.losersSeen" : "look.winnersSeen", { n: found.seen });
      sheet.describe(t("look.described", { ...asked, kind: t(`look.${asked.kind}`), counted, y0: window.firstY, y1: window.firstY + window.sizeY - 1 }));
      loaded = `${asked.game} ${asked.x} ${asked.kind} ${asked.colour}`;
      return found.made;
    } catch (error) {
      if (!(error instanceof OracleError)) throw error;
      pause();
      sheet.forget();
      sheet.complain(error.code === "unavailable" ? t("error.lost") : error.message + t("english.note"));
      return null;
    }
  }

  function colours(names) {
    const style = getComputedStyle(element);
    return names.map((each) => rgb(style.getPropertyValue(`--s-${each}`)));
  }

  function onCell(cell) {
    readout.textContent = cell && cell.y >= 0 && cell.z >= 0 ? `[${state.x}, ${cell.y}, ${cell.z}]${saidOf(cell)}` : "";
  }

  function saidOf({ y, z }) {
    const { window, parts = [] } = held ?? {};
    const high = state.kind === "L" ? 1 : window?.sizeZ;
    const [first, cells] = parts.find(([from, some]) => y >= from && (y - from) * high < some.length) ?? [];
    if (!cells || z < window.firstZ || z >= window.firstZ + window.sizeZ) return "";
    if (state.kind === "L") return cells[y - first] === z ? `: ${t("look.isP")}` : "";
    const value = cells[(y - first) * high + z - window.firstZ];
    if (!value) return "";
    if (state.colour === "age") return `: ${t("look.age", { n: value })}`;
    return `: ${ORIGINS.filter(([bit]) => value & bit).map(([, each]) => t(`legend.${each}`)).join(", ")}`;
  }

  async function animate() {
    const mine = {};
    playing = mine;
    play.textContent = t("look.pause");
    if (state.x >= Number(slider.max)) state.x = 0;
    while (playing === mine && state.x < Number(slider.max)) {
      const began = performance.now();
      const drawn = new Promise((resolve) => { sheet.element.addEventListener("drawn", resolve, { once: true }); });
      change({ x: Math.min(Number(slider.max), state.x + Math.max(1, Math.floor(state.x / 60))) });
      await drawn;
      await new Promise((resolve) => { setTimeout(resolve, FRAME_MS - (performance.now() - began)); });
    }
    if (playing === mine) pause();
  }

  function pause() {
    if (!playing) return;
    playing = null;
    play.textContent = t("look.play");
    say(t("look.at", { x: state.x }));
  }

  limits.then((found) => {
    known = found;
    const games = new Set([...GAMES, ...[...known.keys()].filter(isChomp)]);
    offered.replaceChildren(...[...games].map((each) => h("option", { value: each })));
    if (!element.hidden && element.isConnected) refresh();
  });
  return { state, element, sheet, refresh, pause };
}

/** A whole number that can be an x. */
export function whole(text) {
  const value = Math.floor(Number(text));
  return Number.isFinite(value) ? Math.max(0, Math.min(LARGEST_X, value)) : 0;
}

function rgb(text) {
  const match = /#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(text);
  return match ? match.slice(1).map((part) => parseInt(part, 16)) : [128, 128, 128];
}
