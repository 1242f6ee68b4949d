// A graph as buttons for its vertices, with edges between them.

import { h, roving } from "../dom.js";

/** Make a graph; `scenesOf` describes what it shows. */
export function createGraph({ onActivate, onPreview }) {
  const lines = h("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" });
  const points = h("div", { class: "points" });
  const element = h("div", { class: "graph", role: "group" }, lines, points);
  const settle = roving(points, "button");
  let buttons = new Map();

  return {
    element,
    show({ places, edges, vertices, gone, label }) {
      element.setAttribute("aria-label", label);
      const focused = points.contains(document.activeElement) ? document.activeElement.dataset.vertex : null;
      lines.replaceChildren(
        ...edges.filter(([one, other]) => one !== other).map(([one, other]) => {
          const [[x1, y1], [x2, y2]] = [places.get(one), places.get(other)];
          return h("line", { x1: 100 * x1, y1: 100 * y1, x2: 100 * x2, y2: 100 * y2 });
        }),
        ...gone.map((vertex) => h("circle", { class: "gone", cx: 100 * places.get(vertex)[0], cy: 100 * places.get(vertex)[1], r: 2.5 })));
      buttons = new Map(vertices.map(({ vertex, className, text, sub, label: name }) => {
        const point = h("button", { type: "button", class: `cell ${className}`, "aria-label": name, data: { vertex }, on: {
          click: () => onActivate(vertex), pointerenter: () => onPreview(vertex), pointerleave: () => onPreview(null),
          focus: () => point.matches(":focus-visible") && onPreview(vertex), blur: () => onPreview(null),
        } }, h("span", { class: "face", "aria-hidden": "true" }, text));
        if (sub) point.append(h("span", { class: "sub", "aria-hidden": "true" }, sub));
        const [x, y] = places.get(vertex);
        point.style.left = `${100 * x}%`;
        point.style.top = `${100 * y}%`;
        return [vertex, point];
      }));
      points.replaceChildren(...buttons.values());
      settle();
      if (focused) (buttons.get(Number(focused)) ?? points.querySelector("button"))?.focus();
    },
    touch(isTouched) { for (const [vertex, point] of buttons) point.classList.toggle("touched", isTouched(vertex)); },
    focus() { points.querySelector("[tabindex='0']")?.focus(); },
  };
}
