// A position as an SVG picture, for lists, rules, print and the clipboard.

import { h } from "../dom.js";
import { scenesOf } from "./scenes.js";

const CELL = 20;
const MOST_COLUMNS = 14;
const MOST_ROWS = 9;
const SHAPES = {
  token: (x, y) => h("circle", { cx: x + 10, cy: y + 10, r: 8.5 }),
  vertex: (x, y) => h("circle", { cx: x + 10, cy: y + 10, r: 7 }),
  pin: (x, y) => h("path", { d: `M${x + 6.5} ${y + 19} q-3 -5 .5 -10 q1 -2 0 -4 a3.4 3.4 0 1 1 6 0 q-1 2 0 4 q3.5 5 .5 10z` }),
};
/** The styles that a picture needs outside the page. */
const KEPT_STYLE = ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight", "text-anchor"];

/** The picture, with the cells of a move marked if one is given. Null if nothing can be drawn. */
export function picture(position, { action, component, label } = {}) {
  const scenes = scenesOf(position);
  if (!scenes.length) return null;
  let top = 0;
  let width = 0;
  const groups = scenes.map((scene) => {
    const drawn = (scene.isGraph ? graphOf : gridOf)(scene, scene.component === component ? action : null);
    const group = h("g", { transform: `translate(0 ${top})` }, drawn.elements);
    top += drawn.height + 8;
    width = Math.max(width, drawn.width);
    return group;
  });
  return h("svg", { class: "picture", viewBox: `-2 -2 ${width + 4} ${Math.max(1, top - 8) + 4}`, role: "img",
    "aria-label": label ?? position.text, xmlns: "http://www.w3.org/2000/svg" }, groups);
}

function gridOf(scene, action) {
  const rows = Math.min(scene.rows, MOST_ROWS);
  const columns = Math.min(scene.columns, MOST_COLUMNS);
  const elements = [];
  for (let row = 1; row <= rows; row += 1) {
    for (let column = 1; column <= columns; column += 1) {
      const cell = scene.cell(row, column);
      if (!cell || cell.gone) continue;
      const [x, y] = [(column - 1) * CELL, (scene.bottomUp ? rows - row : row - 1) * CELL];
      const isCut = (column === columns && columns < scene.columns) || (row === rows && rows < scene.rows);
      const touched = action && scene.touches(action, row, column, { row: rowOf(action), column: columnOf(action) });
      elements.push(...(cell.gap || isCut ? [writing(x, y, "…", "quiet")] : cellOf(cell, x, y, touched)));
    }
  }
  return { elements, width: columns * CELL, height: rows * CELL };
}

const rowOf = ({ taking }) => taking?.heaps[0].heap;
const columnOf = ({ taking }) => (taking?.heaps[0].left?.[0] ?? 0) + (taking?.heaps[0].tokens ? 1 : 0);

function cellOf({ face, text }, x, y, touched) {
  const name = `face ${face}${touched ? " bitten" : ""}`;
  const shape = SHAPES[face.trim().split(" ")[0]]?.(x, y) ?? h("rect", { x: x + 1, y: y + 1, width: 18, height: 18, rx: 4 });
  shape.setAttribute("class", name);
  const crumbs = face === "cookie" ? [[6, 6], [13, 8], [8, 14]].map(([dx, dy]) =>
    h("circle", { class: `crumb${touched ? " bitten" : ""}`, cx: x + dx, cy: y + dy, r: 1.5 })) : [];
  return [shape, ...crumbs, ...(text ? [writing(x, y, text, `on ${face}${touched ? " bitten" : ""}`)] : [])];
}

function writing(x, y, text, name) {
  return h("text", { x: x + 10, y: y + 14, class: name, "text-anchor": "middle", "font-size": [11, 11, 9, 7][text.length] ?? 5.5 }, text);
}

function graphOf({ places, edges, vertices, touches }, action) {
  const size = 120;
  const at = (vertex) => places.get(vertex).map((each) => each * size);
  return { width: size, height: size, elements: [
    ...edges.filter(([one, other]) => one !== other).map(([one, other]) =>
      h("line", { class: "edge", x1: at(one)[0], y1: at(one)[1], x2: at(other)[0], y2: at(other)[1] })),
    ...vertices.map(({ vertex }) => {
      const [x, y] = at(vertex);
      return h("circle", { class: `face vertex${action && touches(action, vertex) ? " bitten" : ""}`, cx: x, cy: y, r: 7 });
    })] };
}

/** A picture of a position as PNG, in the colours of the page. */
export async function pngOf(position, scale = 4) {
  const svg = picture(position);
  if (!svg) return null;
  document.body.append(svg);
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--card");
  for (const element of svg.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    for (const name of KEPT_STYLE) element.setAttribute(name, style.getPropertyValue(name));
  }
  svg.remove();
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  svg.setAttribute("width", width * scale);
  svg.setAttribute("height", height * scale);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = h("canvas", { width: width * scale, height: height * scale });
  const pen = canvas.getContext("2d");
  pen.fillStyle = paper;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}
