// The words of the page in the language chosen; all of them stand in texts/.

import { kept } from "./kept.js";
import en from "./texts/en.js";

/** The languages by code; each has a file in texts/. */
export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };

export const language = chosen();
const words = language === "en" ? en : { ...en, ...(await import(`./texts/${language}.js`)).default };

/** The language that was chosen here, else the first one of the browser that there is. */
function chosen() {
  if (typeof document === "undefined") return "en";
  const wanted = [kept("language"), ...navigator.languages.map((each) => each.slice(0, 2))];
  return wanted.find((each) => each in LANGUAGES) ?? "en";
}

/** The words of a game in the language chosen, where there are some. */
export function wordsOfGame(game) {
  const [title, rules, loses, note] = words.games?.[game.start] ?? [];
  return title ? { ...game, title, rules, loses, note, isTranslated: true } : game;
}

/** When a player loses a game, as a sentence in the language of its rules. */
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

/** A number as it is read. */
export function number(value) {
  return Number(value).toLocaleString(language, { maximumFractionDigits: 6, useGrouping: true });
}
