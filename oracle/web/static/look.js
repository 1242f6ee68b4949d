// Look: sheets L_x and W_x of any game, panned, zoomed, animated, or two side by side.

import { button, h, settled } from "./dom.js";
import { knownGames } from "./games.js";
import { term } from "./help.js";
import { createPanel, whole } from "./panel.js";
import { t } from "./text.js";

/** The view. `remember(options)` puts the sheets on view in the address. */
export function createLook({ remember }) {
  const frame = { left: 0, bottom: 0, span: 1.2 };
  const shared = { scaled: true, overlay: true, two: false };
  const keep = settled(() => remember(address()), 250);
  const limits = knownGames().then(limitsOf);
  const parts = { frame, shared, limits, keep, onFrame };
  const panels = [createPanel("a", { game: "chomp3", x: 200, kind: "L", colour: "line" }, parts),
    createPanel("b", { game: "chomp3", x: 400, kind: "L", colour: "line" }, parts)];
  const [{ sheet }] = panels;
  const boxes = Object.fromEntries(["overlay", "scaled", "two"].map((key) => [key, h("input", { type: "checkbox", on: { change: () => {
    shared[key] = boxes[key].checked;
    if (key === "scaled") fit();
    refresh();
    keep();
  } } })]));
  const moves = h("div", { class: "tools", role: "group", "aria-label": t("look.move") },
    [["left", "←", () => sheet.pan(-0.2, 0)], ["right", "→", () => sheet.pan(0.2, 0)],
      ["up", "↑", () => sheet.pan(0, 0.2)], ["down", "↓", () => sheet.pan(0, -0.2)],
      ["in", "+", () => sheet.zoom(0.6)], ["out", "−", () => sheet.zoom(1.6)],
      ["fit", t("look.fit"), () => { fit(); refresh(); }]].map(([name, face, call]) =>
      button(face, call, { class: "small", "aria-label": t(`look.${name}`) })));
  const pair = h("div", { class: "sheets" }, panels.map((panel) => panel.element));
  const element = h("div", { class: "look" },
    h("details", { class: "card about", open: true }, h("summary", {}, t("look.what")), h("p", {}, t("look.about")),
      h("p", {}, term("sheet", t("help.sheet")), " · ", term("winners", t("help.winners")), " · ", term("tail", t("help.tail")))),
    h("div", { class: "card lookbar" }, Object.entries(boxes).map(([key, box]) =>
      h("label", { class: "check" }, box, h("span", {}, t(`look.${key}`)))), moves),
    pair);

  function fit() {
    const { x } = panels[0].state;
    const wide = Math.max(0.65, 0.82 / sheet.shape, 24 / Math.max(1, x));
    Object.assign(frame, { left: 0, bottom: 0, span: wide * (shared.scaled ? 1 : Math.max(1, x)) });
  }

  function onFrame() {
    for (const panel of panels) if (!panel.element.hidden) panel.sheet.update();
    keep();
  }

  function refresh() {
    for (const [key, box] of Object.entries(boxes)) box.checked = shared[key];
    panels[1].element.hidden = !shared.two;
    pair.classList.toggle("two", shared.two);
    panels.forEach((panel) => { if (!panel.element.hidden) panel.refresh(); });
  }

  function address() {
    const of = ({ state: { game, x, kind, colour } }) => [game, x, kind, colour].join("~");
    const { left, bottom, span } = frame;
    return {
      a: of(panels[0]), ...(shared.two && { b: of(panels[1]) }),
      at: [left, bottom, span].map((each) => Number(each.toPrecision(6))).join("~"),
      show: [shared.overlay && "lines", shared.scaled && "scaled"].filter(Boolean).join("~"),
    };
  }

  return {
    element,
    open(_, { a, b, at, show } = {}) {
      [a, b].forEach((text, index) => {
        if (!text) return;
        const [game, x, kind, colour] = text.split("~");
        Object.assign(panels[index].state, { game: game || "chomp3", x: whole(x), kind: kind === "W" ? "W" : "L", colour });
      });
      shared.two = Boolean(b);
      if (show !== undefined) Object.assign(shared, { overlay: show.split("~").includes("lines"), scaled: show.split("~").includes("scaled") });
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

/** For each game with sheets: the last x that can be answered, and the last x with a stored table. */
function limitsOf(games) {
  return new Map(games.filter(({ game }) => /^(chomp3|nim|wythoff)\b/.test(game)).map(({ game, sources }) => {
    const lastOf = (...kinds) => Math.max(0, ...sources.filter(({ build }) => kinds.includes(build?.kind))
      .map(({ build }) => parseInt(build.limit, 10) || 0));
    return [game, { last: lastOf("sheets", "census"), stored: lastOf("sheets") }];
  }));
}
