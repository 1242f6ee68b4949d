// variations.js: the tree of the positions that were looked at, in a document of elements alone.

import assert from "node:assert/strict";
import test from "node:test";

import { createVariations } from "../../../oracle/web/static/variations.js";

class Part {
  children = [];
  attributes = {};
  constructor(tag) { this.tag = tag; }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  setAttribute(name, value) { this.attributes[name] = value; }
  addEventListener() {}
  all(tag) { return [this, ...this.children.filter((each) => each instanceof Part).flatMap((each) => each.all(tag))].filter((each) => each.tag === tag); }
}
globalThis.document = { createElement: (tag) => new Part(tag) };

const to = (...children) => ({ moves: children.map((child) => ({ child, isPass: false, action: null })), wins: null });
const shown = (tree) => tree.element.all("button").map((each) => each.attributes.title);
const current = (tree) => tree.element.all("button").find((each) => each.attributes["aria-current"]).attributes.title;

test("a position after a listed move is a branch, one seen before is gone back to, any other begins anew", () => {
  const tree = createVariations({ go() {} });
  tree.visit("nim:[3]", to("nim:[2]", "nim:[1]"));
  tree.visit("nim:[2]", to("nim:[1]", "nim:[0]"));
  tree.visit("nim:[0]", to());
  tree.visit("nim:[3]", to("nim:[2]", "nim:[1]"));
  tree.visit("nim:[1]", to("nim:[0]"));
  assert.deepEqual([shown(tree), current(tree)], [["nim:[3]", "nim:[2]", "nim:[0]", "nim:[1]"], "nim:[1]"]);
  tree.visit("nim:[9]", to());
  assert.deepEqual([shown(tree), current(tree)], [["nim:[9]"], "nim:[9]"]);
});

test("a tree has at most two hundred positions", () => {
  const tree = createVariations({ go() {} });
  for (let left = 300; left > 100; left -= 1) tree.visit(`nim:[${left}]`, to(`nim:[${left - 1}]`));
  assert.equal(shown(tree).length, 200);
  tree.visit("nim:[100]", to("nim:[99]"));
  assert.deepEqual(shown(tree), ["nim:[100]"]);
});
