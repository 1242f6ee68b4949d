// Nim, subtraction games, Wythoff's game and octal games: `nim:[3,5]`, `octal{code=0.77}:[5,7]`.

import { byRules } from "./rules.js";
import { UnreadText, prefix, readBracket, sumOf } from "./text.js";

export const SHORT = {
  __proto__: null,
  kayles: "0.77", dawson: "0.07", dawsonchess: "0.137", treblecross: "0.007", guiles: "0.15",
  officers: "0.6", grundy: "4!.0", lasker: "4.[3]",
};

/**
 * The options that these rules know of each family, in the order and the form of canonical texts. The oracle also
 * reads others.
 */
const KNOWN = {
  __proto__: null,
  octal: { code: /^[04]\.([0-7]{0,1023}[1-7]|0)$/, misere: /^$/ },
  nim: { max: /^[1-9]\d{0,14}$/, take: /^[1-9]\d{0,14}(\+[1-9]\d{0,14})*$/, misere: /^$/ },
  wythoff: { rule: /^(pairs|all|both)$/, misere: /^$/ },
};
const MOST_HEAPS = 64;

/** The code of a take-and-break game; undefined for other games. */
export const codeOf = ({ family, options }) => SHORT[family] ?? (family === "octal" ? options.get("code") : undefined);

/** Read heaps of a game whose moves this page knows. */
export function readHeaps({ family, options, body, passes }) {
  const code = codeOf({ family, options });
  const given = new Map(code ? [["code", code], ...options] : options);
  const known = KNOWN[code ? "octal" : family];
  const names = Object.keys(known).filter((name) => given.has(name));
  const isKnown = String(names) === String([...given.keys()]) && names.every((name) => known[name].test(given.get(name)));
  const isTwice = (SHORT[family] && options.has("code")) || (given.has("max") && given.has("take"));
  if (!isKnown || isTwice || (family === "octal" && !code)) throw new UnreadText(body);
  const misere = options.has("misere");
  const isSubtraction = Boolean(code) || given.has("max") || given.has("take");
  /** The order in which the engine writes heaps, which depends on the passes left. */
  const ordered = (heaps, left) => {
    if (!isSubtraction && (family !== "wythoff" || (!left && !misere))) return heaps;
    return heaps.filter((heap) => heap || !isSubtraction).sort((one, other) => one - other);
  };
  const read = readBracket(body);
  if (read.length > MOST_HEAPS || !(read.length || isSubtraction)) throw new UnreadText(body);
  const heaps = ordered(read, passes);
  const lines = family === "wythoff" ? wythoffLines(heaps, given) : heaps.map((_, at) => [at]);
  const rules = code ? octalRules(heaps, code) : lineRules(heaps, lines, given);
  const isOver = rules.actions().next().done;
  return byRules({
    kind: "heaps", game: prefix(code ? "octal" : family, given), passes, misere, heaps, pins: code && pinModes(code), ...rules,
    value: heaps, body: (next, left) => `[${ordered(next, left).join()}]`, isOver, size: sumOf(heaps), moverWon: isOver ? misere : null,
  });
}

function wythoffLines({ length }, options) {
  const rule = options.get("rule");
  if (length === 2 && !rule) return [[0], [1], [0, 1]];
  if (length !== 3 || !rule) throw new UnreadText("wythoff");
  return [[0], [1], [2], ...(rule === "all" ? [] : [[0, 1], [0, 2], [1, 2]]), ...(rule === "pairs" ? [] : [[0, 1, 2]])];
}

/** By how much the sum of heaps exceeds that of others; sums may be too large for numbers. */
function excess(heaps, others) {
  const [more, less] = [heaps, others].map((some) => some.reduce((sum, heap) => sum + BigInt(heap), 0n));
  return more - less;
}

/** Games whose moves take equally much from each heap of a line: {actions, towards, after, several, count}. */
function lineRules(heaps, lines, options) {
  const most = Number(options.get("max") ?? Infinity);
  const listed = options.get("take")?.split("+").map(Number).reverse();
  // The canonical text of 1+2+3 is max=3.
  if (listed && (listed.length === listed[0] || listed.some((each, at) => each <= (listed[at + 1] ?? 0)))) throw new UnreadText("take");
  const leastOf = (line) => Math.min(...line.map((at) => heaps[at]));
  const known = new Set(lines.map(String));
  return {
    several: lines.length > heaps.length,
    count: sumOf(lines.map(leastOf).map((least) => (listed ? listed.filter((tokens) => tokens <= least).length : Math.min(least, most)))),
    *actions(some) {
      for (const line of lines) {
        for (const tokens of numbersUpTo(Math.min(leastOf(line), most), listed, some)) {
          yield { taking: { heaps: line.map((at) => ({ heap: at + 1, tokens })) } };
        }
      }
    },
    *towards(next) {
      const taken = excess(heaps, next);
      for (const line of lines) {
        const tokens = Number(taken / BigInt(line.length));
        yield { taking: { heaps: line.map((at) => ({ heap: at + 1, tokens })) } };
      }
    },
    after({ taking }) {
      const line = taking?.heaps.map(({ heap }) => heap - 1) ?? [];
      const tokens = Number(taking?.heaps[0]?.tokens);
      const isAllowed = known.has(String(line)) && taking.heaps.every((each) => Number(each.tokens) === tokens)
        && tokens >= 1 && tokens <= Math.min(leastOf(line), most) && (listed?.includes(tokens) ?? true);
      return isAllowed ? heaps.map((heap, at) => (line.includes(at) ? heap - tokens : heap)) : null;
    },
  };
}

/**
 * The numbers of a falling list, or all numbers, up to the largest and in falling order; of all numbers, at most
 * `most`.
 */
function* numbersUpTo(largest, listed, most = Infinity) {
  if (listed) yield* listed.filter((number) => number <= largest);
  else for (let number = largest; number > Math.max(0, largest - most); number -= 1) yield number;
}

/**
 * The ways of taking from the rows of a game with a code: a number of adjacent pins, "end" the pins up to the
 * end of the row, "split" none, "cell" a cell with its neighbours, "cross" a cell of a strip that is two cells
 * shorter.
 */
export function pinModes(code) {
  const special = { "0.137": ["cell"], "0.007": ["cross"], "4!.0": ["split"], "4.[3]": ["end", "split"] };
  const [first, rest = ""] = code.replace(/[^\dA-F.]/g, "").split(".");
  const taking = [...rest].map((digit, at) => (digit === "0" ? null : String(at + 1))).filter(Boolean);
  return special[code] ?? [...taking, ...(parseInt(first || "0", 16) & 4 ? ["split"] : [])];
}

/** Digit k of the code: the bits say into how many heaps the rest of a heap may be divided after taking k. */
function octalRules(heaps, code) {
  const [first, rest = ""] = code.split(".");
  const digits = [Number(first || 0), ...[...rest].map(Number)];
  const mayLeave = (tokens, parts) => Boolean((digits[tokens] ?? 0) & (1 << parts));
  return {
    /** An upper bound on the number of moves, without listing them. */
    count: sumOf(heaps.map((heap) => digits.length * (2 + heap / 2))),
    *actions(some = Infinity) {
      for (const [at, heap] of heaps.entries()) {
        for (let tokens = Math.min(heap, digits.length - 1); tokens >= 0; tokens -= 1) {
          const left = heap - tokens;
          const change = { heap: at + 1, tokens };
          if (mayLeave(tokens, left ? 1 : 0)) yield { taking: { heaps: [change] } };
          for (let part = 1; mayLeave(tokens, 2) && part <= Math.min(left / 2, some); part += 1) {
            yield { taking: { heaps: [{ ...change, left: [part, left - part] }] } };
          }
        }
      }
    },
    *towards(next) {
      const tokens = Number(excess(heaps, next));
      for (const [at, heap] of heaps.entries()) {
        const change = { heap: at + 1, tokens };
        yield { taking: { heaps: [change] } };
        for (const part of new Set(next)) {
          const other = heap - tokens - part;
          if (part <= other) yield { taking: { heaps: [{ ...change, left: [part, other] }] } };
        }
      }
    },
    after({ taking }) {
      const [change = {}, ...more] = taking?.heaps ?? [];
      const { heap: number = 0, tokens = 0, left = [] } = change;
      const rest = heaps[number - 1] - tokens;
      const parts = left.length ? left.map(Number) : [rest].filter(Boolean);
      const isAllowed = !more.length && rest >= 0 && sumOf(parts) === rest && parts.every((part) => part > 0) && mayLeave(tokens, parts.length);
      return isAllowed ? [...heaps.slice(0, number - 1), ...parts, ...heaps.slice(number)] : null;
    },
  };
}
