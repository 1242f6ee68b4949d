// Games: the list of games, each with a picture and its rules.

import { h } from "./dom.js";
import { FIRST, loadGames } from "./games.js";
import { readPosition } from "./rules/position.js";
import { lossOf, t } from "./text.js";
import { picture } from "./views/picture.js";

/** The view; `addressOf(start)` is where a game is played. */
export function createList({ addressOf }) {
  const list = h("ul", { class: "gamelist" });
  const note = h("p", { class: "quiet", role: "status" }, t("list.asking"));
  const element = h("div", { class: "list" },
    h("section", { class: "card hero" }, picture(readPosition(FIRST)),
      h("div", {}, h("h2", {}, t("list.welcome")), h("p", {}, t("list.about")),
        h("a", { class: "button primary", href: addressOf(FIRST) }, t("list.begin")))),
    note, list);
  return {
    element,
    async open() {
      const games = await loadGames();
      note.hidden = games.length > 0;
      note.textContent = t("list.lost");
      if (list.childElementCount === games.length) return;
      const sorted = [...games].sort((one, other) => (other.start === FIRST) - (one.start === FIRST));
      list.replaceChildren(...sorted.map((game) => h("li", {}, h("a", { class: "card game", href: addressOf(game.start) },
        h("span", { class: "frame", "aria-hidden": "true" }, picture(readPosition(game.start)) ?? h("code", {}, game.start)),
        h("span", { class: "words" }, h("strong", {}, game.title), h("span", {}, game.rules),
          h("span", { class: "quiet" }, lossOf(game)))))));
    },
  };
}
