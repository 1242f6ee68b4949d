// The text of a position: `family{options}:body`, with `;passes` in the body.

/** A text that is no position this page can read; the oracle may still read it. */
export class UnreadText extends Error {}

const POSITION = /^\s*([a-z][a-z0-9]*)\s*(?:\{([^{}]*)\})?\s*:([^]*)$/;
const PLUS = /\+\s*(?=[a-z][a-z0-9]*\s*(?:\{[^{}]*\}\s*)?:)/;
const MISERE_SUM = /^\s*misere\s*\{([^]*)\}\s*$/;

/** Split a position of one game. Options are a map from name to value, "" for flags. */
export function splitPosition(text) {
  const match = POSITION.exec(text);
  if (!match) throw new UnreadText(text);
  const options = new Map();
  for (const part of (match[2] ?? "").split(/,(?![^[]*\])/)) {
    if (!part.trim()) continue;
    const [name, value = ""] = part.split("=").map((each) => each.trim());
    options.set(name, value);
  }
  const { body, passes } = splitPasses(match[3].trim());
  return { family: match[1], options, body, passes };
}

/** The components of a sum; null where the text is a single position. */
export function splitSum(text) {
  const misere = MISERE_SUM.exec(text);
  const parts = (misere ? misere[1] : text).split(PLUS).map((part) => part.trim());
  if (!misere && parts.length === 1) return null;
  return { parts, misere: Boolean(misere) };
}

function splitPasses(body) {
  const match = /^([^;]*);\s*(\d+)\s*(\]?)$/.exec(body);
  return match ? { body: match[1] + match[3], passes: Number(match[2]) } : { body, passes: 0 };
}

/** The text in front of the colon. */
export function prefix(family, options) {
  if (!options.size) return family;
  const written = [...options].map(([name, value]) => (value === "" ? name : `${name}=${value}`));
  return `${family}{${written.join(",")}}`;
}

/** `[3,5]` as numbers; the oracle has larger ones than this page can count with. */
export function readBracket(body) {
  const match = /^\[([^\][]*)\]$/.exec(body);
  if (!match) throw new UnreadText(body);
  return match[1].trim() ? readNumbers(match[1], ",") : [];
}

/** A text with the number of passes behind it, where there are some. */
export function withCount(text, passes) {
  return passes ? `${text};${passes}` : text;
}

export function sumOf(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0);
}

export function writeBracket(numbers, passes) {
  return `[${withCount(numbers.join(), passes)}]`;
}

/** Whole numbers between separators. */
export function readNumbers(text, separator) {
  return text.split(separator).map((part) => {
    const digits = part.trim();
    const number = Number(digits);
    if (!/^\d+$/.test(digits) || !Number.isSafeInteger(number)) throw new UnreadText(text);
    return number;
  });
}
