// Kayles on a graph: `nodekayles:1-2,2-3,5`. A move takes a vertex and its neighbours.

import { UnreadText, prefix } from "./text.js";

export function readGraph({ options, body, passes }) {
  const edges = [];
  for (const part of body.trim() === "0" ? [] : body.split(",")) {
    const path = part.split("-").map((each) => each.trim());
    if (path.some((each) => !/^\d{1,6}$/.test(each))) throw new UnreadText(body);
    const vertices = path.map(Number);
    if (vertices.length === 1) edges.push([vertices[0], vertices[0]]);
    for (let at = 1; at < vertices.length; at += 1) {
      if (vertices[at] === vertices[at - 1]) throw new UnreadText(body);
      edges.push([Math.min(vertices[at - 1], vertices[at]), Math.max(vertices[at - 1], vertices[at])]);
    }
  }
  return graph({ game: prefix("nodekayles", options), edges, passes, misere: options.has("misere") });
}

function graph(state) {
  const { game, passes, misere } = state;
  const joined = new Set(state.edges.filter(([one, other]) => one !== other).flat());
  const edges = [...new Map(state.edges.filter(([one, other]) => one !== other || !joined.has(one))
    .map((edge) => [edge.join(), edge])).values()].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const vertices = [...new Set(edges.flat())].sort((one, other) => one - other);
  const written = edges.map(([one, other]) => (one === other ? one : `${one}-${other}`)).join() || "0";
  const text = `${game}:${written}${passes ? `;${passes}` : ""}`;
  const neighbours = (vertex) => edges.filter((edge) => edge.includes(vertex)).flat();
  const mayPass = passes > 0 && vertices.length > 0;

  function after(action) {
    if (action.pass) return mayPass ? graph({ ...state, passes: passes - 1 }).text : null;
    if (!vertices.includes(action.cell)) return null;
    const gone = new Set([action.cell, ...neighbours(action.cell)]);
    const kept = vertices.filter((vertex) => !gone.has(vertex)).map((vertex) => [vertex, vertex]);
    return graph({ ...state, edges: [...kept, ...edges.filter((edge) => !edge.some((end) => gone.has(end)))] }).text;
  }

  function* moves() {
    const seen = new Set();
    for (const cell of vertices) {
      const child = after({ cell });
      if (!seen.has(child)) yield { action: { cell, vertex: true }, child, isPass: false };
      seen.add(child);
    }
    if (mayPass) yield { action: { pass: {} }, child: after({ pass: {} }), isPass: true };
  }

  return {
    kind: "graph", text, game, edges, vertices, passes, misere, after, moves, neighbours,
    count: vertices.length + (mayPass ? 1 : 0), size: vertices.length,
    moverWon: vertices.length ? null : misere,
  };
}
