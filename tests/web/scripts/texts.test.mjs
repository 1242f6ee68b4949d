// text.js, words.js, marks.js, scenes.js and judge.js: what the page says.

import assert from "node:assert/strict";
import test from "node:test";

import { commentOf } from "../../../oracle/web/static/judge.js";
import { knowsAllWins, marker, percent } from "../../../oracle/web/static/marks.js";
import { number, t } from "../../../oracle/web/static/text.js";
import en from "../../../oracle/web/static/texts/en.js";
import { readPosition } from "../../../oracle/web/static/rules/position.js";
import { scenesOf } from "../../../oracle/web/static/views/scenes.js";
import { wordsOf } from "../../../oracle/web/static/words.js";

test("names are replaced, and words chosen by number", () => {
  en.some = "{n} {n|move|moves} of {name}";
  assert.equal(t("some", { n: 1, name: "nim" }), "1 move of nim");
  assert.equal(t("some", { n: 0, name: "" }), "0 moves of ");
  assert.equal(t("some", { n: 1234567, name: "x" }), "1,234,567 moves of x");
  assert.throws(() => t("there is none"), /no text there is none/);
  assert.equal(number(0.12345678), "0.123457");
});

const SAID = [
  [{ isPass: true, action: null }, "pass"],
  [{ action: { pass: {} } }, "pass"],
  [{ action: { bite: { row: 2, column: 3 } } }, "bite row 2, column 3"],
  [{ action: { divisor: "12" } }, "name 12"],
  [{ action: { divisor: "3541774862152233910272", powerProduct: "2^70*3" } }, "name 2^70*3"],
  [{ action: { animal: "F", cell: 4, to: 2 } }, "frog from cell 4 to 2"],
  [{ action: { vertex: true, cell: 7 } }, "take vertex 7"],
  [{ action: { ordinalBite: { coordinates: ["w", "2"] } } }, "bite row 3, column w"],
  [{ action: { taking: { heaps: [{ heap: 1, tokens: 3 }] } } }, "take 3 from heap 1"],
  [{ action: { taking: { heaps: [{ heap: 2, pass: true }] } } }, "use the pass of heap 2"],
  [{ action: { taking: { heaps: [{ heap: 1, tokens: 2 }, { heap: 3, tokens: 2 }] } } }, "take 2 each from heap 1 and 3"],
  [{ action: { taking: { heaps: [{ heap: 1, tokens: 2 }, { heap: 3, tokens: 1 }] } } }, "take 2 from heap 1 and 1 from heap 3"],
  [{ action: { taking: { heaps: [{ heap: 2, tokens: 0, left: [2, 5] }] } } }, "split heap 2 into 2 and 5"],
  [{ action: { taking: { heaps: [{ heap: 2, tokens: 1, left: [2, 5] }] } } }, "take 1 from heap 2, leaving 2 and 5"],
  [{ action: { taking: { heaps: [{ heap: 2, tokens: 1, left: [5] }] } } }, "take 1 from heap 2"],
  [{ action: { words: "do as you like" } }, "do as you like"],
  [{ action: { words: "turn 2 and 4", taking: { heaps: [{ heap: 2, tokens: 1 }] } }, child: "turtles:HHHT" }, "turn 2 and 4"],
  [{ action: { words: "in English", taking: { heaps: [{ heap: 2, tokens: 1 }] } }, child: "endnim:[1,1]" }, "take 1 from heap 2"],
  [{ action: {}, child: "nim:[3]" }, "nim:[3]"],
  [{ action: null, child: "nim:[3]" }, "nim:[3]"],
  [{ action: null }, ""],
  [{ action: { divisor: "3" }, component: 0 }, "component 1: name 3"],
  [{ action: { words: "component 2: hop" }, component: 1, child: "nim:[3]" }, "component 2: hop"],
  [{ action: { words: "leaving 5p and 2", taking: { heaps: [{ heap: 1, tokens: 1, left: [5, 2] }] } }, child: "nim:[1]" },
    "take 1 from heap 1, leaving 5p and 2"],
  [{ action: { divisor: "3" }, component: null }, "name 3"],
];

for (const [move, words] of SAID) {
  test(`a move in words: ${words}`, () => assert.equal(wordsOf(move), words));
}

test("rows of pins have a note on gaps if the code lets a move leave two heaps", () => {
  const notes = (...codes) => codes.map((code) => scenesOf(readPosition(`octal{code=${code}}:[5]`))[0].note);
  assert.deepEqual(notes("0.77", "0.15", "0.F"), Array(3).fill(en["pins.gap"]));
  assert.deepEqual(notes("0.33", "0.3,passes=4", "4.3"), ["", "", ""]);
});

test("a click on a strip changes its cell, and one beside it adds a cell", () => {
  const shaped = (column) => scenesOf(readPosition("toads:TF."), { shaping: true })[0].shape(1, column);
  assert.deepEqual([1, 2, 3, 4].map(shaped), ["toads:FF.", "toads:T..", "toads:TFT", "toads:TF.."]);
});

test("percentages are written in few characters", () => {
  const shown = [0, 0.0004, 0.001, 0.0099, 0.01, 0.124, 0.5, 0.99, 0.991, 0.9994, 0.9991, 1].map(percent);
  assert.deepEqual(shown, ["0%", "<0.1", "0.1", "1.0", "1%", "12%", "50%", "99%", "99.1", ">99.9", ">99.9", "100%"]);
});

const move = (child, outcome, values = {}) => ({ child, outcome, values });

test("all winning moves are known if every move has an outcome", () => {
  const wins = [move("b", "P")];
  const moves = [move("a", "N"), move("b", "P")];
  assert.equal(knowsAllWins({ outcome: "N", wins, moves }), true);
  assert.equal(knowsAllWins({ outcome: "N", wins, moves: [...moves, move("c", "?")] }), false);
  assert.equal(knowsAllWins({ outcome: "N", wins, moves: wins }), false);
  assert.equal(knowsAllWins({ outcome: "N", wins: null, moves }), false);
  assert.equal(knowsAllWins({ outcome: "?", wins: [], moves }), false);
  assert.equal(knowsAllWins({ outcome: "P", wins: [], moves: [] }), true);
});

const CHILDREN = ["nim:[1]", "nim:[0]"];

test("marks of moves say whether they win, and show their number", () => {
  const [first, last] = CHILDREN;
  const analysis = {
    outcome: "N", wins: [move(last, "P")],
    moves: [move(last, "P", { grundy: 0, remoteness: 0 }), move(first, "N", { grundy: "1" })],
  };
  const plain = marker(analysis);
  assert.deepEqual(plain({ child: last }), { kind: "win", sub: undefined, label: "wins" });
  assert.deepEqual(plain({ child: first }), { kind: "lose", sub: undefined, label: "loses" });
  const valued = marker(analysis, { number: "grundy", onlyWins: true });
  assert.deepEqual(valued({ child: last }), { kind: "win", sub: "0", label: "wins, Grundy value 0" });
  assert.equal(valued({ child: first }), null);
  const chances = new Map([[last, 1], [first, Number.NaN]]);
  const likely = marker(analysis, { number: "chance", chances });
  assert.equal(likely({ child: last }).sub, "100%");
  assert.equal(likely({ child: first }).sub, undefined);
});

test("a move that loses at once is marked even if it is not listed", () => {
  const mark = marker({ outcome: "N", wins: [move("transfinite:2x1", "P")], moves: [move("transfinite:2x1", "P")] });
  const kinds = ["transfinite:2x1", "transfinite:0", "transfinite:1xw"].map((child) => mark({ child }).kind);
  assert.deepEqual(kinds, ["win", "lose", "unknown"]);
});

test("unknown outcomes are marked as unknown", () => {
  const [first, last] = CHILDREN;
  const analysis = { outcome: "N", wins: [move(last, "P")], moves: [move(last, "P"), move(first, "?")] };
  const mark = marker(analysis);
  assert.equal(mark({ child: first }).kind, "unknown");
  assert.equal(mark({ child: "nim:[9]" }).kind, "unknown");
  const named = marker({ outcome: "?", wins: null, moves: [move(first, "P"), move(last, "N")] });
  assert.deepEqual([first, last].map((child) => named({ child }).kind), ["win", "lose"]);
});

const better = { child: "nim:[1]", isPass: false, values: { remoteness: 7 } };

for (const [judgement, comment] of [
  [{ verdict: "unknown" }, "not known"],
  [{ verdict: "mistake", better }, "a mistake: nim:[1] wins"],
  [{ verdict: "mistake", better: null }, "a mistake"],
  [{ verdict: "loses" }, "loses"],
  [{ verdict: "wins" }, "wins"],
  [{ verdict: "wins", plies: 1 }, "wins, 1 ply to the end"],
  [{ verdict: "wins", plies: "9", better }, "wins, 9 plies to the end (nim:[1] takes 7)"],
  [{ verdict: "forced", plies: 4, better: { ...better, isPass: true } }, "loses, as every move, 4 plies to the end (pass lasts 7)"],
]) {
  test(`a judgement as a comment: ${comment}`, () => assert.equal(commentOf(judgement), comment));
}
