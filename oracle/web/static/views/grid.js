// A grid of cells for boards, heaps, strips and numbers. Large grids show a window, moved by arrow keys, sliders
// and the wheel. Tab reaches one cell, arrow keys the others.

import { h } from "../dom.js";
import { t } from "../text.js";

const LARGEST = 68;
const SMALLEST = 28;
/** The least size of cells, used only if all columns then fit; and the width from which labels stand beside rows. */
const TINY = 22;
const WIDE = 430;
const MOST_ROWS = 26;
const AXES = ["row", "column"];

/**
 * Make a grid. `show` takes
 *   rows, columns     the numbers of rows and columns, at most; rows count from 1
 *   cell(row, column) {className, text, sub, label}, or null for no cell; {gone: true} for a
 *                     removed one; {gap: true} for omitted ones, which are shown only
 *   bottomUp          whether row 1 is the lowest
 *   rowLabel(row)     the label before a row; optional
 *   labelWidth        room for labels, in pixels
 *   rowEnd(row)       an element behind a row; optional
 *   columnNumbers     true for numbers under the columns, or a function for other labels
 *   lengthOf(row)     the number of cells of a row
 * Rows have no gaps: a row ends at its first missing cell.
 */
export function createGrid({ onActivate, onPreview }) {
  let shown = { rows: 0, columns: 0, cell: () => null, lengthOf: () => 0 };
  let all = { row: 0, column: 0 };
  let seen = all;
  let cells = new Map();
  const first = { row: 1, column: 1 };
  const active = { row: 1, column: 1 };
  const body = h("div", { class: "rows", role: "grid", on: {
    keydown: onKey, focusin: onFocus, focusout: () => onPreview(null), wheel: onWheel,
    click: ({ target }) => { const at = placeOf(target); if (at) onActivate(at.row, at.column); },
    pointerover: ({ target }) => onPreview(placeOf(target)), pointerleave: () => onPreview(null),
  } });
  const sliders = AXES.map((axis) => h("input", { type: "range", min: 1, "aria-label": t(`grid.${axis}s`),
    on: { input: ({ target }) => { first[axis] = Number(target.value); render(); } } }));
  const where = h("output", { class: "where" });
  const tools = h("div", { class: "gridtools" }, sliders, where);
  const feet = h("div", { class: "feet", "aria-hidden": "true" });
  const element = h("div", { class: "gridbox" }, body, feet, tools);
  new ResizeObserver(() => render()).observe(element);

  const cellAt = ({ row, column }) => cells.get(`${row},${column}`);

  /** The size of a cell, and the numbers of visible rows and columns. */
  function measure() {
    const whole = element.clientWidth || 320;
    const isStacked = whole < WIDE && !shown.columnNumbers;
    element.classList.toggle("stacked", isStacked);
    const width = whole - (shown.rowLabel && !isStacked ? (shown.labelWidth ?? 70) : 0) - 10;
    const fitting = Math.floor(width / Math.max(1, all.column)) - 2;
    const size = Math.min(LARGEST, fitting < TINY ? SMALLEST : fitting);
    seen = { row: Math.min(all.row, MOST_ROWS), column: clamp(Math.floor(width / (size + 2)), 1, Math.max(1, all.column)) };
    return size;
  }

  function render() {
    const size = measure();
    for (const axis of AXES) first[axis] = clamp(first[axis], 1, all[axis] - seen[axis] + 1);
    const hadFocus = body.contains(document.activeElement);
    settle();
    element.style.setProperty("--cell", `${size}px`);
    element.style.setProperty("--label", `${shown.labelWidth ?? 70}px`);
    body.setAttribute("aria-rowcount", all.row);
    body.setAttribute("aria-colcount", all.column);
    body.setAttribute("aria-label", shown.label ?? t("grid.label"));
    cells = new Map();
    const rows = Array.from({ length: seen.row }, (_, at) => rowOf(first.row + at));
    body.replaceChildren(...(shown.bottomUp ? rows.reverse() : rows));
    feet.hidden = !shown.columnNumbers;
    if (shown.columnNumbers) drawFeet(size);
    tools.hidden = AXES.every((axis) => seen[axis] >= all[axis]);
    AXES.forEach((axis, at) => {
      sliders[at].hidden = seen[axis] >= all[axis];
      sliders[at].max = Math.max(1, all[axis] - seen[axis] + 1);
      sliders[at].value = first[axis];
    });
    where.textContent = t("grid.where", { first: first.column, last: first.column + seen.column - 1, all: all.column });
    if (hadFocus) cellAt(active)?.focus({ preventScroll: true });
  }

  /** Numbers under the columns, as many as fit. */
  function drawFeet(size) {
    const step = Math.ceil((7 * String(first.column + seen.column).length + 8) / (size + 2));
    const number = (column) => (column % step && step > 1 ? "" : String(column));
    const foot = typeof shown.columnNumbers === "function" ? shown.columnNumbers : number;
    feet.replaceChildren(shown.rowLabel ? h("span", { class: "rowlabel" }) : "",
      ...Array.from({ length: seen.column }, (_, at) => h("span", { class: "foot" }, foot(first.column + at))));
  }

  function rowOf(row) {
    const line = h("div", { role: "row", class: "row", "aria-rowindex": shown.bottomUp ? all.row - row + 1 : row });
    if (shown.rowLabel) line.append(h("span", { class: "rowlabel", role: "rowheader" }, shown.rowLabel(row)));
    for (let column = first.column; column < first.column + seen.column; column += 1) {
      const found = shown.cell(row, column);
      if (!found) break;
      line.append(found.gone || found.gap
        ? h("span", { class: `cell ${found.gone ? "gone" : "gap"}`, "aria-hidden": "true" }, found.gap ? "…" : "") : cellOf(found, row, column));
    }
    const end = shown.rowEnd?.(row);
    if (end) line.append(h("span", { role: "gridcell", class: "rowend" }, end));
    if (!line.querySelector("[role=gridcell]")) {
      line.append(h("span", { role: "gridcell", class: "none", "aria-label": t("grid.empty") }));
    }
    return line;
  }

  function cellOf({ className = "", label, text = "", sub }, row, column) {
    const isActive = row === active.row && column === active.column;
    const cell = h("div", { role: "gridcell", class: `cell ${className}`, tabindex: isActive ? 0 : -1, "aria-label": label,
      "aria-colindex": column, data: { row, column } }, h("span", { class: "face", "aria-hidden": "true" }, text),
    sub ? h("span", { class: "sub", "aria-hidden": "true" }, sub) : null);
    cells.set(`${row},${column}`, cell);
    return cell;
  }

  /** Bring a cell into the window; for a shorter row, its last cell. */
  function place(row, column) {
    active.row = clamp(row, 1, all.row);
    active.column = clamp(column, 1, shown.lengthOf(active.row));
    for (const axis of AXES) first[axis] = clamp(first[axis], Math.max(1, active[axis] - seen[axis] + 1), active[axis]);
  }

  /** Keep the window, and make a cell in it the active one. */
  function settle() {
    const lastRow = first.row + seen.row - 1;
    active.row = clamp(active.row, first.row, lastRow);
    for (let row = first.row; shown.lengthOf(active.row) < first.column && row <= lastRow; row += 1) active.row = row;
    active.column = clamp(active.column, first.column, Math.min(shown.lengthOf(active.row), first.column + seen.column - 1));
  }

  function onKey(event) {
    if (!event.target.matches("[role=gridcell]")) return;
    const up = shown.bottomUp ? 1 : -1;
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [up, 0], ArrowDown: [-up, 0],
      PageUp: [0, -seen.column], PageDown: [0, seen.column], Home: [event.ctrlKey ? -Infinity : 0, -Infinity], End: [0, Infinity] }[event.key];
    const isEnter = event.key === "Enter" || event.key === " ";
    if ((!step && !isEnter) || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (isEnter) {
      onActivate(active.row, active.column);
      return;
    }
    const { row, column } = active;
    place(row + step[0], column + step[1]);
    // Arrow keys skip gaps.
    if (shown.cell(active.row, active.column)?.gap) place(row + 2 * step[0], column + 2 * step[1]);
    if (!cellAt(active)) render();
    cellAt(active)?.focus();
    onPreview({ ...active });
  }

  function onFocus({ target }) {
    const at = placeOf(target);
    if (!at) return;
    for (const cell of cells.values()) cell.tabIndex = -1;
    Object.assign(active, at);
    target.tabIndex = 0;
    if (target.matches(":focus-visible")) onPreview(at);
  }

  function onWheel(event) {
    const step = event.shiftKey ? event.deltaY : event.deltaX;
    if (!step || seen.column >= all.column) return;
    event.preventDefault();
    first.column += Math.sign(step) * Math.max(1, Math.round(seen.column / 8));
    render();
  }

  return {
    element,
    show(next) {
      shown = next;
      all = { row: next.rows, column: next.columns };
      render();
    },
    /** Mark the cells that a move would change. */
    touch(isTouched) {
      for (const cell of cells.values()) {
        const { row, column } = placeOf(cell);
        cell.classList.toggle("touched", isTouched(row, column));
      }
    },
    /** Move the focus to the active cell, if the grid is on the page. */
    focus() {
      render();
      cellAt(active)?.focus({ preventScroll: true });
    },
    /** Bring a cell into the middle of the window. */
    go(row, column) {
      place(row, column);
      first.column = column - Math.floor(seen.column / 2);
      render();
    },
  };
}

function placeOf(target) {
  const cell = target.closest?.("[data-column]");
  return cell && { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}

/** The nearest number between two, or the least if there is none. */
function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
