// Chomp on boxes: `chomp:2x2x2+3x1x1` in three dimensions and more, and transfinite Chomp, whose
// sides are ordinals, `transfinite:1x(w*3) + 2x(w*2+1)`.

import { allBelow, compare, follows, isNatural, readOrdinal, someBelow, toNumber, writeOrdinal } from "./ordinals.js";
import { withPasses } from "./passes.js";
import { UnreadText, prefix, withCount } from "./text.js";

/** How many cookies are drawn of an endless stretch: fewer where there would be too many. */
const DRAWN = [4, 3, 2, 1];
const MOST_DRAWN = 40;

/** Read a board. In a sum of normal play the poison cannot be eaten (`spared`). */
export function readBoxes({ family, options, body, passes }, spared = false) {
  const given = new Map(options);
  given.delete("dimensions");
  const boxes = body.trim() === "0" ? [] : splitOutside(body, "+").map((box) => splitOutside(box, "x").map(readSide));
  const dimensions = Number(options.get("dimensions") ?? boxes[0]?.length ?? 2);
  if (boxes.some((box) => box.length !== dimensions)) throw new UnreadText(body);
  const finite = family === "chomp";
  if (finite && !boxes.flat().every(isNatural)) throw new UnreadText(body);
  return union({ game: prefix(family, given), finite, dimensions, passes, spared, misere: options.has("misere"),
    boxes: maximal(boxes) });
}

/** The parts of a text between separators that stand in no brackets. */
function splitOutside(text, separator) {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    depth += { "(": 1, ")": -1 }[character] ?? 0;
    if (character === separator && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

const readSide = (text) => readOrdinal(/^\(.*\)$/.test(text) ? text.slice(1, -1) : text);

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
  const write = (some, left = passes) => withCount(`${game}:${bodyOf({ ...state, boxes: maximal(some) })}`, left);
  const inside = (cookie, box) => cookie.every((at, axis) => compare(at, box[axis]) < 0);
  const has = (cookie) => (!spared || cookie.some((at) => at.length)) && boxes.some((box) => inside(cookie, box));
  const onlyPoison = boxes.length === 1 && boxes[0].every((side) => writeOrdinal(side) === "1");

  function after({ ordinalBite }) {
    const cookie = ordinalBite?.coordinates.map(readOrdinal);
    if (cookie?.length !== dimensions || !has(cookie)) return null;
    return write(boxes.flatMap((box) => (inside(cookie, box)
      ? cookie.map((at, axis) => box.map((side, other) => (other === axis ? at : side))) : [box])));
  }

  /** Every move of a finite board; of an endless one those at the cookies that are drawn. */
  function* moves() {
    for (const cookie of cookies) {
      const action = actionAt(cookie.map(writeOrdinal));
      yield { action, child: after(action), isPass: false };
    }
  }

  /** A bite; on a board that is finite and flat it is told by row and column. */
  function actionAt(coordinates) {
    const bite = { ordinalBite: { coordinates } };
    return isFlat ? { ...bite, place: { column: Number(coordinates[0]) + 1, row: Number(coordinates[1]) + 1 } } : bite;
  }

  const isFinite = boxes.flat().every(isNatural);
  const isFlat = isFinite && !state.finite && dimensions === 2;
  /** The ordinals that are drawn on each axis, those of some cookies among them. */
  const drawnWith = (also) => Array.from({ length: dimensions }, (_, axis) =>
    drawnOrdinals(boxes.map((box) => box[axis]), isFinite, also.map((cookie) => cookie[axis])));
  const cookies = drawnWith([]).reduce((some, ordinals) => some.flatMap((at) => ordinals.filter(Boolean).map((each) => [...at, each])), [[]])
    .filter(has);
  return withPasses({
    kind: "boxes", game, dimensions, passes, misere, after, moves, someMoves: moves, actionAt, has, drawnWith,
    compare, read: (coordinates) => coordinates.map(readOrdinal),
    isOver: !boxes.length || (!misere && onlyPoison), write: (left) => write(boxes, left),
    count: isFinite ? cookies.length : Infinity, size: cookies.length,
    moverWon: boxes.length ? (spared && onlyPoison ? false : null) : !misere,
  });
}

function bodyOf({ finite, dimensions, boxes }) {
  if (!boxes.length) return finite ? Array(dimensions).fill(0).join("x") : "0";
  return boxes.map((box) => box.map(writeSide).join("x")).join(finite ? "+" : " + ");
}

function writeSide(side) {
  const isOne = isNatural(side) || (side.length === 1 && side[0][1] === 1);
  return isOne ? writeOrdinal(side) : `(${writeOrdinal(side)})`;
}

/** Ordinals below some sides, ascending: all of finite ones, else some with null where others are left out. */
function drawnOrdinals(sides, isWhole, also) {
  if (isWhole) return sides.some((side) => toNumber(side) > MOST_DRAWN) ? refuse() : drawnWith(allBelow);
  return DRAWN.map((most) => drawnWith((side) => someBelow(side, most))).find((each) => each.length <= MOST_DRAWN) ?? refuse();

  function drawnWith(below) {
    const found = [...also, ...sides.flatMap(below)].sort(compare)
      .filter((each, at, all) => !at || compare(each, all[at - 1]) !== 0);
    return found.flatMap((each, at) => (!at || follows(each, found[at - 1]) ? [each] : [null, each]));
  }
}

function refuse() {
  throw new UnreadText("too many cookies to show");
}
