// The words of the page in the language chosen; all of them stand in texts/.

import en from "./texts/en.js";

let words = en;

/** Take another language: an object of the same keys. */
export function useTexts(texts) {
  words = { ...en, ...texts };
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
  return Number(value).toLocaleString("en", { maximumFractionDigits: 6, useGrouping: true });
}
