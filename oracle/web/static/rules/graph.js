// Kayles on a graph: `nodekayles:1-2,2-3,5`. A move takes a vertex and its neighbours.

import { withPasses } from "./passes.js";
import { UnreadText, prefix, withCount } from "./text.js";

export function readGraph({ options, body, passes }) {
  const edges = body.trim() === "0" ? [] : body.split(",").flatMap((part) => edgesOf(part, body));
  return graph({ game: prefix("nodekayles", options), edges: tidy(edges), passes, misere: options.has("misere") });
}

/** The edges of a path; a vertex alone is an edge to itself. */
function edgesOf(path, body) {
  const vertices = path.split("-").map((each) => (/^\s*\d{1,6}\s*$/.test(each) ? Number(each) : NaN));
  const pairs = vertices.slice(1).map((vertex, at) => [vertices[at], vertex].sort((one, other) => one - other));
  if (vertices.some(Number.isNaN) || pairs.some(([one, other]) => one === other)) throw new UnreadText(body);
  return pairs.length ? pairs : [[vertices[0], vertices[0]]];
}

/** Every edge once, ascending, and vertices alone only where they have no other edge. */
function tidy(edges) {
  const joined = new Set(edges.filter(([one, other]) => one !== other).flat());
  return [...new Map(edges.filter(([one, other]) => one !== other || !joined.has(one))
    .map((edge) => [edge.join(), edge])).values()].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
}

function graph({ game, edges, passes, misere }) {
  const vertices = [...new Set(edges.flat())].sort((one, other) => one - other);
  const neighbours = (vertex) => edges.filter((edge) => edge.includes(vertex)).flat();
  const write = (some, left = passes) =>
    withCount(`${game}:${some.map(([one, other]) => (one === other ? one : `${one}-${other}`)).join() || "0"}`, left);

  function after({ cell }) {
    if (!vertices.includes(cell)) return null;
    const gone = new Set([cell, ...neighbours(cell)]);
    const alone = vertices.filter((vertex) => !gone.has(vertex)).map((vertex) => [vertex, vertex]);
    return write(tidy([...alone, ...edges.filter((edge) => !edge.some((end) => gone.has(end)))]));
  }

  return withPasses({
    kind: "graph", game, edges, vertices, passes, misere, after, neighbours,
    isOver: !vertices.length, write: (left) => write(edges, left),
    *moves() {
      const seen = new Set();
      for (const cell of vertices) {
        const child = after({ cell });
        if (!seen.has(child)) yield { action: { cell, vertex: true }, child, isPass: false };
        seen.add(child);
      }
    },
    count: vertices.length, size: vertices.length, moverWon: vertices.length ? null : misere,
  });
}
