// Chomp on boxes: `chomp:2x2x2+3x1x1` in three dimensions and more, and transfinite Chomp, whose
// sides are ordinals, `transfinite:1x(w*3) + 2x(w*2+1)`. Ordinals below w^w are lists of
// coefficients, those of w^0 first: w*2+1 is [1, 2].

import { UnreadText, prefix } from "./text.js";

/** How many cookies are drawn of an endless stretch, and of a long one at its end. */
const DRAWN = 4;
const DRAWN_END = 2;
const MOST_DRAWN = 40;

/** Read a board. In a sum of normal play the poison cannot be eaten (`spared`). */
export function readBoxes({ family, options, body, passes }, spared = false) {
  const given = new Map(options);
  given.delete("dimensions");
  const boxes = body.trim() === "0" ? [] : splitBoxes(body).map(readBox);
  const dimensions = Number(options.get("dimensions") ?? boxes[0]?.length ?? 2);
  if (boxes.some((box) => box.length !== dimensions)) throw new UnreadText(body);
  const finite = family === "chomp";
  if (finite && boxes.some((box) => box.some((side) => side.length > 1))) throw new UnreadText(body);
  return union({ game: prefix(family, given), finite, dimensions, passes, spared, misere: options.has("misere"),
    boxes: maximal(boxes) });
}

function splitBoxes(body) {
  const parts = [""];
  let depth = 0;
  for (const character of body) {
    depth += { "(": 1, ")": -1 }[character] ?? 0;
    if (character === "+" && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function readBox(text) {
  const sides = text.match(/\([^()]*\)|[^x()\s]+/g) ?? [];
  return sides.map((side) => readOrdinal(side.replace(/[()]/g, "")));
}

/** An ordinal below w^10 with small coefficients. */
export function readOrdinal(text) {
  const found = [];
  for (const term of text.replace(/\s+/g, "").split("+")) {
    const match = /^(?:(\d{1,9})|w(?:\^(\d))?(?:\*(\d{1,9}))?)$/.exec(term);
    if (!match) throw new UnreadText(text);
    const power = match[1] !== undefined ? 0 : Number(match[2] ?? 1);
    found[power] = Number(match[1] ?? match[3] ?? 1);
  }
  return trimmed(Array.from(found, (each) => each ?? 0));
}

function trimmed(ordinal) {
  while (ordinal.length && !ordinal.at(-1)) ordinal.pop();
  return ordinal;
}

export function writeOrdinal(ordinal) {
  const terms = ordinal.map((count, power) => {
    if (!count) return null;
    if (!power) return String(count);
    return `w${power > 1 ? `^${power}` : ""}${count > 1 ? `*${count}` : ""}`;
  });
  return terms.filter(Boolean).reverse().join("+") || "0";
}

/** Negative where one ordinal is less than the other, 0 where they are equal. */
export function compare(one, other) {
  if (one.length !== other.length) return one.length - other.length;
  for (let power = one.length - 1; power >= 0; power -= 1) {
    if (one[power] !== other[power]) return one[power] - other[power];
  }
  return 0;
}

function compareBoxes(one, other) {
  const at = one.findIndex((side, axis) => compare(side, other[axis]) !== 0);
  return at < 0 ? 0 : compare(one[at], other[at]);
}

const isWithin = (one, other) => one.every((side, axis) => compare(side, other[axis]) <= 0);

/** The boxes that lie in no other, ascending, each once. */
function maximal(boxes) {
  const there = boxes.filter((box) => box.every((side) => side.length)).sort(compareBoxes);
  return there.filter((box, at) => !there.some((other, index) =>
    index !== at && isWithin(box, other) && (index > at || compareBoxes(box, other) !== 0)));
}

function union(state) {
  const { game, dimensions, passes, misere, spared, boxes } = state;
  const text = `${game}:${bodyOf(state)}${passes ? `;${passes}` : ""}`;
  const inside = (cookie, box) => cookie.every((at, axis) => compare(at, box[axis]) < 0);
  const has = (cookie) => (!spared || cookie.some((at) => at.length)) && boxes.some((box) => inside(cookie, box));
  const onlyPoison = boxes.length === 1 && boxes[0].every((side) => writeOrdinal(side) === "1");
  const isEnd = !boxes.length || (!misere && onlyPoison);
  const mayPass = passes > 0 && !isEnd;

  function after(action) {
    if (action.pass) return mayPass ? union({ ...state, passes: passes - 1 }).text : null;
    const cookie = action.ordinalBite?.coordinates.map(readOrdinal);
    if (cookie?.length !== dimensions || !has(cookie)) return null;
    const left = boxes.flatMap((box) => (inside(cookie, box)
      ? cookie.map((at, axis) => box.map((side, other) => (other === axis ? at : side))) : [box]));
    return union({ ...state, boxes: maximal(left) }).text;
  }

  /** Every move of a finite board; of an endless one those at the cookies that are drawn. */
  function* moves() {
    for (const cookie of cookies) {
      const action = actionAt(cookie.map(writeOrdinal));
      yield { action, child: after(action), isPass: false };
    }
    if (mayPass) yield { action: { pass: {} }, child: after({ pass: {} }), isPass: true };
  }

  /** A bite; on a board that is finite and flat it is told by row and column. */
  function actionAt(coordinates) {
    const bite = { ordinalBite: { coordinates } };
    return isFlat ? { ...bite, place: { column: Number(coordinates[0]) + 1, row: Number(coordinates[1]) + 1 } } : bite;
  }

  const isFinite = boxes.every((box) => box.every((side) => side.length < 2));
  const isFlat = isFinite && !state.finite && dimensions === 2;
  /** The ordinals that are drawn on each axis, those of some cookies among them. */
  const drawnWith = (also) => Array.from({ length: dimensions }, (_, axis) =>
    drawnOrdinals(boxes.map((box) => box[axis]), isFinite, also.map((cookie) => cookie[axis])));
  const cookies = drawnWith([]).reduce((some, ordinals) => some.flatMap((at) => ordinals.filter(Boolean).map((each) => [...at, each])), [[]])
    .filter(has);
  return {
    kind: "boxes", text, game, dimensions, passes, misere, after, moves, someMoves: moves, actionAt, has, drawnWith, isFinite,
    compare, read: (coordinates) => coordinates.map(readOrdinal),
    count: isFinite ? cookies.length + (mayPass ? 1 : 0) : Infinity, size: cookies.length,
    moverWon: boxes.length ? (spared && onlyPoison ? false : null) : !misere,
  };
}

function bodyOf({ finite, dimensions, boxes }) {
  if (!boxes.length) return finite ? Array(dimensions).fill(0).join("x") : "0";
  const side = (ordinal) => (ordinal.length < 2 || writeOrdinal(ordinal) === "w" || /^w\^\d$/.test(writeOrdinal(ordinal))
    ? writeOrdinal(ordinal) : `(${writeOrdinal(ordinal)})`);
  return boxes.map((box) => box.map(side).join("x")).join(finite ? "+" : " + ");
}

/** Ordinals below some sides, ascending: all of finite ones, else some with null where others are left out. */
function drawnOrdinals(sides, isFinite, also) {
  const found = new Map(also.map((each) => [writeOrdinal(each), each]));
  for (const side of sides) for (const each of below(side, isFinite)) found.set(writeOrdinal(each), each);
  if (found.size > MOST_DRAWN) throw new UnreadText("too many cookies to show");
  const sorted = [...found.values()].sort(compare);
  return sorted.flatMap((each, at) => {
    const before = sorted[at - 1];
    const follows = !before || compare(each, trimmed([(before[0] ?? 0) + 1, ...before.slice(1)])) === 0;
    return follows ? [each] : [null, each];
  });
}

/** Some ordinals below one: those of every stretch w^k that are first, and the last ones. */
function below(ordinal, isWhole = false) {
  const power = ordinal.length - 1;
  if (power < 0) return [];
  if (power === 0) {
    const [count] = ordinal;
    if (isWhole && count > MOST_DRAWN) throw new UnreadText("too many cookies to show");
    return Array.from({ length: count }, (_, at) => trimmed([at]))
      .filter((_, at) => isWhole || count <= 2 * DRAWN || at < DRAWN || at >= count - DRAWN_END);
  }
  const stretch = power === 1 ? Array.from({ length: DRAWN }, (_, at) => trimmed([at]))
    : below(Array.from({ length: power }, (_, at) => (at === power - 1 ? 2 : 0)));
  const blocks = Array.from({ length: Math.min(DRAWN, ordinal[power]) }, (_, at) => at);
  const raised = (lower, count) => trimmed(Array.from({ length: power + 1 }, (_, at) => (at === power ? count : lower[at] ?? 0)));
  return [...blocks.flatMap((block) => stretch.map((lower) => raised(lower, block))),
    ...below(trimmed(ordinal.slice(0, power))).map((lower) => raised(lower, ordinal[power]))];
}
