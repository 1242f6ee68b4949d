// Draws a position and turns what is clicked into an action, whatever the game.

import { button, field, h, say, select } from "../dom.js";
import { number, t } from "../text.js";
import { wordsOf } from "../words.js";
import { createGrid } from "./grid.js";

const NUMBERS_A_ROW = 8;
/** Most ways to split a heap that are offered. */
const MOST_WAYS = 200;
/** Up to this width the places of bitten cookies stay visible, so that the board keeps its size. */
const MOST_GONE = 40;

/**
 * Make a surface. Its `show(position, {mark, shaping, from})` draws; `mark(action, component)` says of
 * a move {kind: "win" | "lose" | "unknown" | "", sub, label}, or null where it is none; `from` is the
 * position that the game began with.
 * `onMove(action, component)` is told of moves, `onShape(text)` of drawn positions.
 */
export function createSurface({ onMove, onShape }) {
  const element = h("div", { class: "surface" });
  let view = null;
  let kind = "";
  return {
    element,
    show(position, options) {
      const wanted = kindOf(position);
      if (wanted !== kind) {
        kind = wanted;
        view = makers[position.kind]({ onMove, onShape, position });
        element.replaceChildren(view.element);
      }
      view.show(position, options);
    },
    focus() { view?.focus?.(); },
    go(action) { view?.go?.(action); },
  };
}

/** Views are kept while positions have the same make-up. */
function kindOf(position) {
  if (position.kind !== "sum") return position.kind;
  return `sum ${position.components.map(kindOf).join()}`;
}

const makers = {
  board: boardView, heaps: heapsView, strip: stripView, divisors: divisorsView, sum: sumView,
  text: textView,
};

function boardView({ onMove, onShape }) {
  let position = null;
  let shaping = false;
  let gone = [];
  const grid = createGrid({ onActivate(row, column) {
    if (shaping) onShape?.(shapedBy(position, row, column));
    else onMove({ bite: { row, column } });
  } });

  function show(next, options) {
    position = next;
    shaping = Boolean(options.shaping);
    const { rows } = position;
    const more = shaping ? 1 : 0;
    gone = shaping || !(options.from?.rows?.[0] <= MOST_GONE) ? [] : options.from.rows;
    const most = position.text.startsWith("chomp3") ? 3 : 10_000;
    const marks = [];
    for (const move of options.winning ?? []) if (move.bite) marks.push(move.bite);
    grid.show({
      rows: Math.max(1, gone.length, Math.min(most, rows.length + more)),
      columns: Math.max(1, gone[0] ?? 0, (rows[0] ?? 0) + more),
      bottomUp: true, label: t("board.label", { text: position.text }), marks,
      rowLabel: (row) => String(row), labelWidth: 22, columnNumbers: true,
      onWindow: options.onWindow,
      lengthOf: (row) => (shaping ? (rows[0] ?? 0) + 1 : rows[row - 1] ?? 0),
      affected: shaping ? null : (from, row, column) => row >= from.row && column >= from.column,
      cell: (row, column) => cellAt(row, column, options),
    });
  }

  function cellAt(row, column, { mark }) {
    const label = t("board.cell", { row, column });
    if (!position.has(row, column)) {
      if (column <= (gone[row - 1] ?? 0)) return { gone: true };
      return shaping && column <= (position.rows[0] ?? 0) + 1
        ? { className: "ghost", text: "+", label: `${label}, ${t("board.add")}` } : null;
    }
    const isPoison = row === 1 && column === 1;
    const found = shaping ? null : mark?.({ bite: { row, column } });
    const poison = isPoison ? `, ${t("board.poison")}` : "";
    return {
      className: `cookie ${isPoison ? "poison" : ""} ${found?.kind ?? ""}`,
      text: symbolOf(found) || (isPoison ? "☠" : ""), sub: found?.sub,
      label: label + poison + (found?.label ? `, ${found.label}` : ""),
    };
  }

  return {
    element: grid.element, show, focus: () => grid.focus(),
    go: (action) => action.bite && grid.go(action.bite.row, action.bite.column),
  };
}

/** The board after a click in drawing: a cookie goes with those beyond it, or comes with those before. */
function shapedBy(position, row, column) {
  const { rows } = position;
  const next = position.has(row, column)
    ? rows.map((length, at) => (at < row - 1 ? length : Math.min(length, column - 1)))
    : Array.from({ length: Math.max(rows.length, row) }, (_, at) =>
      (at < row ? Math.max(rows[at] ?? 0, column) : rows[at]));
  const kept = next.filter((length) => length);
  return position.reshaped(kept.length ? kept : [1]);
}

function symbolOf(mark) {
  return { win: "✓", lose: "×", unknown: "?" }[mark?.kind] ?? "";
}

function heapsView({ onMove }) {
  let position = null;
  let line = [0];
  const grid = createGrid({ onActivate(row, column) {
    const tokens = position.heaps[row - 1] - column + 1;
    const chosen = line.length > 1 && line.includes(row - 1) ? line : [row - 1];
    take(chosen, tokens);
  } });
  const form = h("form", { class: "take", on: { submit: (event) => {
    event.preventDefault();
    take(line, Number(tokens.value));
  } } });
  const tokens = h("input", { type: "number", min: 0, inputmode: "numeric" });
  const choices = h("div", { class: "choices" });
  const element = h("div", {}, grid.element, form, choices);

  function take(chosen, count) {
    const [at] = chosen;
    const heap = position.heaps[at];
    const found = chosen.length > 1 ? [null] : position.choices(heap, count, MOST_WAYS);
    const action = (left) => ({ taking: { heaps: chosen.map((each) => ({
      heap: each + 1, tokens: count, ...(left?.length > 1 && { left }) })) } });
    choices.replaceChildren();
    if (found.length > 1) {
      choices.append(h("span", {}, t("heaps.leaving", { count })), ...found.map((left) =>
        button(left.join(" + ") || "0", () => onMove(action(left)))));
      choices.querySelector("button").focus();
      return;
    }
    if (!found.length) say(t("heaps.cannot", { count, heap: at + 1 }));
    else onMove(action(found[0]));
  }

  function show(next, { mark }) {
    position = next;
    const { heaps } = position;
    if (!position.lines.some((each) => String(each) === String(line))) line = position.lines[0] ?? [0];
    const markAt = (row, column) => {
      const count = heaps[row - 1] - column + 1;
      const chosen = line.length > 1 && line.includes(row - 1) ? line : [row - 1];
      const ways = chosen.length > 1 ? [null] : position.choices(heaps[row - 1], count, MOST_WAYS);
      const marks = ways.map((left) => mark?.({ taking: { heaps: chosen.map((at) => ({
        heap: at + 1, tokens: count, ...(left?.length > 1 && { left }) })) } })).filter(Boolean);
      return marks.find((each) => each.kind === "win") ?? marks[0] ?? null;
    };
    choices.replaceChildren();
    grid.show({
      rows: heaps.length, columns: Math.max(1, ...heaps), label: t("heaps.label", { text: position.text }),
      lengthOf: (row) => heaps[row - 1] ?? 0,
      rowLabel: (row) => `${t("heaps.heap", { heap: row })}: ${number(heaps[row - 1])}`,
      affected: (from, row, column) => {
        const count = heaps[from.row - 1] - from.column + 1;
        const lined = line.length > 1 && line.includes(from.row - 1) ? line : [from.row - 1];
        return lined.includes(row - 1) && column > heaps[row - 1] - count;
      },
      cell(row, column) {
        if (column > heaps[row - 1]) return null;
        const found = markAt(row, column);
        const count = heaps[row - 1] - column + 1;
        return {
          className: `token ${found?.kind ?? ""}`, text: symbolOf(found), sub: found?.sub,
          label: t("heaps.cell", { heap: row, count }) + (found?.label ? `, ${found.label}` : ""),
        };
      },
    });
    if (!form.contains(document.activeElement)) drawForm(heaps);
  }

  function drawForm(heaps) {
    const names = position.lines.map((each) => [String(each),
      each.length === 1 ? t("heaps.heap", { heap: each[0] + 1 })
        : t("heaps.each", { heaps: each.map((at) => at + 1).join(t("heaps.and")) })]);
    tokens.max = Math.max(0, ...heaps);
    if (!tokens.value) tokens.value = 1;
    form.replaceChildren(
      field(t("heaps.from"), select(names, String(line), (value) => {
        line = value.split(",").map(Number);
        form.dispatchEvent(new CustomEvent("line", { bubbles: true }));
      })),
      field(t("heaps.tokens"), tokens), h("button", { type: "submit" }, t("heaps.take")));
    form.hidden = !heaps.length;
  }

  return { element, show, focus: () => grid.focus() };
}

function stripView({ onMove, onShape }) {
  let position = null;
  let shaping = false;
  const grid = createGrid({ onActivate(_, cell) {
    if (!shaping) onMove({ cell });
    else {
      const next = { ".": "T", T: "F", F: "." };
      const { cells } = position;
      onShape?.(position.reshaped(cell > cells.length ? `${cells}.`
        : cells.slice(0, cell - 1) + next[cells[cell - 1]] + cells.slice(cell)));
    }
  } });
  return {
    element: grid.element, focus: () => grid.focus(),
    show(next, options) {
      position = next;
      shaping = Boolean(options.shaping);
      const { cells } = position;
      const names = { T: t("strip.toad"), F: t("strip.frog"), ".": t("strip.free") };
      grid.show({
        rows: 1, columns: Math.min(64, cells.length + (shaping ? 1 : 0)), columnNumbers: true,
        label: t("strip.label", { text: position.text }),
        affected: (from, _, column) =>
          column === from.column || column === position.targetOf(from.column),
        cell(_, column) {
          if (column > cells.length) {
            return shaping ? { className: "ghost", text: "+", label: t("board.add") } : null;
          }
          const animal = cells[column - 1];
          const to = position.targetOf(column);
          const found = shaping || to === null ? null : options.mark?.({ cell: column });
          const says = to === null ? "" : `, ${t("strip.to", { to })}`;
          return {
            className: `animal ${{ T: "toad", F: "frog", ".": "free" }[animal]} ${found?.kind ?? ""}`,
            text: { T: "▶", F: "◀", ".": "" }[animal], sub: found ? symbolOf(found) + (found.sub ?? "") : "",
            label: `${t("strip.cell", { cell: column })}, ${names[animal]}${says}`
              + (found?.label ? `, ${found.label}` : ""),
          };
        },
      });
    },
  };
}

function divisorsView({ onMove }) {
  let placed = new Map();
  const grid = createGrid({ onActivate(row, column) {
    const found = placed.get(`${row},${column}`);
    if (found) onMove({ divisor: String(found.value) });
  } });
  return {
    element: grid.element, focus: () => grid.focus(),
    show(position, { mark }) {
      const [along, up] = position.primes;
      const flat = position.primes.length > 2;
      placed = new Map();
      for (const [at, each] of position.numbers.entries()) {
        const row = flat ? Math.floor(at / NUMBERS_A_ROW) + 1 : (each.powers.get(up) ?? 0) + 1;
        const column = flat ? (at % NUMBERS_A_ROW) + 1 : (each.powers.get(along) ?? 0) + 1;
        placed.set(`${row},${column}`, each);
      }
      const places = [...placed.keys()].map((key) => key.split(",").map(Number));
      grid.show({
        rows: Math.max(1, ...places.map(([row]) => row)),
        columns: Math.max(1, ...places.map(([, column]) => column)),
        bottomUp: !flat, label: t("divisors.label", { text: position.text }),
        affected: (from, row, column) => {
          const named = placed.get(`${from.row},${from.column}`);
          const other = placed.get(`${row},${column}`);
          return Boolean(named && other && other.value % named.value === 0n);
        },
        cell(row, column) {
          const each = placed.get(`${row},${column}`);
          if (!each) return null;
          const found = mark?.({ divisor: String(each.value) });
          const poison = each.value === 1n ? `, ${t("board.poison")}` : "";
          return {
            className: `cookie number ${each.value === 1n ? "poison" : ""} ${found?.kind ?? ""}`,
            text: String(each.value), sub: found ? symbolOf(found) + (found.sub ?? "") : "",
            label: `${each.value}${poison}${found?.label ? `, ${found.label}` : ""}`,
          };
        },
      });
    },
  };
}

function sumView({ onMove, position }) {
  const parts = position.components.map((part, component) =>
    createSurface({ onMove: (action) => onMove(action, component), position: part }));
  const names = parts.map(() => h("code"));
  return {
    element: h("div", { class: "sum" }, parts.map((part, at) =>
      h("section", { "aria-label": t("sum.component", { number: at + 1 }) },
        h("h2", { class: "part" }, `${t("sum.component", { number: at + 1 })} `, names[at]), part.element))),
    show(next, { mark, from }) {
      parts.forEach((part, component) => {
        names[component].textContent = next.components[component].text;
        part.show(next.components[component],
          { from: from?.components?.[component], mark: mark && ((action) => mark(action, component)) });
      });
    },
    focus: () => parts[0].focus(),
  };
}

/** Positions that are not drawn: their moves as a list. */
function textView({ onMove }) {
  const element = h("div", { class: "asText" });
  return {
    element,
    show(position, { moves = [] }) {
      element.replaceChildren(h("p", {}, h("code", {}, position.text)),
        moves.length ? h("ul", { class: "choices", "aria-label": t("moves.label") },
          moves.slice(0, 300).map((move) => h("li", {},
            button(wordsOf(move), () => onMove(move.action, move.component, move)))))
          : h("p", { class: "quiet" }, t("moves.none")));
    },
    focus: () => element.querySelector("button")?.focus(),
  };
}
