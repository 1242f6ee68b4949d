// What a position looks like: scenes of cells, each with the action that a click on it means. Grids
// show them for playing, pictures for looking at.

import { number, t } from "../text.js";
import { writeOrdinal } from "../rules/ordinals.js";

const NUMBERS_A_ROW = 8;
/** Up to this width the places of bitten cookies stay visible, so that the board keeps its size. */
const MOST_GONE = 40;

/**
 * The scenes of a position, most often one: {component, title, rows, columns, cell(row, column), ...}.
 *
 *   cell(row, column)  {face, text, name, action}, null where there is none; {gone: true} where there
 *                      was one; {gap: true} where some are left out. Rows count from 1
 *   touches(action, row, column)  whether a move changes a cell
 *   lengthOf(row), bottomUp, rowLabel(row), labelWidth, columnNumbers  as `createGrid` takes them
 *   placeOf(action)    the row and column at which a move is made, where it is not said by the action
 *   note               a sentence below, where there is one
 *   shape(row, column)  the text of the position after a click in drawing, where it can be drawn
 *
 * `mode` is one of `modesOf`, `from` the position that the game began with; of endless boards the places
 * of `winning` moves are among those that are drawn.
 */
export function scenesOf(position, { mode, from, shaping, picked, winning } = {}) {
  if (position.kind === "sum") {
    return position.components.flatMap((part, component) =>
      scenesOf(part, { mode, from: from?.components?.[component],
        winning: winning?.filter((move) => move.component === component), picked: picked?.component === component ? picked : null })
        .map((scene) => ({ ...scene, component, title: t("sum.component", { number: component + 1 }), of: part })));
  }
  const maker = position.kind === "heaps" && modesOf(position).length ? pins : makers[position.kind];
  const modes = modesOf(position);
  return maker ? [maker(position, { mode: modes.includes(mode) ? mode : modes[0], from, shaping, picked, winning })].flat()
    .map((scene) => ({ component: undefined, of: position, ...scene })) : [];
}

/** The ways of taking from rows of pins that a player chooses among; none for other games. */
export function modesOf(position) {
  if (position.kind === "sum") return [...new Set(position.components.flatMap(modesOf))];
  if (position.splits) return ["split"];
  return position.pins ?? [];
}

function board(position, { from, shaping }) {
  const { rows } = position;
  const more = shaping ? 1 : 0;
  const gone = shaping || !(from?.rows?.[0] <= MOST_GONE) ? [] : from.rows;
  const most = position.text.startsWith("chomp3") ? 3 : 10_000;
  return {
    rows: Math.max(1, gone.length, Math.min(most, rows.length + more)),
    columns: Math.max(1, gone[0] ?? 0, (rows[0] ?? 0) + more),
    bottomUp: true, label: t("board.label", { text: position.text }),
    rowLabel: String, labelWidth: 22, columnNumbers: true,
    lengthOf: (row) => (shaping ? (rows[0] ?? 0) + 1 : rows[row - 1] ?? 0),
    touches: ({ bite }, row, column) => bite && row >= bite.row && column >= bite.column,
    shape: (row, column) => shapedBy(position, row, column),
    cell(row, column) {
      const name = t("board.cell", { row, column });
      if (position.has(row, column)) return cookie(name, row === 1 && column === 1, { bite: { row, column } });
      if (column <= (gone[row - 1] ?? 0)) return { gone: true };
      return shaping && column <= (rows[0] ?? 0) + 1 ? { face: "ghost", text: "+", name: `${name}, ${t("board.add")}` } : null;
    },
  };
}

function cookie(name, isPoison, action) {
  return { face: isPoison ? "cookie poison" : "cookie", text: isPoison ? "☠" : "",
    name: isPoison ? `${name}, ${t("board.poison")}` : name, action };
}

/** The board after a click in drawing: a cookie goes with those beyond it, or comes with those before. */
function shapedBy(position, row, column) {
  const { rows } = position;
  const next = position.has(row, column)
    ? rows.map((length, at) => (at < row - 1 ? length : Math.min(length, column - 1)))
    : Array.from({ length: Math.max(rows.length, row) }, (_, at) =>
      (at < row ? Math.max(rows[at] ?? 0, column) : rows[at]));
  const kept = next.filter((length) => length);
  return position.reshaped(kept.length ? kept : [1]);
}

/** Boards of any dimension as layers; the first axis goes to the right, the second up. */
function boxes(position, { winning = [] }) {
  const shown = winning.map(({ action }) => action?.ordinalBite).filter(Boolean).map(({ coordinates }) => position.read(coordinates));
  const [acrosses, ups = [[]], ...others] = position.drawnWith(shown.filter(position.has));
  const layers = others.reduce((some, axis) => some.flatMap((at) => axis.filter(Boolean).map((each) => [...at, each])), [[]]);
  return layers.map((layer) => {
    const coordinates = (row, column) => [acrosses[column - 1], ups[row - 1], ...layer].slice(0, position.dimensions);
    const has = (row, column) => {
      const at = coordinates(row, column);
      return at.every(Boolean) && position.has(at);
    };
    const below = (one, other) => other.every((each, axis) => position.compare(one[axis], each) <= 0);
    const lengthOf = (row) => acrosses.findLastIndex((_, at) => has(row, at + 1)) + 1;
    return {
      title: others.length ? t("boxes.layer", { layer: layer.map(writeOrdinal).join(", ") }) : undefined,
      rows: Math.max(1, ups.length), columns: Math.max(1, acrosses.length), bottomUp: true,
      label: t("board.label", { text: position.text }), lengthOf,
      rowLabel: (row) => (ups[row - 1] ? writeOrdinal(ups[row - 1]) : ups.length && "⋮"), labelWidth: 44,
      columnNumbers: (column) => (acrosses[column - 1] ? writeOrdinal(acrosses[column - 1]) : acrosses.length && "…"),
      touches: ({ ordinalBite }, row, column) => ordinalBite && has(row, column)
        && below(position.read(ordinalBite.coordinates), coordinates(row, column)),
      cell(row, column) {
        const at = coordinates(row, column);
        if (!at.every(Boolean)) return isBetween(row, column) ? { gap: true } : null;
        if (!position.has(at)) return null;
        const texts = at.map(writeOrdinal);
        return cookie(t("boxes.cell", { at: texts.join(", ") }), texts.every((each) => each === "0"),
          position.actionAt(texts));
      },
    };
    function isBetween(row, column) {
      const near = [[0, 1], [1, 0], [1, 1]].some(([up, right]) => has(row + up, column + right));
      return near || has(row - 1, column - 1) || has(row, column - 1) || has(row - 1, column);
    }
  });
}

function heaps(position, { picked }) {
  const { heaps: sizes, ownPasses = [] } = position;
  const taken = (row) => picked?.heaps?.[row - 1] ?? 0;
  return {
    rows: sizes.length, columns: Math.max(1, ...sizes), paint: "--token", label: t("heaps.label", { text: position.text }),
    lengthOf: (row) => sizes[row - 1] ?? 0,
    rowLabel: (row) => `${t(position.game === "staircase" ? "heaps.step" : "heaps.heap", { heap: row })}: ${number(sizes[row - 1])}`,
    note: position.most === null || position.most === undefined ? "" : t("heaps.most", { n: position.most }),
    rowPass: (row) => (ownPasses[row - 1] ? { taking: { heaps: [{ heap: row, tokens: 0, pass: true }] } } : null),
    placeOf: ({ taking: { heaps: [{ heap, tokens }] } }) => ({ row: heap, column: Math.max(1, sizes[heap - 1] - tokens + 1) }),
    touches: ({ taking }, row, column) => taking?.heaps.some(({ heap, tokens = 0 }) =>
      heap === row && column > sizes[row - 1] - tokens),
    cell(row, column) {
      if (column > (sizes[row - 1] ?? 0)) return null;
      const tokens = sizes[row - 1] - column + 1;
      return { face: `token ${column > sizes[row - 1] - taken(row) ? "picked" : ""}`, text: "",
        name: t("heaps.cell", { heap: row, count: tokens }), action: { taking: { heaps: [{ heap: row, tokens }] } } };
    },
  };
}

/** Rows of pins, cells or tokens; a mode says which of them a click takes. */
function pins(position, { mode }) {
  const { heaps: sizes } = position;
  const cut = mode === "cross" ? 2 : 0;
  const face = { cell: "square", cross: "square" }[mode] ?? (position.pins?.includes("split") || position.splits ? "token" : "pin");
  /** The first and last place that goes, at a click; of a split the last place before it. */
  const span = (size, column) => {
    if (mode === "cross") return [column, column + 2];
    if (mode === "cell") return [Math.max(1, column - 1), Math.min(size, column + 1)];
    if (mode === "end") return [column, size];
    return [column, column + Number(mode) - 1];
  };
  const actionAt = (row, column) => {
    const size = sizes[row - 1];
    const [first, last] = span(size, column);
    const left = mode === "split" ? [column, size - column] : [first - 1, size - last];
    if (left.some((part) => part < 0)) return null;
    const kept = left.filter(Boolean);
    return { taking: { heaps: [{ heap: row, tokens: mode === "split" ? 0 : last - first + 1,
      ...((kept.length > 1 || (kept.length && mode === "split")) && { left: kept }) }] } };
  };
  return {
    rows: sizes.length, columns: Math.max(1, ...sizes) - cut, paint: "--token", label: t("pins.label", { text: position.text }),
    lengthOf: (row) => Math.max(0, (sizes[row - 1] ?? 0) - cut),
    rowLabel: (row) => (sizes.length > 1 ? t("heaps.heap", { heap: row }) : ""), labelWidth: sizes.length > 1 ? 52 : 1,
    placeOf: ({ taking: { heaps: [{ heap, tokens, left = [] }] } }) => ({ row: heap, column: Math.max(1, (left[0] ?? 0) + (tokens ? 1 : 0)) }),
    touches(action, row, column, at) {
      if (!at || at.row !== row) return false;
      const [first, last] = span(sizes[row - 1], at.column);
      return mode === "split" ? column > at.column : column >= first && column <= (mode === "cross" ? first : last);
    },
    cell(row, column) {
      if (column > (sizes[row - 1] ?? 0) - cut) return null;
      return { face, text: "", name: t(sizes.length > 1 ? "pins.cellOf" : "pins.cell", { row, column }), action: actionAt(row, column) };
    },
  };
}

function strip(position, { shaping }) {
  const { cells } = position;
  const names = { T: t("strip.toad"), F: t("strip.frog"), ".": t("strip.free") };
  return {
    rows: 1, columns: Math.min(64, cells.length + (shaping ? 1 : 0)), columnNumbers: true,
    label: t("strip.label", { text: position.text }),
    touches: ({ cell }, _, column) => column === cell || column === position.targetOf(cell),
    shape(_, cell) {
      const next = { ".": "T", T: "F", F: "." };
      return position.reshaped(cell > cells.length ? `${cells}.`
        : cells.slice(0, cell - 1) + next[cells[cell - 1]] + cells.slice(cell));
    },
    cell(_, column) {
      if (column > cells.length) return shaping ? { face: "ghost", text: "+", name: t("board.add") } : null;
      const animal = cells[column - 1];
      const to = position.targetOf(column);
      return {
        face: `animal ${{ T: "toad", F: "frog", ".": "free" }[animal]}`, text: { T: "▶", F: "◀", ".": "" }[animal],
        keepsText: true, action: animal === "." ? null : { cell: column, to, animal },
        name: `${t("strip.cell", { cell: column })}, ${names[animal]}${to === null ? "" : `, ${t("strip.to", { to })}`}`,
      };
    },
  };
}

function divisors(position) {
  const [along, up] = position.primes;
  const flat = position.primes.length > 2;
  const placed = new Map(position.numbers.map((each, at) => {
    const row = flat ? Math.floor(at / NUMBERS_A_ROW) + 1 : (each.powers.get(up) ?? 0) + 1;
    const column = flat ? (at % NUMBERS_A_ROW) + 1 : (each.powers.get(along) ?? 0) + 1;
    return [`${row},${column}`, each];
  }));
  const places = [...placed.keys()].map((key) => key.split(",").map(Number));
  return {
    rows: Math.max(1, ...places.map(([row]) => row)), columns: Math.max(1, ...places.map(([, column]) => column)),
    bottomUp: !flat, label: t("divisors.label", { text: position.text }),
    touches: ({ divisor }, row, column) => {
      const each = placed.get(`${row},${column}`);
      return Boolean(divisor && each && each.value % BigInt(divisor) === 0n);
    },
    cell(row, column) {
      const each = placed.get(`${row},${column}`);
      if (!each) return null;
      const isPoison = each.value === 1n;
      return { face: `cookie number ${isPoison ? "poison" : ""}`, text: isPoison ? "☠ 1" : String(each.value), keepsText: true,
        name: isPoison ? `1, ${t("board.poison")}` : String(each.value), action: { divisor: String(each.value) } };
    },
  };
}

/** A graph: its vertices have places between 0 and 1 instead of rows and columns. */
function graph(position, { from }) {
  const whole = from?.vertices ? from : position;
  const places = placesOf(whole);
  return {
    isGraph: true, label: t("graph.label", { text: position.text }), places, edges: position.edges,
    gone: whole.vertices.filter((vertex) => !position.vertices.includes(vertex)),
    rows: 1, columns: position.vertices.length,
    touches: ({ cell }, vertex) => vertex === cell || position.neighbours(cell).includes(vertex),
    vertices: position.vertices.map((vertex) => ({ vertex, face: "vertex", text: "", name: t("graph.vertex", { vertex }), action: { cell: vertex, vertex: true } })),
  };
}

let lastPlaces = { text: null, places: null };

/** Where the vertices of a graph are drawn: on a circle, then pulled by edges and pushed apart. */
function placesOf({ text, vertices, edges }) {
  if (lastPlaces.text === text) return lastPlaces.places;
  const count = vertices.length;
  const at = new Map(vertices.map((vertex, index) => {
    const turn = (2 * Math.PI * index) / count - Math.PI / 2;
    return [vertex, [0.5 + 0.45 * Math.cos(turn), 0.5 + 0.45 * Math.sin(turn)]];
  }));
  const ideal = 0.9 / Math.sqrt(count);
  for (let round = 0; round < (count > 2 && count <= 60 ? 300 : 0); round += 1) {
    const step = 0.05 * (1 - round / 300);
    const force = new Map(vertices.map((vertex) => [vertex, [0, 0]]));
    const pull = (one, other, strength) => {
      const [dx, dy] = [0, 1].map((axis) => at.get(other)[axis] - at.get(one)[axis]);
      const far = Math.hypot(dx, dy) || 1e-3;
      const size = strength(far) / far;
      [dx, dy].forEach((each, axis) => {
        force.get(one)[axis] += each * size;
        force.get(other)[axis] -= each * size;
      });
    };
    vertices.forEach((one, index) => vertices.slice(index + 1).forEach((other) => pull(one, other, (far) => -(ideal * ideal) / far)));
    edges.forEach(([one, other]) => one !== other && pull(one, other, (far) => (far * far) / ideal));
    for (const [vertex, [dx, dy]] of force) {
      const far = Math.hypot(dx, dy) || 1;
      const move = Math.min(step, far * 0.1) / far;
      at.set(vertex, [at.get(vertex)[0] + dx * move, at.get(vertex)[1] + dy * move]);
    }
  }
  const axes = [0, 1].map((axis) => [...at.values()].map((each) => each[axis]));
  const places = new Map([...at].map(([vertex, place]) => [vertex, place.map((each, axis) => {
    const [low, high] = [Math.min(...axes[axis]), Math.max(...axes[axis])];
    return high - low < 1e-6 ? 0.5 : 0.06 + (0.88 * (each - low)) / (high - low);
  })]));
  lastPlaces = { text, places };
  return places;
}

const makers = { board, boxes, heaps, strip, divisors, graph };
