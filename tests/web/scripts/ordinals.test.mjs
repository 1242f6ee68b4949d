// rules/ordinals.js and endless boards: how ordinals are read, written and ordered, and which are drawn.

import assert from "node:assert/strict";
import test from "node:test";

import { allBelow, compare, follows, readOrdinal, someBelow, writeOrdinal } from "../../../oracle/web/static/rules/ordinals.js";
import { readPosition } from "../../../oracle/web/static/rules/position.js";
import { UnreadText } from "../../../oracle/web/static/rules/text.js";

const ASCENDING = ["0", "1", "12", "w", "w+1", "w*2", "w*2+7", "w^2", "w^2+w*5+19", "w^3*4", "w^w", "w^w+w^2",
  "w^w*2", "w^(w+1)", "w^(w*2)", "w^(w^2)", "w^(w^w)"];

test("ordinals are written as they are read", () => {
  for (const text of ASCENDING) assert.equal(writeOrdinal(readOrdinal(text)), text);
});

test("ordinals are compared by their largest terms first", () => {
  const read = ASCENDING.map(readOrdinal);
  for (const [at, one] of read.entries()) {
    for (const [index, other] of read.entries()) assert.equal(Math.sign(compare(one, other)), Math.sign(at - index));
  }
});

for (const text of ["", "w+w", "3+w", "w ^ 2", "w^1", "w^(2)", "w^(w)", "w*1", "w+0", "02", "w^", "(w", "w*", "w**2", "w^(w", "x", "w w", "-1", `${"w^(".repeat(30)}w+1${")".repeat(30)}`]) {
  test(`no ordinal: ${text.slice(0, 12)}`, () => assert.throws(() => readOrdinal(text), UnreadText));
}

const below = (text, most) => someBelow(readOrdinal(text), most).map(writeOrdinal).join(" ");

test("some ordinals below a bound: the first of each stretch, and the last ones", () => {
  assert.equal(below("0", 4), "");
  assert.equal(below("5", 4), "0 1 2 3 4");
  assert.equal(below("8", 4), "0 1 2 3 4 5 6 7");
  assert.equal(below("9", 4), "0 1 2 3 7 8");
  assert.equal(below("20", 4), "0 1 2 3 18 19");
  assert.equal(below("w*2+1", 2), "0 1 w w+1 w*2");
  assert.equal(below("w^2", 2), "0 1 w w+1");
  assert.equal(below("w^w", 4), "0 1 2 3 w w+1 w+2 w+3 w^2 w^3");
  assert.equal(below("w^9", 2), "0 1 w w+1 w^7 w^8");
  assert.deepEqual(allBelow(readOrdinal("3")).map(writeOrdinal), ["0", "1", "2"]);
});

test("the ordinals below a bound are less than it and ascending", () => {
  for (const text of ASCENDING) {
    const bound = readOrdinal(text);
    const found = someBelow(bound, 3);
    found.forEach((each, at) => {
      assert.ok(compare(each, bound) < 0);
      assert.ok(!at || compare(found[at - 1], each) < 0);
    });
  }
});

test("one ordinal follows another if none is between", () => {
  for (const [one, other] of [["1", "0"], ["w+1", "w"], ["w*2+8", "w*2+7"]]) assert.ok(follows(readOrdinal(one), readOrdinal(other)));
  for (const [one, other] of [["2", "0"], ["w", "5"], ["w", "w"], ["w+2", "w"]]) assert.ok(!follows(readOrdinal(one), readOrdinal(other)));
});

test("an endless board is drawn, bitten, and written as the oracle writes it", () => {
  const position = readPosition("transfinite:1xw^w + (w^w*2)x2 + 1x3");
  assert.equal(position.text, "transfinite:1xw^w + (w^w*2)x2");
  const bitten = (...coordinates) => position.after({ ordinalBite: { coordinates } });
  assert.equal(bitten("w^w", "0"), "transfinite:1xw^w + w^wx2");
  assert.equal(bitten("0", "2"), "transfinite:(w^w*2)x2");
  assert.equal(bitten("w^w*2", "0"), null);
  assert.equal(bitten("0", "0"), "transfinite:0");
  assert.equal(bitten("0"), null);
  assert.ok([...position.moves()].every(({ action, child }) => position.after(action) === child));
  assert.equal(readPosition("transfinite:41x2").kind, "text");
  assert.equal(readPosition("chomp:2xw").kind, "text");
});

test("fewer cookies are drawn for long sums", () => {
  const drawn = readPosition("transfinite:(w^2*9+w*9+9)x2").drawnWith([]);
  assert.ok(drawn[0].length <= 40);
  assert.deepEqual(drawn[1].map(writeOrdinal), ["0", "1"]);
});
