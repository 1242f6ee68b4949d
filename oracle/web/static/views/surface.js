// A position to play with: grids or a graph with the oracle's marks, passes, and a form or a list for moves that
// no click makes.

import { button, field, h } from "../dom.js";
import { SYMBOLS, chip, marker } from "../marks.js";
import { childOf } from "../moves.js";
import { number, t } from "../text.js";
import { ofComponent, wordsOf } from "../words.js";
import { createGraph } from "./graph.js";
import { createGrid } from "./grid.js";
import { modesOf, scenesOf } from "./scenes.js";

const MOST_LISTED = 300;
/** Most heaps in a form, and the size from which a single heap has a form. */
const MOST_IN_FORM = 12;
const LARGE_HEAP = 30;
/** The number of columns in which a move of each way of taking is looked for. */
const MOST_TRIED = 40;

/**
 * Make a surface. Its `show(position, {analysis, marks, shaping, still, from})` draws. `analysis` is that of
 * this position, `marks` the style in which `marker` marks moves, or null; `still` allows no move; `from` is the first
 * position of the game. `onMove(move)` gets each move, or null after a click on something else;
 * `onShape(text)` gets drawn positions.
 */
export function createSurface({ onMove, onShape }) {
  const boards = h("div", { class: "parts" });
  const extras = h("div", { class: "extras" });
  const element = h("div", { class: "surface" }, boards, extras);
  let parts = [];
  let make = "";
  let position = null;
  let options = {};
  let mark = null;
  let winning = [];
  let scenes = [];
  let modes = [];
  let mode = null;

  function show(next, shown = {}) {
    const isSame = next.text === position?.text;
    position = next;
    options = shown;
    mark = options.marks && options.analysis ? marker(options.analysis, options.marks) : null;
    winning = mark ? options.analysis.wins ?? [] : [];
    modes = modesInUse();
    if (!modes.includes(mode)) [mode = null] = modes;
    draw();
    drawExtras(isSame);
  }

  /** The move of an action, or null if it is none. */
  function moveOf(action, component) {
    const child = options.still ? null : childOf(position, action, component, options.analysis);
    return child && { action, component, child, isPass: Boolean(action.pass) && component === undefined };
  }

  /** The ways of taking for which there is a move; all if this is not known, or if nobody is to move. */
  function modesInUse() {
    const all = modesOf(position);
    const used = all.length < 2 ? all : all.filter((each) => scenesOf(position, { mode: each }).some((scene) => modesOf(scene.of).includes(each) &&
      Array.from({ length: scene.rows }, (_, at) => at + 1).some((row) =>
        Array.from({ length: Math.min(scene.columns, MOST_TRIED) }, (_, at) => at + 1).some((column) =>
          moveOf(scene.cell(row, column)?.action, scene.component)))));
    return used.length ? used : all;
  }

  function draw() {
    scenes = scenesOf(position, { mode, from: options.from, shaping: options.shaping, winning });
    const wanted = scenes.map((scene) => `${scene.isGraph ? "graph" : "grid"}${scene.title ? 1 : 0}`).join();
    if (wanted !== make) {
      make = wanted;
      parts = scenes.map((scene, at) => partOf(scene, at));
      boards.replaceChildren(...parts.map((part) => part.element));
    }
    scenes.forEach((scene, at) => {
      parts[at].name.textContent = scene.title ? `${scene.title} ` : "";
      parts[at].board.show({ ...scene, cell: (...place) => cellOf(scene, scene.cell(...place)),
        vertices: scene.vertices?.map((each) => ({ ...each, ...cellOf(scene, each) })),
        rowEnd: scene.rowPass && ((row) => scene.rowPass(row) && passButton(scene.rowPass(row), scene.component, t("play.pass"))) });
    });
  }

  function partOf(scene, at) {
    const tools = { onActivate: (...place) => activate(at, place), onPreview: (place) => preview(at, place) };
    const board = scene.isGraph ? createGraph(tools) : createGrid(tools);
    const name = h("h2", { class: "part" });
    return { board, name, element: h("section", scene.title ? { "aria-label": scene.title } : {}, scene.title ? name : "", board.element) };
  }

  /** A cell in the form that a grid shows. */
  function cellOf(scene, cell) {
    if (!cell || cell.gone || cell.gap) return cell;
    const move = moveOf(cell.action, scene.component);
    const marked = move && !options.shaping ? mark?.(move) : null;
    const symbol = SYMBOLS[marked?.kind] ?? "";
    const keeps = cell.keepsText || cell.text;
    return {
      className: `${cell.face} ${marked?.kind ?? ""} ${move || options.shaping ? "" : "still"}`,
      text: keeps ? cell.text : symbol, sub: (keeps ? symbol : "") + (marked?.sub ?? "") || undefined,
      label: cell.name + (marked?.label ? `, ${marked.label}` : ""),
    };
  }

  const cellAt = (at, place) => (scenes[at]?.isGraph
    ? scenes[at].vertices.find(({ vertex }) => vertex === place[0]) : scenes[at]?.cell(...place));

  function activate(at, place) {
    const scene = scenes[at];
    if (!options.shaping) onMove(moveOf(cellAt(at, place)?.action, scene.component));
    else if (scene.shape) onShape?.(scene.shape(...place));
  }

  /** Show what a legal move would change, on every board that it changes. */
  function preview(at, place) {
    const where = place && (scenes[at]?.isGraph ? [place] : [place.row, place.column]);
    const action = place && !options.shaping ? cellAt(at, where)?.action : null;
    const component = scenes[at]?.component;
    const isMove = moveOf(action, component);
    parts.forEach(({ board }, index) => board.touch((...cell) => Boolean(isMove
      && scenes[index].component === component && scenes[index].touches(action, ...cell, index === at ? place : null))));
  }

  /** Typed text stays as long as the position does. */
  function drawExtras(isSame) {
    const inputs = [...extras.querySelectorAll("input")];
    const focused = inputs.indexOf(document.activeElement);
    if (isSame && focused >= 0 && inputs.some(({ value }) => value !== "0")) return;
    const notes = [...new Set(scenes.map(({ note }) => note))].map((note) => note && h("p", { class: "quiet note" }, note));
    const parted = options.shaping ? [] : [modes.length > 1 && modeChooser(), ...forms(), ...passes()];
    extras.replaceChildren(...[...notes, ...parted, moveList()].filter(Boolean));
    extras.querySelectorAll("input")[focused]?.focus();
  }

  function modeChooser() {
    return h("div", { class: "choices", role: "group", "aria-label": t("pins.mode") },
      modes.map((each) => button(t(/^\d/.test(each) ? (each === "1" ? "pins.takeOne" : "pins.take") : `pinmode.${each}`, { n: Number(each) }), () => {
        mode = each;
        show(position, options);
        extras.querySelector("[aria-pressed=true]")?.focus();
      }, { class: "small", "aria-pressed": String(each === mode) })));
  }

  /** A form with a number for each heap, for moves that take from several heaps, or for large heaps. */
  function forms() {
    const wanted = scenes.filter(({ of }) => of.kind === "heaps" && !modesOf(of).length && of.heaps.some(Boolean)
      && of.heaps.length <= MOST_IN_FORM && (of.several || of.heaps.some((heap) => heap > LARGE_HEAP)));
    return wanted.map(({ of, component, title }) => {
      const inputs = of.heaps.map((heap) => h("input", { type: "number", min: 0, max: heap, inputmode: "numeric", value: 0 }));
      return h("form", { class: "take", on: { submit: (event) => {
        event.preventDefault();
        const heaps = inputs.map((input, at) => ({ heap: at + 1, tokens: Number(input.value) })).filter(({ tokens }) => tokens);
        onMove(heaps.length ? moveOf({ taking: { heaps } }, component) : null);
      } } },
      title ? h("strong", {}, title) : "",
      inputs.map((input, at) => field(t("heaps.from", { heap: at + 1, size: number(of.heaps[at]) }), input)),
      h("button", { type: "submit" }, t("heaps.take")));
    });
  }

  function passes() {
    const own = position.kind === "sum" ? position.components.map((part, component) => [part, component]) : [[position, undefined]];
    return own.filter(([part, component]) => part.passes > 0 && moveOf({ pass: {} }, component))
      .map(([part, component]) => passButton({ pass: {} }, component, ofComponent(component, t("play.passes", { n: part.passes }))));
  }

  function passButton(action, component, label) {
    const move = moveOf(action, component);
    const marked = move && mark?.(move);
    return button(h("span", {}, `⤼ ${label}`, marked ? chip(marked.kind, marked.label) : ""), () => onMove(moveOf(action, component)), { class: "pass small" });
  }

  /** The moves that no click makes. */
  function moveList() {
    const listed = position.local ? [] : options.analysis?.moves ?? [];
    const unclicked = listed.filter((move) => !isClicked(move) && !move.isPass);
    const several = position.kind === "text" ? [] : winning.filter((move) => move.action?.taking?.heaps.length > 1);
    const left = [...unclicked, ...several].slice(0, MOST_LISTED);
    if (position.kind !== "text" && !left.length) return null;
    return h("div", { class: "asText" }, position.kind === "text" ? h("p", {}, h("code", {}, position.text)) : "",
      left.length ? h("ul", { class: "choices", "aria-label": t("moves.title") }, left.map((move) => {
        const marked = mark?.(move);
        return h("li", {}, button([marked ? chip(marked.kind) : "", ` ${wordsOf(move)}`], () => onMove(move), { title: move.child }));
      })) : options.analysis ? h("p", { class: "quiet" }, t("moves.none")) : "");
  }

  /** Whether a click on a cell, or the form, makes a move. */
  function isClicked({ action, component }) {
    if (position.kind === "text") return false;
    const [change, ...more] = action?.taking?.heaps ?? [];
    if (!change || more.length) return true;
    const part = position.components?.[component] ?? position;
    return (change.left ?? []).length < (modesOf(part).length ? 3 : 2);
  }

  return {
    element, show,
    focus() {
      if (parts.length) parts[0].board.focus();
      else extras.querySelector("button")?.focus();
    },
    /** Bring a move into sight: its place, and the way of taking. */
    go({ action, component }) {
      const at = scenes.findIndex((scene) => scene.component === component);
      const [change] = action?.taking?.heaps ?? [];
      if (change) {
        mode = modes.find((each) => each === String(change.tokens) || each === (change.tokens ? "end" : "split")) ?? mode;
        show(position, options);
      }
      const place = action?.bite ?? (change && scenes[at]?.placeOf?.(action));
      if (place) parts[at].board.go?.(place.row, place.column);
    },
  };
}
