// Look: sheets L_x and W_x of any game, panned, zoomed, animated, two side by side.

import { button, field, h, say, select, settled } from "./dom.js";
import { loadGames } from "./games.js";
import { term } from "./help.js";
import { OracleError, ask, ifRefused } from "./oracle.js";
import { LINES, MOST_CELLS, MOST_LOSERS, ORIGINS, ages, lineOf, losers, markers, originOf, picture,
  sampledLosers, sampledWinners, samples, winners } from "./sheets.js";
import { t } from "./text.js";
import { createSheet } from "./views/sheet.js";
import { served } from "./words.js";

const ALPHA = Math.SQRT1_2;
const AGES = 48;
const LISTED = 200;
const FRAME_MS = 120;
/** Far away, parts of a sheet stand for all of it: so many, of so many columns each. */
const SAMPLES = 120;
const SAMPLE_SIZE = 24;
const WINNER_SAMPLES = 32;
/** Columns of a sheet beyond the tables that are asked for at once: each takes the oracle a moment. */
const SWEPT_AT_ONCE = 6000;
const SHEETS = /^(chomp3|nim|wythoff)\b/;
const SHEET_GAMES = ["chomp3", "chomp3{passes=1}", "nim{heaps=3}", "nim{heaps=3,passes=1}",
  "wythoff{rule=pairs}", "wythoff{rule=all}", "wythoff{rule=both}"];

/** The view; `remember(options)` puts what is looked at in the address. */
export function createLook({ remember }) {
  const frame = { left: 0, bottom: 0, span: 1.2 };
  const shared = { scaled: true, overlay: true, two: false };
  const keep = settled(() => remember(address()), 250);
  let limits = new Map();
  const panels = [createPanel("a", { game: "chomp3", x: 200, kind: "L", colour: "line" }),
    createPanel("b", { game: "chomp3", x: 400, kind: "L", colour: "line" })];
  const check = (key, label) => {
    const box = h("input", { type: "checkbox", on: { change: () => {
      shared[key] = box.checked;
      if (key === "scaled") fit();
      refresh();
      keep();
    } } });
    return { box, element: h("label", { class: "check" }, box, h("span", {}, label)) };
  };
  const checks = { overlay: check("overlay", t("look.overlay")), scaled: check("scaled", t("look.scaled")),
    two: check("two", t("look.two")) };
  const moves = h("div", { class: "tools", role: "group", "aria-label": t("look.move") },
    [["left", "←", () => panels[0].sheet.pan(-0.2, 0)], ["right", "→", () => panels[0].sheet.pan(0.2, 0)],
      ["up", "↑", () => panels[0].sheet.pan(0, 0.2)], ["down", "↓", () => panels[0].sheet.pan(0, -0.2)],
      ["in", "+", () => panels[0].sheet.zoom(0.6)], ["out", "−", () => panels[0].sheet.zoom(1.6)],
      ["fit", t("look.fit"), () => { fit(); refresh(); }]].map(([name, face, call]) =>
      button(face, call, { class: "small", "aria-label": t(`look.${name}`) })));
  const pair = h("div", { class: "sheets" }, panels.map((panel) => panel.element));
  const element = h("div", { class: "look" },
    h("details", { class: "card about", open: true }, h("summary", {}, t("look.what")), h("p", {}, t("look.about")),
      h("p", {}, term("sheet", t("help.sheet")), " · ", term("winners", t("help.winners")), " · ", term("tail", t("help.tail")))),
    h("div", { class: "card lookbar" }, checks.overlay.element, checks.scaled.element, checks.two.element, moves),
    pair);
  const knowing = learnLimits();

  function unitOf(state) {
    return shared.scaled ? Math.max(1, state.x) : 1;
  }

  function fit() {
    const { x } = panels[0].state;
    const wide = Math.max(0.65, 0.82 / panels[0].sheet.shape, 24 / Math.max(1, x));
    Object.assign(frame, { left: 0, bottom: 0, span: wide * (shared.scaled ? 1 : Math.max(1, x)) });
  }

  function onFrame() {
    for (const panel of panels) if (!panel.element.hidden) panel.sheet.update();
    keep();
  }

  function refresh() {
    for (const [key, { box }] of Object.entries(checks)) box.checked = shared[key];
    panels[1].element.hidden = !shared.two;
    pair.classList.toggle("two", shared.two);
    panels.forEach((panel) => { if (!panel.element.hidden) panel.refresh(); });
  }

  function address() {
    const of = ({ game, x, kind, colour }) => [game, x, kind, colour].join("~");
    const { left, bottom, span } = frame;
    return {
      a: of(panels[0].state), ...(shared.two && { b: of(panels[1].state) }),
      at: [left, bottom, span].map((each) => Number(each.toPrecision(6))).join("~"),
      show: [shared.overlay && "lines", shared.scaled && "scaled"].filter(Boolean).join("~"),
    };
  }

  async function learnLimits() {
    const games = await loadGames().catch(ifRefused([]));
    limits = limitsOf(games.filter(({ game }) => SHEETS.test(game)));
    panels.forEach((panel) => panel.offer());
  }

  function createPanel(name, start) {
    const state = { ...start };
    let timer = 0;
    let lineData = null;
    let lineKey = "";
    let counted = "";
    const offered = h("datalist", { id: `games-${name}` }, SHEET_GAMES.map((game) => h("option", { value: game })));
    const game = h("input", { type: "text", list: `games-${name}`, spellcheck: "false", autocomplete: "off",
      autocapitalize: "off", on: { change: () => change({ game: game.value.trim() || "chomp3" }) } });
    const x = h("input", { type: "number", min: 0, max: 1_000_000, inputmode: "numeric",
      on: { change: () => change({ x: whole(x.value) }) } });
    const slider = h("input", { type: "range", min: 0, "aria-label": t("look.slider", { name: name.toUpperCase() }),
      on: { input: () => change({ x: whole(slider.value) }) } });
    const kind = select([["L", t("look.L")], ["W", t("look.W")]], state.kind, (value) =>
      change({ kind: value, colour: value === "L" ? "line" : "origin" }));
    const colour = select([], "", (value) => change({ colour: value }));
    const play = button(t("look.play"), () => (timer ? pause() : animate()), { class: "small" });
    const legend = h("p", { class: "legend" });
    const readout = h("output", { class: "readout" });
    const values = h("details", { class: "values", on: { toggle: () => values.open && list() } },
      h("summary", {}, t("look.values")), h("p", {}));
    const measured = h("details", { class: "values", on: { toggle: () => measured.open && measure() } },
      h("summary", {}, t("look.measured")), h("div", { class: "tablebox" }));
    let held = null;
    let loaded = ""; // what the picture will show once it is drawn
    const sheet = createSheet({ frame, unit: () => unitOf(state), load, overlay, onFrame, onCell });
    sheet.element.addEventListener("drawn", () => { element.dataset.drawn = loaded; });
    const element = h("section", { class: "card panel", "aria-label": t("look.panel", { name: name.toUpperCase() }) },
      h("div", { class: "controls" }, field(t("look.game"), game), field(t("look.kind"), kind),
        field(t("look.colour"), colour), field(t("look.x"), x)),
      offered, h("div", { class: "slide" }, slider, play), sheet.element, legend, readout, values, measured);

    function change(next) {
      Object.assign(state, next);
      if (next.game || next.kind) sheet.forget();
      refreshPanel();
      keep();
    }

    function refreshPanel() {
      const limit = limits.get(state.game)?.last ?? Math.max(1000, state.x);
      const colours = state.kind === "L" ? ["line", "plain"] : ["origin", "age", "plain"];
      if (!colours.includes(state.colour)) [state.colour] = colours;
      colour.replaceChildren(...colours.map((each) => h("option", { value: each }, t(`colour.${each}`))));
      colour.value = state.colour;
      game.value = state.game;
      x.value = state.x;
      slider.max = Math.max(limit, state.x);
      slider.value = state.x;
      kind.value = state.kind;
      drawLegend();
      sheet.update();
      if (values.open) list();
      if (measured.open) measure();
    }

    function drawLegend() {
      const names = { line: isChomp() ? LINES : ["heaps"], origin: isChomp() ? ORIGINS.map(([, each]) => each).filter((each) => each !== "heaps") : ["heaps"],
        age: ["new", "old"], plain: ["one"] }[state.colour];
      legend.replaceChildren(state.colour === "plain" ? "" : h("span", {}, t(`legend.of.${state.colour}`)), ...names.map((each) => h("span", {},
        h("span", { class: `swatch s-${each}`, "aria-hidden": "true" }), ` ${t(`legend.${each}`)}`)),
      shared.overlay && isChomp() ? h("span", {}, h("span", { class: "swatch s-theory", "aria-hidden": "true" }), ` ${t("legend.theory")}`) : "");
    }

    const isChomp = () => state.game.startsWith("chomp3");

    /** The lines of equation (5) of the paper of 2007, in cells of L_x. */
    function overlay() {
      if (!shared.overlay || !isChomp() || !state.x) return [];
      const end = (Math.SQRT2 - 1) * state.x;
      return [
        [[0, ALPHA * state.x], [end, 0], "lower"],
        [[0, ALPHA * state.x], [end, ALPHA * state.x + (ALPHA - 1) * end], "upper"],
        [[end, (2 - Math.SQRT2) * state.x], [Math.max(2 * end, frame.left * unitOf(state) + frame.span * unitOf(state)), (2 - Math.SQRT2) * state.x], "flat"],
      ];
    }

    async function load(window, block) {
      const { game: asked, x: at, kind: which, colour: by } = state;
      try {
        await knowing;
        sheet.complain("");
        const made = which === "L" ? await losersPicture(asked, at, by, window, block)
          : await winnersPicture(asked, at, by, window, block);
        sheet.describe(t("look.described", { kind: t(`look.${which}`), game: asked, x: at, counted,
          y0: window.firstY, y1: window.firstY + window.sizeY - 1 }));
        loaded = `${asked} ${at} ${which} ${by}`;
        return made;
      } catch (error) {
        if (!(error instanceof OracleError)) throw error;
        pause();
        sheet.forget();
        sheet.complain(error.code === "unavailable" ? t("error.lost") : error.message + t("english.note"));
        return null;
      }
    }

    async function losersPicture(asked, at, by, window, block) {
      const parts = await losersIn(asked, at, window);
      held = { window, parts };
      const lines = by === "line" && isChomp() ? await linesOf(asked, at) : null;
      let seen = 0;
      const made = picture(window, block, (put) => parts.forEach(([first, column]) => column.forEach((z, index) => {
        if (z < 0) return;
        seen += 1;
        put(first + index, z, lines ? 1 + lineOf(first + index, z, lines) : 1);
      })), coloursOf(lines ? LINES : isChomp() ? ["one"] : ["heaps"]));
      counted = t("look.losersSeen", { n: seen });
      return { ...made, dots: true };
    }

    /** All losers of a window; where they are dear or very many, those of columns here and there. */
    async function losersIn(asked, at, window) {
      const isCheap = at <= (limits.get(asked)?.stored ?? Infinity) || !isChomp();
      if (window.sizeY <= (isCheap ? MOST_LOSERS : SWEPT_AT_ONCE)) {
        return [[window.firstY, await losers(asked, at, window.firstY, window.sizeY)]];
      }
      return sampledLosers(asked, at, samples(window, SAMPLES, SAMPLE_SIZE), SAMPLE_SIZE);
    }

    async function linesOf(asked, at) {
      if (lineKey !== `${asked} ${at}`) {
        lineData = await markers(asked, at);
        lineKey = `${asked} ${at}`;
      }
      return lineData;
    }

    async function winnersPicture(asked, at, by, window, block) {
      const isAll = window.sizeY * window.sizeZ <= MOST_CELLS;
      const columns = isAll ? [] : samples(window, WINNER_SAMPLES, 1);
      if (!isAll && (by === "age" || columns.length * window.sizeZ > 4 * MOST_CELLS)) {
        sheet.complain(t("look.zoomIn"));
        return null;
      }
      const parts = !isAll ? await sampledWinners(asked, at, columns, window)
        : [[window.firstY, by === "age" ? await ages(asked, at, window, AGES) : await winners(asked, at, window)]];
      held = { window, parts };
      const names = by === "origin" ? ORIGINS.map(([, each]) => each) : ["one"];
      let seen = 0;
      const made = picture(window, block, (put) => parts.forEach(([first, cells]) => {
        for (let index = 0; index < cells.length; index += 1) {
          if (!cells[index]) continue;
          seen += 1;
          const value = by === "age" ? cells[index] : by === "origin" ? originOf(cells[index]) : 1;
          put(first + Math.floor(index / window.sizeZ), window.firstZ + (index % window.sizeZ), value);
        }
      }), by === "age" ? ageColours() : coloursOf(names), { shaded: true, share: isAll ? block : 1,
        step: isAll ? 1 : columns[1] - columns[0] });
      counted = t("look.winnersSeen", { n: seen });
      return made;
    }

    function coloursOf(names) {
      const style = getComputedStyle(element);
      const found = names.map((each) => rgb(style.getPropertyValue(`--s-${each}`)));
      return (value) => found[value - 1];
    }

    function ageColours() {
      const style = getComputedStyle(element);
      const [young, old] = ["--s-new", "--s-old"].map((each) => rgb(style.getPropertyValue(each)));
      return (age) => young.map((each, at) => each + (old[at] - each) * Math.min(1, Math.log(age) / Math.log(AGES)));
    }

    function onCell(cell) {
      readout.textContent = cell && cell.y >= 0 && cell.z >= 0 ? `[${state.x}, ${cell.y}, ${cell.z}]${saidOf(cell)}` : "";
    }

    function saidOf({ y, z }) {
      if (!held) return "";
      const { window, parts } = held;
      const isL = state.kind === "L";
      const high = isL ? 1 : window.sizeZ;
      if (z < window.firstZ || z >= window.firstZ + window.sizeZ) return "";
      const part = parts.find(([first, cells]) => y >= first && (y - first) * high < cells.length);
      if (!part) return "";
      const [first, cells] = part;
      if (isL) return cells[y - first] === z ? `: ${t("look.isP")}` : "";
      const value = cells[(y - first) * high + z - window.firstZ];
      if (!value) return "";
      if (state.colour === "age") return `: ${t("look.age", { n: value })}`;
      return `: ${ORIGINS.filter(([bit]) => value & bit).map(([, each]) => t(`legend.${each}`)).join(", ")}`;
    }

    /** P-positions near the corner of the window as text, for who cannot see the sheet. */
    async function list() {
      const first = Math.floor(frame.left * unitOf(state));
      try {
        const column = await losers(state.game, state.x, first, LISTED);
        const found = [...column].map((z, at) => [first + at, z]).filter(([, z]) => z >= 0);
        values.lastElementChild.textContent = found.map(([y, z]) => `[${state.x},${y},${z}]`).join("  ") || t("look.noValues");
      } catch (error) {
        if (!(error instanceof OracleError)) throw error;
        values.lastElementChild.textContent = error.message;
      }
    }

    /** What GetGeometry says of the range of sheets that holds x, or of the last one before. */
    async function measure() {
      const box = measured.lastElementChild;
      try {
        const { shapes = [] } = await ask("GetGeometry", { game: { text: state.game } });
        const found = shapes.filter((each) => Number(each.firstX ?? 0) <= state.x).at(-1) ?? shapes[0];
        const cell = (value) => h("td", { class: "number" }, value === undefined ? "" : String(Number(value.toPrecision(7))));
        box.replaceChildren(h("p", { class: "quiet" }, t("look.range",
          { first: Number(found.firstX ?? 0), last: Number(found.lastX ?? 0), source: found.source })),
        h("table", {}, h("thead", {}, h("tr", {}, ["quantity", "value", "error", "expected"].map((each, at) =>
          h("th", { scope: "col", class: at && "number" }, t(`look.${each}`))))),
        h("tbody", {}, (found.measures ?? []).map((each) => h("tr", {},
          h("td", { lang: "en" }, each.meaning || each.quantity), cell(each.value ?? 0), cell(each.standardError), cell(each.expected))))));
      } catch (error) {
        if (!(error instanceof OracleError)) throw error;
        box.replaceChildren(h("p", {}, served(error.message)));
      }
    }

    async function animate() {
      play.textContent = t("look.pause");
      timer = 1;
      const mine = {};
      animate.mine = mine;
      if (state.x >= Number(slider.max)) state.x = 0;
      while (timer && animate.mine === mine && state.x < Number(slider.max)) {
        const began = performance.now();
        const drawn = new Promise((resolve) => { sheet.element.addEventListener("drawn", resolve, { once: true }); });
        change({ x: Math.min(Number(slider.max), state.x + Math.max(1, Math.floor(state.x / 60))) });
        await drawn;
        await new Promise((resolve) => { setTimeout(resolve, FRAME_MS - (performance.now() - began)); });
      }
      if (animate.mine === mine) pause();
    }

    function pause() {
      timer = 0;
      play.textContent = t("look.play");
      say(t("look.at", { x: state.x }));
    }

    return {
      state, element, sheet, refresh: refreshPanel, pause,
      offer() {
        const known = new Set([...SHEET_GAMES, ...[...limits.keys()].filter((each) => each.startsWith("chomp3"))]);
        offered.replaceChildren(...[...known].map((each) => h("option", { value: each })));
        if (!element.hidden && element.isConnected) refreshPanel();
      },
    };
  }

  return {
    element,
    open({ a, b, at, show } = {}) {
      [a, b].forEach((text, index) => {
        if (!text) return;
        const [game, x, kind, colour] = text.split("~");
        Object.assign(panels[index].state, { game: game || "chomp3", x: whole(x), kind: kind === "W" ? "W" : "L", colour });
      });
      shared.two = Boolean(b);
      if (show !== undefined) {
        shared.overlay = show.split("~").includes("lines");
        shared.scaled = show.split("~").includes("scaled");
      }
      const [left, bottom, span] = (at ?? "").split("~").map(Number);
      const known = span > 0 && left >= 0 && bottom >= 0;
      if (known) Object.assign(frame, { left, bottom, span });
      refresh();
      if (!known) {
        fit();
        refresh();
      }
    },
    close() { panels.forEach((panel) => panel.pause()); },
  };
}

/** Of each game the last x answered, and the last one that is stored and not swept on demand. */
function limitsOf(games) {
  const found = new Map();
  for (const { game, sources } of games) {
    const sheets = sources.filter(({ build = {} }) => ["sheets", "census"].includes(build.kind))
      .map(({ build }) => ({ kind: build.kind, x: parseInt(build.limit, 10) || 0 }));
    const last = Math.max(0, ...sheets.map(({ x }) => x));
    const stored = Math.max(0, ...sheets.filter(({ kind }) => kind === "sheets").map(({ x }) => x));
    found.set(game, { last, stored });
  }
  return found;
}

function whole(text) {
  const value = Math.floor(Number(text));
  return Number.isFinite(value) ? Math.max(0, Math.min(2 ** 31 - 1, value)) : 0;
}

function rgb(text) {
  const match = /#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(text);
  return match ? match.slice(1).map((part) => parseInt(part, 16)) : [128, 128, 128];
}

