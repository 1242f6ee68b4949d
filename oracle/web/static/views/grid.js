// A grid of cells for boards, heaps, strips and numbers. Of large grids a window is shown, moved by
// arrow keys, sliders and the wheel. One cell is reached by tab, the others by arrow keys.

import { h } from "../dom.js";
import { t } from "../text.js";

const LARGEST = 68;
const SMALLEST = 28;
/** So small only where all columns are seen then, and the width of a grid from which labels stand beside rows. */
const TINY = 22;
const WIDE = 430;
const MOST_ROWS = 26;

/**
 * Make a grid. `show` takes
 *   rows, columns     how many, at most; rows count from 1
 *   cell(row, column) {className, text, sub, label}, or null where there is none; {gone: true} where
 *                     there was one, and {gap: true} where some are left out, which are shown and no more
 *   bottomUp          whether row 1 is the lowest
 *   rowLabel(row)     what stands before a row; optional
 *   labelWidth        room for that, in pixels
 *   rowEnd(row)       an element behind a row; optional
 *   columnNumbers     whether numbers stand under the columns, or what stands under a column
 *   lengthOf(row)     how many cells a row has
 * Rows have no gaps: a row ends at its first missing cell.
 */
export function createGrid({ onActivate, onPreview }) {
  let shown = { rows: 0, columns: 0, cell: () => null, lengthOf: () => 0 };
  const first = { row: 1, column: 1 };
  const active = { row: 1, column: 1 };
  let cells = new Map();
  let seen = { rows: 0, columns: 0 };
  const body = h("div", { class: "rows", role: "grid", on: {
    keydown: onKey, click: onClick, focusin: onFocus, focusout: () => onPreview(null),
    pointerover: (event) => onPreview(placeOf(event.target)), pointerleave: () => onPreview(null),
    wheel: onWheel,
  } });
  const sliders = Object.fromEntries(["column", "row"].map((axis) => [axis, h("input", { type: "range", min: 1,
    "aria-label": t(`grid.${axis}s`), on: { input: (event) => { first[axis] = Number(event.target.value); render(); } } })]));
  const where = h("output", { class: "where" });
  const tools = h("div", { class: "gridtools" }, sliders.column, sliders.row, where);
  const feet = h("div", { class: "feet", "aria-hidden": "true" });
  const element = h("div", { class: "gridbox" }, body, feet, tools);
  new ResizeObserver(() => render()).observe(element);

  function measure() {
    const whole = element.clientWidth || 320;
    const isStacked = whole < WIDE && !shown.columnNumbers;
    element.classList.toggle("stacked", isStacked);
    const width = whole - (shown.rowLabel && !isStacked ? (shown.labelWidth ?? 70) + 6 : 4);
    const fitting = Math.floor(width / Math.max(1, shown.columns)) - 2;
    const size = Math.min(LARGEST, fitting < TINY ? SMALLEST : fitting);
    const columns = Math.max(1, Math.min(shown.columns, Math.floor(width / (size + 2))));
    return { size, columns, rows: Math.min(shown.rows, MOST_ROWS) };
  }

  function render() {
    const { size, columns, rows } = measure();
    seen = { rows, columns };
    first.column = clamp(first.column, 1, Math.max(1, shown.columns - columns + 1));
    first.row = clamp(first.row, 1, Math.max(1, shown.rows - rows + 1));
    const hadFocus = body.contains(document.activeElement);
    settle(rows, columns);
    element.style.setProperty("--cell", `${size}px`);
    element.style.setProperty("--label", `${shown.labelWidth ?? 70}px`);
    body.setAttribute("aria-rowcount", shown.rows);
    body.setAttribute("aria-colcount", shown.columns);
    body.setAttribute("aria-label", shown.label ?? t("grid.label"));
    cells = new Map();
    body.replaceChildren(...rowNumbers(rows).map((row) => rowOf(row, columns)));
    feet.hidden = !shown.columnNumbers;
    if (shown.columnNumbers) drawFeet(size, columns);
    tools.hidden = columns >= shown.columns && rows >= shown.rows;
    for (const axis of ["column", "row"]) {
      sliders[axis].hidden = seen[`${axis}s`] >= shown[`${axis}s`];
      sliders[axis].max = Math.max(1, shown[`${axis}s`] - seen[`${axis}s`] + 1);
      sliders[axis].value = first[axis];
    }
    where.textContent = t("grid.where", { first: first.column, last: first.column + columns - 1, all: shown.columns });
    if (hadFocus) cells.get(`${active.row},${active.column}`)?.focus({ preventScroll: true });
  }

  /** Numbers under the columns, as many as have room. */
  function drawFeet(size, columns) {
    const digits = String(first.column + columns).length;
    const step = Math.ceil((7 * digits + 8) / (size + 2));
    feet.replaceChildren(shown.rowLabel ? h("span", { class: "rowlabel" }) : "", ...Array.from({ length: columns }, (_, at) =>
      h("span", { class: "foot" }, typeof shown.columnNumbers === "function" ? shown.columnNumbers(first.column + at)
        : (first.column + at) % step && step > 1 ? "" : String(first.column + at))));
  }

  function rowNumbers(rows) {
    const numbers = Array.from({ length: rows }, (_, at) => first.row + at);
    return shown.bottomUp ? numbers.reverse() : numbers;
  }

  function rowOf(row, columns) {
    const index = shown.bottomUp ? shown.rows - row + 1 : row;
    const line = h("div", { role: "row", class: "row", "aria-rowindex": index });
    if (shown.rowLabel) line.append(h("span", { class: "rowlabel", role: "rowheader" }, shown.rowLabel(row)));
    for (let at = 0; at < columns; at += 1) {
      const column = first.column + at;
      const found = shown.cell(row, column);
      if (!found) break;
      if (found.gone || found.gap) {
        line.append(h("span", { class: `cell ${found.gone ? "gone" : "gap"}`, "aria-hidden": "true" }, found.gap ? "…" : ""));
        continue;
      }
      const isActive = row === active.row && column === active.column;
      const cell = h("div", {
        role: "gridcell", class: `cell ${found.className ?? ""}`, tabindex: isActive ? 0 : -1,
        "aria-label": found.label, "aria-colindex": column, data: { row, column },
      }, h("span", { class: "face", "aria-hidden": "true" }, found.text ?? ""));
      if (found.sub) cell.append(h("span", { class: "sub", "aria-hidden": "true" }, found.sub));
      cells.set(`${row},${column}`, cell);
      line.append(cell);
    }
    const end = shown.rowEnd?.(row);
    if (end) line.append(h("span", { role: "gridcell", class: "rowend" }, end));
    if (!line.querySelector("[role=gridcell]")) {
      line.append(h("span", { role: "gridcell", class: "none", "aria-label": t("grid.empty") }));
    }
    return line;
  }

  /** Bring a cell into the window; of a row that is shorter, its last one. */
  function place(row, column) {
    active.row = clamp(row, 1, Math.max(1, shown.rows));
    active.column = clamp(column, 1, Math.max(1, shown.lengthOf(active.row)));
    first.column = Math.min(first.column, Math.max(1, active.column));
    first.column = Math.max(first.column, active.column - seen.columns + 1, 1);
    first.row = Math.max(Math.min(first.row, active.row), active.row - seen.rows + 1, 1);
  }

  /** Keep the active cell among those in the window, which stays where it is. */
  function settle(rows, columns) {
    const lastRow = Math.min(shown.rows, first.row + rows - 1);
    active.row = clamp(active.row, first.row, Math.max(first.row, lastRow));
    for (let row = first.row; shown.lengthOf(active.row) < first.column && row <= lastRow; row += 1) active.row = row;
    const last = Math.min(shown.lengthOf(active.row), first.column + columns - 1);
    active.column = clamp(active.column, first.column, Math.max(first.column, last));
  }

  function onKey(event) {
    if (!event.target.matches("[role=gridcell]")) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onActivate(active.row, active.column);
      return;
    }
    const up = shown.bottomUp ? 1 : -1;
    const { row, column } = active;
    const target = {
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      ArrowUp: [row + up, column], ArrowDown: [row - up, column],
      PageUp: [row, column - seen.columns], PageDown: [row, column + seen.columns],
      Home: [row, 1], End: [row, Infinity],
    }[event.key];
    if (!target || event.altKey || event.metaKey) return;
    event.preventDefault();
    const before = `${first.row},${first.column}`;
    const old = cells.get(`${row},${column}`);
    place(event.ctrlKey ? (event.key === "Home" ? 1 : target[0]) : target[0], target[1]);
    // A gap is passed over.
    if (shown.cell(active.row, active.column)?.gap) place(2 * target[0] - row, Number.isFinite(target[1]) ? 2 * target[1] - column : target[1]);
    if (before !== `${first.row},${first.column}`) render();
    if (old) old.tabIndex = -1;
    const next = cells.get(`${active.row},${active.column}`);
    if (!next) return;
    next.tabIndex = 0;
    next.focus();
    onPreview({ ...active });
  }

  function onClick(event) {
    const at = placeOf(event.target);
    if (at) onActivate(at.row, at.column);
  }

  function onFocus(event) {
    const at = placeOf(event.target);
    if (!at) return;
    const old = cells.get(`${active.row},${active.column}`);
    if (old) old.tabIndex = -1;
    Object.assign(active, at);
    event.target.tabIndex = 0;
    if (event.target.matches(":focus-visible")) onPreview(at);
  }

  /** Mark the cells that a move would change. */
  function touch(isTouched) {
    for (const cell of cells.values()) {
      cell.classList.toggle("touched", isTouched(Number(cell.dataset.row), Number(cell.dataset.column)));
    }
  }

  function onWheel(event) {
    const step = event.shiftKey ? event.deltaY : event.deltaX;
    if (!step || seen.columns >= shown.columns) return;
    event.preventDefault();
    scrollTo(first.column + Math.sign(step) * Math.max(1, Math.round(seen.columns / 8)));
  }

  function scrollTo(column) {
    first.column = column;
    active.column = clamp(active.column, column, column + seen.columns - 1);
    render();
  }

  return {
    element, touch,
    show(next) { shown = next; render(); },
    /** Move the focus to a cell, if the grid is on the page. */
    focus(row = active.row, column = active.column) {
      place(row, column);
      render();
      cells.get(`${active.row},${active.column}`)?.focus({ preventScroll: true });
    },
    go(row, column) {
      place(row, column);
      if (seen.columns < shown.columns) scrollTo(column - Math.floor(seen.columns / 2));
      else render();
    },
  };
}

function placeOf(target) {
  const cell = target.closest?.("[data-column]");
  return cell && { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}

function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
