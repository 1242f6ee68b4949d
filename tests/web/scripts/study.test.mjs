// puzzles.js, moves.js and sheetpicture.js: which positions are puzzles, which move a click means, and what a sheet shows.

import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { choose } from "../../../oracle/web/static/bots.js";
import { afterMove, childOf, moverWon, movesOf } from "../../../oracle/web/static/moves.js";
import * as oracle from "../../../oracle/web/static/oracle.js";
import { DIFFICULTIES, FAMILIES, isPuzzle, puzzleOf } from "../../../oracle/web/static/puzzles.js";
import { readPosition } from "../../../oracle/web/static/rules/position.js";
import { losersPicture, namesOf, winnersPicture } from "../../../oracle/web/static/sheetpicture.js";
import { ages } from "../../../oracle/web/static/sheets.js";

let answers;
let asked;

beforeEach(() => {
  answers = {};
  asked = [];
  oracle.useToken("");
  globalThis.fetch = async (path, { body }) => {
    const call = path.split("/").at(-1);
    asked.push([call, JSON.parse(body)]);
    return new Response(JSON.stringify(answers[call](JSON.parse(body))));
  };
});

const moves = (count) => Array.from({ length: count }, (_, at) => ({ child: String(at) }));
const puzzle = (change) => ({ outcome: "N", wins: moves(1), moves: moves(3), complete: true, values: { remoteness: 1 }, ...change });

test("a puzzle has one winning move, and limits on the number of moves and on the moves to the end", () => {
  assert.deepEqual(DIFFICULTIES, { easy: [3, 9, 1], medium: [8, 18, 5], hard: [14, 80, 7] });
  assert.equal(isPuzzle(puzzle({}), "easy"), true);
  assert.equal(isPuzzle(puzzle({ moves: moves(9), values: {} }), "easy"), true);
  for (const change of [{ outcome: "P" }, { wins: moves(2) }, { wins: [] }, { wins: null }, { complete: false },
    { moves: moves(2) }, { moves: moves(10) }, { values: { remoteness: 0 } }]) {
    assert.equal(isPuzzle(puzzle(change), "easy"), false, JSON.stringify(change));
  }
  const medium = puzzle({ moves: moves(8), values: { remoteness: 5 } });
  assert.deepEqual([isPuzzle(medium, "medium"), isPuzzle({ ...medium, values: { remoteness: 4 } }, "medium")], [true, false]);
});

const analysis = ({ position: { text } }) => ({ answer: { position: { text }, outcome: "OUTCOME_N" }, winningMoveCount: 1,
  listing: "MOVE_LISTING_BEST_FIRST", values: { remoteness: 9 },
  moves: Array.from({ length: 16 }, (_, at) => ({ move: { child: { text: String(at) } }, ...(at === 0 && { winningPlace: 0 }) })) });

test("the puzzle of a day is the same for everyone, and differs between days", async () => {
  answers.AnalyzePosition = analysis;
  for (const family of FAMILIES) {
    const found = await puzzleOf(family, "hard", "2026-01-01");
    assert.equal(await puzzleOf(family, "hard", "2026-01-01"), found);
    assert.notEqual(readPosition(found).kind, "text");
    const others = await Promise.all(["02", "03", "04", "05"].map((day) => puzzleOf(family, "hard", `2026-01-${day}`)));
    assert.ok(new Set([found, ...others]).size > 1, family);
  }
});

test("the search for a puzzle ends after eighty positions", async () => {
  let count = 0;
  answers.AnalyzePosition = (request) => ({ ...analysis(request), winningMoveCount: 0, moves: [{ move: { child: { text: String(count += 1) } } }] });
  assert.equal(await puzzleOf("chomp", "hard", "x"), null);
  assert.ok(count <= 80 && count > 60, String(count));
});

const taking = (heap, tokens) => ({ taking: { heaps: [{ heap, tokens }] } });
const listed = (...all) => ({ moves: all.map(([action, child, component]) => ({ action, child, component })), complete: true, outcome: "N" });

test("a click on either of two equal heaps means the move that the oracle lists for the first", () => {
  const position = readPosition("partition{parts=2}:[2,2,3]");
  const split = (heap) => ({ taking: { heaps: [{ heap, tokens: 0, left: [1, 1] }] } });
  const analysis = listed([split(1), "partition{parts=2}:[1,1,2,3]"]);
  assert.equal(childOf(position, split(2), undefined, analysis), "partition{parts=2}:[1,1,2,3]");
  assert.equal(childOf(position, split(3), undefined, analysis), null);
  assert.equal(childOf(position, null, undefined, analysis), null);
});

test("equal heaps with different places or passes are not interchangeable", () => {
  const ends = readPosition("endnim:[2,1,2]");
  assert.equal(childOf(ends, taking(3, 1), undefined, listed([taking(1, 1), "endnim:[1,1,2]"])), null);
  const passing = readPosition("nim{heappass}:[2,2p]");
  assert.equal(childOf(passing, taking(2, 1), undefined, listed([taking(1, 1), "nim{heappass}:[1,2p]"])), null);
});

test("the same move in another component is another move", () => {
  const sum = readPosition("endnim:[2] + endnim:[2]");
  const analysis = listed([taking(1, 1), "endnim:[1] + endnim:[2]", 0], [taking(1, 1), "endnim:[2] + endnim:[1]", 1]);
  assert.equal(childOf(sum, taking(1, 1), 1, analysis), "endnim:[2] + endnim:[1]");
});

test("a click can name numbers that JSON cannot hold", () => {
  const moves = [oracle.readMove({ action: { powerProduct: "2^69" }, child: { text: "divisors:2^68" } })];
  assert.equal(childOf(readPosition("divisors:2^70"), { divisor: String(2n ** 69n) }, undefined, { moves }), "divisors:2^68");
});

test("no list is requested for games whose rules the page has", async () => {
  const position = readPosition("nim:[2]");
  assert.deepEqual(movesOf(position).map(({ child }) => child), ["nim:[0]", "nim:[1]"]);
  assert.equal((await afterMove(position, " nim:[ 1 ]")).child, "nim:[1]");
  assert.equal(await afterMove(position, "nim:[2]"), null);
  assert.equal((await afterMove(readPosition("nim:[2;1]"), "pass")).child, "nim:[2]");
  assert.deepEqual(asked, []);
});

const EIGHT = Array.from({ length: 8 });

test("a move is found by arithmetic, however many there are", async () => {
  for (const [start, child, action] of [
    ["nim:[1000000]", "nim:[500000]", taking(1, 500000)],
    ["nim{max=700000}:[9, 1000000]", "nim{max=700000}:[9,300001]", taking(2, 699999)],
    ["nim{max=700000}:[700000,9]", "nim{max=700000}:[9]", taking(2, 700000)],
    ["wythoff:[1000000,2000000]", "wythoff:[1,1000001]", { taking: { heaps: [{ heap: 1, tokens: 999999 }, { heap: 2, tokens: 999999 }] } }],
    ["wythoff{misere}:[2000000,1000000]", "wythoff{misere}:[5,1000000]", taking(2, 1999995)],
    ["kayles:[1000000,7]", "kayles:[7,1,999997]", { taking: { heaps: [{ heap: 2, tokens: 2, left: [1, 999997] }] } }],
    ["transfinite:(w*2) x w", "transfinite:(w+77)xw", { ordinalBite: { coordinates: ["w+77", "0"] } }],
    ["nim:[6000000000000000,6000000000000000]", "nim:[6000000000000000,5999999999999999]", taking(2, 1)],
    ["chomp:2x2x2x2x2x2x2x2", `chomp:${EIGHT.map((_, at) => EIGHT.map((__, side) => (side === at ? 1 : 2)).join("x")).join("+")}`,
      { ordinalBite: { coordinates: EIGHT.map(() => "1") } }],
    ["transfinite:w x w", "transfinite:9xw + wx50", { ordinalBite: { coordinates: ["9", "50"] } }],
  ]) {
    assert.deepEqual(await afterMove(readPosition(start), child), { action, child: readPosition(child).text, isPass: false });
  }
  assert.deepEqual(await afterMove(readPosition("chomp:2 + nim:[1000000;1]"), "chomp:2+nim:[3;1]"),
    { action: taking(1, 999997), component: 1, child: "chomp:2 + nim:[3;1]", isPass: false });
  for (const [start, child] of [
    ["nim:[1000000]", "nim:[1000001]"], ["nim:[1000000]", "nim:[3p]"], ["nim{max=3}:[1000000]", "nim{max=3}:[5]"],
    ["nim:[3,1000000]", "nim:[2,9]"], ["wythoff:[1000000,2000000]", "wythoff:[1,2]"], ["kayles:[1000000]", "kayles:[5,6]"],
    ["chomp:2 + nim:[1000000]", "chomp:1 + nim:[3]"], ["chomp:2 + nim:[1000000]", "nim:[3]"], ["chomp:2 + nim:[3;1]", "pass"],
    ["transfinite:w x w", "transfinite:(w*2) x w"],
  ]) {
    assert.equal(await afterMove(readPosition(start), child), null, `${start} ${child}`);
  }
});

test("a move takes the same number from each heap of a line, once", () => {
  const heaps = (...changes) => ({ taking: { heaps: changes.map(([heap, tokens]) => ({ heap, tokens })) } });
  const position = readPosition("wythoff:[5,7]");
  assert.equal(position.after(heaps([1, 2], [2, 2])), "wythoff:[3,5]");
  for (const changes of [[[1, 2], [2, 1]], [[1, 1], [2, 2]], [[1, 0], [2, 0]], [[1, 6], [2, 6]], [[1, 1], [1, 1]], []]) {
    assert.equal(position.after(heaps(...changes)), null, JSON.stringify(changes));
  }
});

test("a move of a board is found, however many there are", async () => {
  const board = readPosition("chomp:600000/600000;1");
  assert.deepEqual(await afterMove(board, "chomp: 600000/9;1"),
    { action: { bite: { row: 2, column: 10 } }, child: "chomp:600000/9;1", isPass: false });
  for (const move of ["pass", "chomp:600000/600000"]) {
    assert.deepEqual(await afterMove(board, move), { action: { pass: {} }, child: "chomp:600000/600000", isPass: true });
  }
  assert.equal((await afterMove(readPosition("chomp3:[2,1,3]"), "chomp3:[2,1,0]")).action.bite.column, 4);
  for (const move of ["chomp:600000/600000;1", "chomp:9/600000;1", "chomp:600001/600000;1", "chomp:5/4;1", "nim:[3]", "x"]) {
    assert.equal(await afterMove(board, move), null, move);
  }
  assert.equal(await afterMove(readPosition("chomp:3/2"), "pass"), null);
});

test("in very large heaps only the moves that take the most are weighed", async () => {
  for (const [start, child] of [["nim:[20000,30000]", "nim:[20000,0]"], ["kayles:[1000000]", "octal{code=0.77}:[999998]"]]) {
    assert.equal((await choose("greedy", readPosition(start))).child, child);
  }
  assert.ok(movesOf(readPosition("nim:[20000]")).length < 10_000);
  assert.equal(movesOf(readPosition("nim:[9999]")).length, 9999);
});

test("if nobody can move, the rules or the outcome say who has won", () => {
  assert.equal(moverWon(readPosition("nim:[0]")), false);
  assert.equal(moverWon(readPosition("nim{misere}:[0]")), true);
  const served = readPosition("endnim:[0]");
  assert.equal(moverWon(served, null), null);
  assert.equal(moverWon(served, { moves: [], complete: true, outcome: "P" }), false);
  assert.equal(moverWon(served, { moves: [], complete: true, outcome: "N" }), true);
  assert.equal(moverWon(served, { moves: [], complete: false, outcome: "P" }), null);
  assert.equal(moverWon(served, listed([taking(1, 1), "x"])), null);
});

test("if there are very many moves, the best are requested, unless all are wanted or the page has no rules", async () => {
  answers.AnalyzePosition = analysis;
  const size = async (position, options) => {
    oracle.useToken("");
    await oracle.analyse(position, options);
    return asked.at(-1)[1].pageSize;
  };
  assert.equal(await size({ text: "a", count: 1501 }), 60);
  assert.equal(await size({ text: "a", count: 1500 }), 10_000);
  assert.equal(await size({ text: "a", count: 1501, local: false }), 10_000);
  assert.equal(await size({ text: "a", count: 1501 }, { all: true }), 10_000);
});

const WINDOW = { firstY: 0, sizeY: 4, firstZ: 0, sizeZ: 4 };
const COLOURS = (names) => names.map((name, at) => [at + 1, name.length, 0]);
const z = (...column) => ({ z: oracle.packed(column) });
const pixel = ({ width, height, pixels }, y, zed) => [...pixels.slice(4 * ((height - 1 - zed) * width + y)).slice(0, 4)];

test("losers are drawn in one colour, or in that of their line", async () => {
  answers.GetLosers = ({ firstY, sizeY }) => z(...[3, 1, -1, 2, ...Array(700).fill(2)].slice(Number(firstY)).slice(0, sizeY));
  const plain = await losersPicture({ game: "nim{heaps=3}", x: 1, colour: "line" }, WINDOW, 1, { colours: COLOURS });
  assert.equal(plain.seen, 3);
  assert.deepEqual(plain.parts[0][0], 0);
  assert.deepEqual([pixel(plain.made, 0, 3), pixel(plain.made, 1, 1), pixel(plain.made, 2, 2)], [[1, 5, 0, 255], [1, 5, 0, 255], [0, 0, 0, 0]]);
  const lines = await losersPicture({ game: "chomp3", x: 1, colour: "line" }, WINDOW, 1, { colours: COLOURS });
  assert.deepEqual([pixel(lines.made, 0, 3), pixel(lines.made, 1, 1), pixel(lines.made, 3, 2)].map(([red]) => red), [4, 1, 3]);
});

test("a sheet beyond the tables is requested in parts", async () => {
  answers.GetLosers = ({ sizeY }) => z(...Array(sizeY).fill(0));
  const wide = { ...WINDOW, sizeY: 6001 };
  const partsOf = async (x) => (await losersPicture({ game: "chomp3", x, colour: "plain" }, wide, 8, { colours: COLOURS, stored: 10 })).parts;
  assert.equal((await partsOf(10)).length, 1);
  const parts = await partsOf(11);
  assert.deepEqual([parts.length, parts[1][0] - parts[0][0], parts[0][1].length], [118, 51, 24]);
});

test("instant winners are drawn by origin or age, or not at all if there are too many", async () => {
  answers.GetInstantWinners = ({ sizeY, sizeZ }) => ({ origins: Buffer.from(Array.from({ length: sizeY * sizeZ }, (_, at) => (at === 5 ? 1 : at === 6 ? 2 : 0))).toString("base64") });
  answers.GetLosers = ({ firstY, sizeY, x }) => z(...Array.from({ length: sizeY }, (_, at) => (Number(firstY) + at === 2 && x === "9" ? 3 : -1)));
  const origin = await winnersPicture({ game: "chomp3", x: 10, colour: "origin" }, WINDOW, 1, { colours: COLOURS });
  assert.equal(origin.seen, 2);
  assert.deepEqual([pixel(origin.made, 1, 1), pixel(origin.made, 1, 2)].map(([red]) => red), [3, 4]);
  const age = await winnersPicture({ game: "chomp3", x: 10, colour: "age" }, WINDOW, 1, { colours: COLOURS });
  assert.equal(age.seen, 1);
  assert.deepEqual(pixel(age.made, 1, 3).slice(0, 3), [1, 3, 0]);
  const huge = { ...WINDOW, sizeY: 30_000, sizeZ: 30_000 };
  assert.equal(await winnersPicture({ game: "chomp3", x: 10, colour: "age" }, huge, 40, { colours: COLOURS }), null);
});

test("the age of a winner counts the sheets back to the newest loser it reaches", async () => {
  // The losers [8, 3, 1] and [9, 2, 1]: [10, 1, 1] reaches either; [10, 0, 9] reaches the diagonal [9, 0, 10].
  answers.GetLosers = ({ firstY, sizeY, x }) => z(...Array.from({ length: sizeY }, (_, at) => {
    const y = Number(firstY) + at;
    return (x === "8" && y === 3) || (x === "9" && y === 2) ? 1 : x === "9" && y === 0 ? 10 : -1;
  }));
  const found = await ages("chomp3", 10, { firstY: 0, sizeY: 2, firstZ: 1, sizeZ: 9 }, 2);
  assert.deepEqual([...found], [...[0, 0, 0, 0, 0, 0, 0, 0, 1], ...[1, 0, 0, 0, 0, 0, 0, 1, 0]]);
  assert.equal(asked.every(([, { x }]) => x === "9" || x === "8"), true);
});

test("colours have names by game", () => {
  assert.deepEqual(namesOf({ game: "chomp3{passes=1}", colour: "line" }), ["lower", "upper", "flat", "axis"]);
  assert.deepEqual(namesOf({ game: "nim{heaps=3}", colour: "line" }), ["heaps"]);
  assert.equal(namesOf({ game: "chomp3", colour: "origin" }).includes("heaps"), false);
  assert.deepEqual(namesOf({ game: "nim{heaps=3}", colour: "age" }), ["new", "old"]);
});
