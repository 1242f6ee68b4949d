// Nim, subtraction games, Wythoff's game and octal games: `nim:[3,5]`, `octal{code=0.77}:[5,7]`.

import { withPasses } from "./passes.js";
import { UnreadText, prefix, readBracket, sumOf, writeBracket } from "./text.js";

export const SHORT = {
  kayles: "0.77", dawson: "0.07", dawsonchess: "0.137", treblecross: "0.007", guiles: "0.15",
  officers: "0.6", grundy: "4!.0", lasker: "4.[3]",
};

/** Options that these rules know. */
const KNOWN = new Set(["code", "heaps", "max", "misere", "rule", "take"]);

/** Read heaps of a game whose moves this page knows. */
export function readHeaps({ family, options, body, passes }) {
  if ([...options.keys()].some((name) => !KNOWN.has(name))) throw new UnreadText(body);
  const code = SHORT[family] ?? options.get("code");
  const given = new Map(code ? [["code", code], ...options] : options);
  given.delete("heaps");
  const game = prefix(code ? "octal" : family, given);
  const ways = code ? octalWays(code) : family === "wythoff" ? wythoffWays(given) : nimWays(given);
  const heaps = ways.ordered(passes) ? ascending(readBracket(body), ways) : readBracket(body);
  return position({ game, ways, heaps, passes, misere: options.has("misere") });
}

function position(state) {
  const { game, ways, heaps, passes, misere } = state;
  const write = (next, left = passes) => `${game}:${writeBracket(ways.ordered(left) ? ascending(next, ways) : next, left)}`;
  const isOver = !ways.canMove(heaps);

  function* listed(some) {
    const seen = new Set();
    for (const { taken, next } of some) {
      const child = write(next);
      if (seen.has(child)) continue;
      seen.add(child);
      yield { action: { taking: { heaps: taken } }, child, isPass: false };
    }
  }

  return withPasses({
    kind: "heaps", game, heaps, passes, misere, pins: ways.pins, isOver, write: (left) => write(heaps, left),
    after({ taking }) {
      const next = taking && ways.after(heaps, taking.heaps);
      return next ? write(next) : null;
    },
    moves: () => listed(ways.moves(heaps)),
    several: ways.lines(heaps).length > heaps.length,
    /** A few moves of which some take much and some little, where there are too many to list. */
    someMoves: () => listed(ways.some(heaps)),
    /** At least the number of moves, without listing them. */
    count: ways.count(heaps),
    size: sumOf(heaps), moverWon: isOver ? misere : null,
  });
}

function ascending(heaps, ways) {
  const sorted = [...heaps].sort((one, other) => one - other);
  return ways.dropsEmpty ? sorted.filter((heap) => heap) : sorted;
}

/** Games in which a move takes equally much from one heap, or from each heap of a line. */
function lineWays(linesOf, mayTake, ordered, dropsEmpty) {
  const least = (heaps, line) => Math.min(...line.map((at) => heaps[at]));
  const taking = (heaps, line, tokens) => ({
    taken: line.map((at) => ({ heap: at + 1, tokens })),
    next: heaps.map((heap, at) => (line.includes(at) ? heap - tokens : heap)),
  });
  return {
    ordered, dropsEmpty, lines: linesOf,
    canMove: (heaps) => heaps.some((heap) => !mayTake.upTo(heap).next().done),
    count: (heaps) => sumOf(linesOf(heaps).map((line) => mayTake.number(least(heaps, line)))),
    *moves(heaps) {
      for (const line of linesOf(heaps)) {
        for (const tokens of mayTake.upTo(least(heaps, line))) yield taking(heaps, line, tokens);
      }
    },
    *some(heaps) {
      for (const line of linesOf(heaps)) {
        const most = mayTake.upTo(least(heaps, line)).next().value;
        const wanted = new Set([most, Math.ceil(most * 0.7), Math.ceil(most * 0.3), 2, 1]);
        for (const tokens of wanted) {
          if (tokens <= most && mayTake(tokens)) yield taking(heaps, line, tokens);
        }
      }
    },
    after(heaps, taken) {
      const line = taken.map((each) => each.heap - 1);
      const tokens = Number(taken[0]?.tokens);
      const known = linesOf(heaps).some((each) => String(each) === String(line));
      if (!known || taken.some((each) => Number(each.tokens) !== tokens)) return null;
      if (!mayTake(tokens) || tokens > least(heaps, line)) return null;
      return taking(heaps, line, tokens).next;
    },
  };
}

const oneByOne = (heaps) => heaps.map((_, at) => [at]);

function nimWays(options) {
  const most = options.get("max");
  const listed = options.get("take")?.split("+").map(Number);
  if (listed?.some(Number.isNaN)) throw new UnreadText(options.get("take"));
  const bounded = most !== undefined || listed !== undefined;
  return lineWays(oneByOne, takes(most === undefined ? Infinity : Number(most), listed),
    () => bounded, bounded);
}

function wythoffWays(options) {
  const rule = options.get("rule");
  const pairs = [[0, 1], [0, 2], [1, 2]];
  const linesOf = (heaps) => {
    if (heaps.length === 2) return [[0], [1], [0, 1]];
    if (heaps.length !== 3 || !rule) throw new UnreadText("wythoff");
    const several = rule === "all" ? [] : pairs;
    return [[0], [1], [2], ...several, ...(rule === "pairs" ? [] : [[0, 1, 2]])];
  };
  return lineWays(linesOf, takes(Infinity), (passes) => passes > 0 || options.has("misere"), false);
}

/** Which numbers may be taken: up to a bound, or those of a list. */
function takes(most, listed) {
  const sorted = listed && [...listed].sort((one, other) => other - one);
  const may = (tokens) => tokens >= 1 && (listed ? listed.includes(tokens) : tokens <= most);
  may.upTo = function* (heap) {
    if (sorted) yield* sorted.filter((tokens) => tokens <= heap);
    else for (let tokens = Math.min(heap, most); tokens > 0; tokens -= 1) yield tokens;
  };
  may.number = (heap) =>
    sorted ? sorted.filter((tokens) => tokens <= heap).length : Math.min(heap, most);
  return may;
}

/**
 * How a player takes from the rows of a game with a code: so many pins next to each other, "end" the
 * pins up to the end of the row, "split" none, "cell" a cell with its neighbours, "cross" a cell of a
 * strip that is two cells shorter.
 */
export function pinModes(code) {
  const special = { "0.137": ["cell"], "0.007": ["cross"], "4!.0": ["split"], "4.[3]": ["end", "split"] };
  const [first, rest = ""] = code.replace(/[^\dA-F.]/g, "").split(".");
  const taking = [...rest].map((digit, at) => (digit === "0" ? null : String(at + 1))).filter(Boolean);
  return special[code] ?? [...taking, ...(parseInt(first || "0", 16) & 4 ? ["split"] : [])];
}

/** Octal games: digit k of the code says what may be left of a heap of which k are taken. */
function octalWays(code) {
  const [first, rest = ""] = code.split(".");
  const digits = [Number(first || 0), ...[...rest].map(Number)];
  if (digits.some((digit) => !(digit >= 0 && digit <= 7))) throw new UnreadText(code);
  /** What may be left of a heap of which some are taken; of two heaps left at most `most` ways. */
  const choices = (heap, tokens, most = Infinity) => {
    const digit = digits[tokens] ?? 0;
    const left = heap - tokens;
    if (left < 0) return [];
    const found = [];
    if (left === 0 && digit & 1) found.push([]);
    if (left > 0 && digit & 2) found.push([left]);
    const ways = Math.min(most, Math.floor(left / 2));
    if (digit & 4) for (let part = 1; part <= ways; part += 1) found.push([part, left - part]);
    return found;
  };
  function* moves(heaps, most) {
    for (const [at, heap] of heaps.entries()) {
      for (let tokens = Math.min(heap, digits.length - 1); tokens >= 0; tokens -= 1) {
        for (const left of choices(heap, tokens, most)) {
          const taken = [{ heap: at + 1, tokens, ...(left.length > 1 && { left }) }];
          yield { taken, next: [...heaps.slice(0, at), ...left, ...heaps.slice(at + 1)] };
        }
      }
    }
  }
  const oneOf = (heap, tokens, left) => choices(heap, tokens, 1).some((each) => each.length === left);
  return {
    ordered: () => true, dropsEmpty: true, lines: oneByOne, pins: pinModes(code), moves,
    canMove: (heaps) => !moves(heaps, 1).next().done,
    count: (heaps) => sumOf(heaps.map((heap) => digits.length * (2 + heap / 2))),
    some: (heaps) => moves(heaps, 3),
    after(heaps, [change, ...more]) {
      const heap = heaps[(change?.heap ?? 0) - 1];
      if (more.length || heap === undefined) return null;
      const wanted = [...(change.left ?? [])].map(Number);
      const tokens = Number(change.tokens ?? 0);
      const left = wanted.length ? wanted : heap > tokens ? [heap - tokens] : [];
      if (sumOf(left) !== heap - tokens || left.some((part) => part < 1) || !oneOf(heap, tokens, left.length)) return null;
      return [...heaps.slice(0, change.heap - 1), ...left, ...heaps.slice(change.heap)];
    },
  };
}
