// The text of a position: `family{options}:body`, with `;passes` in the body.

/** The error of a text that this page cannot read as a position. The oracle may still read it. */
export class UnreadText extends Error {}

const POSITION = /^\s*([a-z][a-z0-9]*)\s*(?:\{([^{}]*)\})?\s*:([^]*)$/;
const PLUS = /\+\s*(?=[a-z][a-z0-9]*\s*(?:\{[^{}]*\}\s*)?:)/;
const MISERE_SUM = /^\s*misere\s*\{([^]*)\}\s*$/;
const PASSES = /^([^;]*);\s*(\d+)\s*(\]?)$/;
const MOST_CHARACTERS = 4096;
const MOST_PASSES = 64;

/** Split a position of one game. Options are a map from name to value, "" for flags. */
export function splitPosition(text) {
  const match = POSITION.exec(text);
  if (!match || text.length > MOST_CHARACTERS) throw new UnreadText(text);
  const written = (match[2] ?? "").split(/,(?![^[]*\])/).filter((part) => part.trim());
  const given = written.map((part) => part.split("=").map((each) => each.trim()));
  const options = new Map(given.map(([name, value = ""]) => [name, value]));
  const isWrong = ([name, value, ...more]) => !name || value === "" || more.length;
  if (given.some(isWrong) || options.size < given.length) throw new UnreadText(text);
  const body = match[3].trim();
  const [, before, passes, bracket] = PASSES.exec(body) ?? [];
  if (passes > MOST_PASSES) throw new UnreadText(text);
  return { family: match[1], options, body: passes ? before + bracket : body, passes: Number(passes ?? 0) };
}

/** The components of a sum, or null if the text is a single position. */
export function splitSum(text) {
  if (text.length > MOST_CHARACTERS) throw new UnreadText(text);
  const misere = MISERE_SUM.exec(text);
  const parts = (misere ? misere[1] : text).split(PLUS).map((part) => part.trim());
  return misere || parts.length > 1 ? { parts, misere: Boolean(misere) } : null;
}

/** The text before the colon. */
export function prefix(family, options) {
  const written = [...options].map(([name, value]) => (value === "" ? name : `${name}=${value}`));
  return options.size ? `${family}{${written.join(",")}}` : family;
}

/** A body with its number of passes added, at its end or in its bracket, if there are any. */
export function withPasses(body, passes) {
  return passes ? body.replace(/\]?$/, (bracket) => `;${passes}${bracket}`) : body;
}

/** `[3,5]` as numbers. The oracle also reads larger numbers than this page can count with. */
export function readBracket(body) {
  const match = /^\[([^\][]*)\]$/.exec(body);
  if (!match) throw new UnreadText(body);
  return match[1].trim() ? readNumbers(match[1], ",") : [];
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

export function sumOf(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0);
}
