// The words of the page in the chosen language. All words are in texts/.

import { kept } from "./kept.js";
import en from "./texts/en.js";

/** The languages by code; each has a file in texts/. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };

export const language = chosen();
const words = language === "en" ? en : { ...en, ...(await import(`./texts/${language}.js`)).default };

/** The language chosen on this page, or the first language of the browser that the page has. */
function chosen() {
  if (typeof document === "undefined") return "en";
  const wanted = [kept("language"), ...navigator.languages.map((each) => each.slice(0, 2))];
  return wanted.find((each) => each in LANGUAGES) ?? "en";
}

/** The words of a game in the chosen language, if there are any. */
export function wordsOfGame(game) {
  const [title, rules, loses, note] = words.games?.[game.start] ?? [];
  return title ? { ...game, title, rules, loses, note, isTranslated: true } : game;
}

/** A sentence that says when a player loses, in the language of the rules. */
export function lossOf({ loses, isTranslated }) {
  return (isTranslated ? words : en)["rules.loses"].replace("{loses}", loses);
}

/** Words by key, with {name} replaced and {n|one|many} chosen by number. */
export function t(key, values = {}) {
  const text = words[key];
  if (text === undefined) throw new Error(`no text ${key}`);
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (_, name, one, many) => {
    const value = values[name];
    if (one === undefined) return typeof value === "number" ? number(value) : String(value);
    return Number(value) === 1 ? one : many;
  });
}

/** A number as people write it. */
export function number(value) {
  return Number(value).toLocaleString(language, { maximumFractionDigits: 6, useGrouping: true });
}
