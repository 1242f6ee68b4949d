// The games, each with a picture, its rules, and a link that begins it.

import { createComplaints } from "./complaints.js";
import { h } from "./dom.js";
import { FIRST, loadGames } from "./games.js";
import { patiently } from "./oracle.js";
import { readPosition } from "./rules/position.js";
import { lossOf, t } from "./text.js";
import { picture } from "./views/picture.js";
import { createWork } from "./work.js";

/** The view. `addressOf(start)` is the address of a new game. */
export function createList({ addressOf }) {
  const list = h("ul", { class: "gamelist" });
  const find = h("input", { type: "search", class: "find", "aria-label": t("list.find"), placeholder: t("list.find"), on: { input: filter } });
  const note = h("p", { class: "quiet", role: "status" }, t("list.asking"));
  const complaints = createComplaints({ onAgain: show });
  const work = createWork(complaints.error);
  const element = h("div", { class: "list" },
    h("section", { class: "card hero" }, picture(readPosition(FIRST)),
      h("div", {}, h("h2", {}, t("list.welcome")), h("p", {}, t("list.about")),
        h("a", { class: "button primary", href: addressOf(FIRST) }, t("list.begin")))),
    find, note, complaints.element, list);

  /** Show the games with the searched words. */
  function filter() {
    const wanted = find.value.trim().toLowerCase();
    for (const item of list.children) item.hidden = !item.textContent.toLowerCase().includes(wanted);
    note.hidden = [...list.children].some((item) => !item.hidden);
    note.textContent = t("list.none");
  }

  async function show() {
    complaints.clear();
    await work.run(async (signal) => {
      const games = await patiently(loadGames, { signal });
      if (list.childElementCount !== games.length) list.replaceChildren(...inOrder(games).map(entry));
    });
    note.hidden = true;
  }

  const entry = (game) => h("li", {}, h("a", { class: "card game", href: addressOf(game.start) },
    h("span", { class: "frame", "aria-hidden": "true" }, picture(readPosition(game.start)) ?? h("code", {}, game.start)),
    h("span", { class: "words" }, h("strong", {}, game.title), h("span", {}, game.rules),
      h("span", { class: "quiet" }, lossOf(game)))));

  return { element, open: show };
}

/** The game for newcomers first, then by name. */
function inOrder(games) {
  return [...games].sort((one, other) => (other.start === FIRST) - (one.start === FIRST) || one.title.localeCompare(other.title));
}
