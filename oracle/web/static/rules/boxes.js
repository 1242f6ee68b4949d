// Chomp on boxes: `chomp:2x2x2+3x1x1` in three dimensions and more, and transfinite Chomp, whose
// sides are ordinals, `transfinite:1x(w*3) + 2x(w*2+1)`.

import { allBelow, compare, follows, isNatural, nearEnd, readOrdinal, someBelow, splitOutside, toNumber, writeOrdinal } from "./ordinals.js";
import { byRules } from "./rules.js";
import { UnreadText, prefix, sumOf, withPasses } from "./text.js";

/** The number of cookies drawn of an infinite stretch; fewer if the drawing would be too large. */
const DRAWN = [4, 3, 2, 1];
const MOST_DRAWN = 40;
const MOST_DIMENSIONS = 8;
const MOST_SIDES = 12;
/** The amount of an endless side, which exceeds that of every board that is drawn. */
const FAR = 1_000_000;

/** Read a board. In a sum in "normal" play the poison cannot be eaten; in "misere" play it is a cookie as others. */
export function readBoxes({ family, options, body, passes }, sum = "") {
  const spared = sum === "normal";
  const given = new Map(options);
  given.delete("dimensions");
  const read = body.trim() === "0" ? [] : splitOutside(body, "+").map((box) => splitOutside(box, "x").map(readSide));
  const dimensions = Number(options.get("dimensions") ?? read[0]?.length ?? 2);
  const hasEnd = family === "chomp";
  const isBoard = hasEnd ? dimensions > 2 && dimensions <= MOST_DIMENSIONS && read.flat().every(isNatural) && !body.includes("(")
    : dimensions <= MOST_SIDES && read.flat().every((side) => side.length);
  if (read.some((box) => box.length !== dimensions) || !isBoard) throw new UnreadText(body);
  const boxes = maximal(read);
  const misere = options.has("misere");
  const isFinite = boxes.flat().every(isNatural);
  const has = (cookie) => boxes.some((box) => isInside(cookie, box));
  const isEdible = (cookie) => has(cookie) && (!spared || cookie.some((at) => at.length));
  const isOnlyPoison = boxes.length === 1 && boxes[0].every((side) => writeOrdinal(side) === "1");
  const game = prefix(family, given);
  const axes = [...Array(dimensions).keys()];
  /** The ordinals that are drawn on each axis, including those of given cookies if there is room; null if there are too many. */
  const drawnWith = (also) => axes.map((axis) => [also, []].map((some) =>
    drawnOrdinals(boxes.map((box) => box[axis]), isFinite, some.map((cookie) => cookie[axis]))).find(Boolean) ?? null);
  const drawn = drawnWith([]);
  if (drawn.includes(null)) {
    if (sum) throw new UnreadText("too many cookies to show");
    const text = `${game}:${withPasses(bodyOf(boxes, hasEnd, dimensions), passes)}`;
    return { kind: "text", game, text, local: false, passes, misere, size: amountOf(boxes), moverWon: null };
  }
  const cookies = productOf(drawn).filter(isEdible);
  return byRules({
    kind: "boxes", game, passes, misere, dimensions, has, drawnWith,
    value: boxes, body: (some) => bodyOf(some, hasEnd, dimensions), isOver: !boxes.length || (!misere && sum !== "misere" && isOnlyPoison),
    /** Every move of a finite board; on an infinite one, the moves at drawn cookies. */
    actions: () => cookies.map((cookie) => ({ ordinalBite: { coordinates: cookie.map(writeOrdinal) } })),
    /** Bites of an endless board among which greedy players choose: next to the poison, near the end of each box, the poison. */
    large: isFinite ? null : [...axes.map((axis) => axes.map((other) => (other === axis ? "1" : "0"))).reverse(),
      ...boxes.map((box) => box.map(nearEnd).map(writeOrdinal)), axes.map(() => "0")].map((coordinates) => ({ ordinalBite: { coordinates } })),
    /**
     * A side of a bitten cookie is 0, or a side of a remaining box. Otherwise an earlier cookie would be missing,
     * too.
     */
    towards: (next) => productOf(Array.from({ length: dimensions }, (_, axis) =>
      [...new Set(["0", ...next.map((box) => box[axis]).filter(Boolean).map(writeOrdinal)])]))
      .map((coordinates) => ({ ordinalBite: { coordinates } })),
    after({ ordinalBite }) {
      const cookie = ordinalBite?.coordinates.map((each) => readOrdinal(each));
      return cookie?.length === dimensions && isEdible(cookie) ? bitten(boxes, cookie) : null;
    },
    count: isFinite ? cookies.length : Infinity, size: isFinite ? cookies.length : amountOf(boxes),
    moverWon: boxes.length ? (spared && isOnlyPoison ? false : null) : !misere,
  });
}

/** All lists with one element of each given list. */
export function productOf(axes) {
  return axes.reduce((some, axis) => some.flatMap((at) => axis.filter(Boolean).map((each) => [...at, each])), [[]]);
}

const isInside = (cookie, box) => cookie.every((at, axis) => compare(at, box[axis]) < 0);

/** The boxes after a bite: without the cookie and those beyond it. */
function bitten(boxes, cookie) {
  return maximal(boxes.flatMap((box) => (isInside(cookie, box)
    ? cookie.map((at, axis) => box.map((side, other) => (other === axis ? at : side))) : [box])));
}

/** The amount left, to compare boards: a bound on the cookies of a finite one; of an endless one, a number that grows with its sides. */
function amountOf(boxes) {
  if (boxes.flat().every(isNatural)) return sumOf(boxes.map((box) => box.reduce((product, side) => product * toNumber(side), 1)));
  return Math.max(...boxes.map((box) => sumOf(box.map(rankOf))));
}

const rankOf = (side) => (isNatural(side) ? toNumber(side) : FAR * (1 + side.length + rankOf(side[0][0])));

const readSide = (text) => readOrdinal(/^\(.*\)$/.test(text) ? text.slice(1, -1).trim() : text);

function compareBoxes(one, other) {
  const at = one.findIndex((side, axis) => compare(side, other[axis]) !== 0);
  return at < 0 ? 0 : compare(one[at], other[at]);
}

const isWithin = (one, other) => one.every((side, axis) => compare(side, other[axis]) <= 0);

/** The boxes that no other box contains, in ascending order, each once. */
function maximal(boxes) {
  const there = boxes.filter((box) => box.every((side) => side.length)).sort(compareBoxes);
  return there.filter((box, at) => !there.some((other, index) =>
    index !== at && isWithin(box, other) && (index > at || compareBoxes(box, other) !== 0)));
}

function bodyOf(boxes, hasEnd, dimensions) {
  if (!boxes.length) return hasEnd ? Array(dimensions).fill(0).join("x") : "0";
  return boxes.map((box) => box.map(writeSide).join("x")).join(hasEnd ? "+" : " + ");
}

function writeSide(side) {
  const isOne = isNatural(side) || (side.length === 1 && side[0][1] === 1);
  return isOne ? writeOrdinal(side) : `(${writeOrdinal(side)})`;
}

/** Ordinals below given sides, in ascending order: all of a finite side, else some, with null for omitted ones; null if there are too many. */
function drawnOrdinals(sides, isWhole, also) {
  if (isWhole) return sides.some((side) => toNumber(side) > MOST_DRAWN) ? null : drawnWith(allBelow);
  return DRAWN.map((most) => drawnWith((side) => someBelow(side, most))).find((each) => each.length <= MOST_DRAWN) ?? null;

  function drawnWith(below) {
    const found = [...also, ...sides.flatMap(below)].sort(compare)
      .filter((each, at, all) => !at || compare(each, all[at - 1]) !== 0);
    return found.flatMap((each, at) => (!at || follows(each, found[at - 1]) ? [each] : [null, each]));
  }
}
