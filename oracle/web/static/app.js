// The page: its views, the address, the colours, and the state of the connection.

import { createAnalyse } from "./analyse.js";
import { h, say, select } from "./dom.js";
import { createHelp } from "./help.js";
import { keep, kept } from "./kept.js";
import { createList } from "./list.js";
import { createLook } from "./look.js";
import { watchOracle } from "./oracle.js";
import { createPlay } from "./play.js";
import { createPuzzles } from "./puzzles.js";
import { LANGUAGES, language, t } from "./text.js";
import { createToken } from "./token.js";

const VIEWS = ["games", "play", "analyse", "puzzle", "look", "help"];
const THEMES = ["auto", "light", "dark"];

document.body.classList.toggle("embedded", window.self !== window.top);
const analysePosition = (position) => go("analyse", position);
const playPosition = (position) => go("play", position, { first: "you", second: "perfect" });
const views = {
  games: createList({ addressOf: (start) => address("play", start, { first: "you", second: "easy" }) }),
  play: createPlay({ remember: (position, options) => replace("play", position, options), analysePosition }),
  analyse: createAnalyse({ remember: analysePosition, playPosition }),
  puzzle: createPuzzles({ remember: (position, options) => replace("puzzle", position, options), analysePosition, playPosition }),
  look: createLook({ remember: (options) => replace("look", "", options) }),
  help: createHelp(),
};
const addresses = Object.fromEntries(VIEWS.map((view) => [view, `#${view}/`]));
let current = "";

/** An address `#view/position?name=value`. Brackets and braces stay readable. */
function address(view, position = "", options = {}) {
  const plain = (text) => encodeURIComponent(text).replace(/%(?:5B|5D|7B|7D|3A|3B|2C|2F|3D|2B|5E|7E|40)/g,
    (code) => decodeURIComponent(code));
  const asked = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `#${view}/${plain(position.replace(/ \+ /g, "+"))}${asked.length ? `?${asked.join("&")}` : ""}`;
}

function go(view, position, options) {
  const hash = address(view, position, options);
  if (location.hash === hash) open();
  else location.hash = hash;
}

function replace(view, position, options) {
  addresses[view] = address(view, position, options);
  if (current === view) history.replaceState(null, "", addresses[view]);
}

/** Show the view and position of the address. */
function open() {
  const [, view = "play", rest = ""] = /^#(\w+)\/?([^]*)$/.exec(location.hash) ?? [];
  const shown = VIEWS.includes(view) ? view : "play";
  const at = rest.indexOf("?");
  const position = decoded(at < 0 ? rest : rest.slice(0, at));
  const options = Object.fromEntries(new URLSearchParams(at < 0 ? "" : rest.slice(at + 1)));
  if (VIEWS.includes(view)) addresses[shown] = location.hash;
  if (current !== shown) {
    views[current]?.close?.();
    current = shown;
    document.getElementById("main").replaceChildren(
      h("h1", { class: "unseen", tabindex: -1 }, t(`view.${shown}`)), views[shown].element);
    document.title = `${t(`view.${shown}`)} · ${t("title")}`;
  }
  for (const [name, link] of Object.entries(links)) {
    link.setAttribute("href", addresses[name]);
    if (name === shown) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  views[shown].open(position, options);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function themeButton() {
  const button = h("button", { type: "button", class: "small theme", on: { click: () => {
    const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
    keep("theme", next);
    apply(next);
    say(t(`theme.${next}`));
    dispatchEvent(new Event("resize"));
    if (current === "look") open();
  } } });
  function apply(name) {
    document.documentElement.dataset.theme = name;
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[name];
    button.setAttribute("aria-label", t("theme.button", { theme: t(`theme.${name}`) }));
    button.title = t(`theme.${name}`);
  }
  apply(theme());
  return button;
}

const theme = () => THEMES.find((each) => each === kept("theme")) ?? "auto";

/** Choosing another language loads the page again. */
function languageChooser() {
  return select(Object.entries(LANGUAGES), language, (code) => {
    keep("language", code);
    location.reload();
  }, { class: "language", "aria-label": t("language") });
}

const links = Object.fromEntries(VIEWS.map((view) => [view, h("a", { href: addresses[view] }, t(`view.${view}`))]));
document.querySelector(".skip").textContent = t("skip");
const connection = h("p", { class: "connection", role: "status" });
document.getElementById("top").replaceChildren(
  h("a", { href: "#play/", class: "brand" }, h("span", { class: "cookie small", "aria-hidden": "true" }), h("span", {}, t("title"))),
  h("nav", { "aria-label": t("views") }, VIEWS.filter((view) => view !== "help").map((view) => links[view])), connection,
  h("div", { class: "headtools" }, h("a", { href: "#help/", class: "button small", "aria-label": t("view.help"), title: t("view.help") }, "?"), createToken(), themeButton(), languageChooser()));
document.documentElement.lang = language;
watchOracle((state) => {
  connection.textContent = state === "ready" ? "" : t(`connection.${state}`);
  connection.className = `connection ${state}`;
});
addEventListener("hashchange", open);
open();
document.documentElement.dataset.ready = "yes";
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/sw.js").catch(() => { /* then not offline */ });
}
