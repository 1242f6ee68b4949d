// Kayles on a graph: `nodekayles:1-2,2-3,5`. A move takes a vertex and its neighbours.

import { byRules } from "./rules.js";
import { UnreadText, prefix } from "./text.js";

const MOST_VERTICES = 256;

export function readGraph({ options, body, passes }) {
  const edges = tidy(body.trim() === "0" ? [] : body.split(",").flatMap((part) => edgesOf(part, body)));
  const vertices = [...new Set(edges.flat())].sort((one, other) => one - other);
  if (vertices.length > MOST_VERTICES) throw new UnreadText(body);
  const neighbours = (vertex) => edges.filter((edge) => edge.includes(vertex)).flat();
  const misere = options.has("misere");
  return byRules({
    kind: "graph", game: prefix("nodekayles", options), passes, misere, edges, vertices, neighbours,
    value: edges, body: bodyOf, isOver: !vertices.length,
    actions: () => vertices.map((cell) => ({ cell, vertex: true })),
    after({ cell }) {
      if (!vertices.includes(cell)) return null;
      const gone = new Set([cell, ...neighbours(cell)]);
      const alone = vertices.filter((vertex) => !gone.has(vertex)).map((vertex) => [vertex, vertex]);
      return tidy([...alone, ...edges.filter((edge) => !edge.some((end) => gone.has(end)))]);
    },
    count: vertices.length, size: vertices.length, moverWon: vertices.length ? null : misere,
  });
}

/** The edges of a path. A vertex without neighbours is an edge to itself. */
function edgesOf(path, body) {
  const vertices = path.split("-").map((each) => (/^\s*\d{1,6}\s*$/.test(each) ? Number(each) : NaN));
  const pairs = vertices.slice(1).map((vertex, at) => [vertices[at], vertex].sort((one, other) => one - other));
  if (vertices.some(Number.isNaN) || pairs.some(([one, other]) => one === other)) throw new UnreadText(body);
  return pairs.length ? pairs : [[vertices[0], vertices[0]]];
}

/** Every edge once, in ascending order, and edges to itself only for vertices without another edge. */
function tidy(edges) {
  const joined = new Set(edges.filter(([one, other]) => one !== other).flat());
  return [...new Map(edges.filter(([one, other]) => one !== other || !joined.has(one))
    .map((edge) => [edge.join(), edge])).values()].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
}

const bodyOf = (edges) => edges.map(([one, other]) => (one === other ? one : `${one}-${other}`)).join() || "0";
