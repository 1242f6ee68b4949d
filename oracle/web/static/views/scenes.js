// Scenes of cells that show a position. Each cell has the action that a click on it means. Grids show scenes for
// playing, pictures show them without clicks.

import { productOf } from "../rules/boxes.js";
import { bitten } from "../rules/chomp.js";
import { compare, readOrdinal, writeOrdinal } from "../rules/ordinals.js";
import { number, t } from "../text.js";
import { fromOne, placeWords } from "../words.js";

const NUMBERS_A_ROW = 8;
/** A code with a digit that leaves two heaps or more. */
const SPLITS = /code=[^,}]*\.[^,}]*[4-9A-F]/;
/** Up to this width the places of bitten cookies stay visible, so that the board keeps its size. */
const MOST_GONE = 40;

/**
 * The scenes of a position, most often one: {component, title, rows, columns, cell(row, column), ...}.
 *
 *   cell(row, column)  {face, text, name, action}, null for no cell; {gone: true} for a
 *                      removed one; {gap: true} for omitted ones. Rows count from 1
 *   touches(action, row, column)  whether a move changes a cell
 *   lengthOf(row), bottomUp, rowLabel(row), labelWidth, columnNumbers  as `createGrid` takes them
 *   placeOf(action)    the row and column of a move whose action does not name them
 *   note               a sentence below the scene; optional
 *   shape(row, column)  the text of the position after a click while drawing; optional
 *
 * `mode` is one of `modesOf`, `from` the first position of the game. On endless boards the places
 * of `winning` moves are drawn, too.
 */
export function scenesOf(position, { mode, from, shaping, winning } = {}) {
  if (position.kind === "sum") {
    return position.components.flatMap((part, component) =>
      scenesOf(part, { mode, from: from?.components?.[component],
        winning: winning?.filter((move) => move.component === component) })
        .map((scene) => ({ ...scene, component, of: part,
          title: [t("sum.component", { number: component + 1 }), scene.title].filter(Boolean).join(", ") })));
  }
  const maker = position.kind === "heaps" && modesOf(position).length ? pins : makers[position.kind];
  const modes = modesOf(position);
  return maker ? [maker(position, { mode: modes.includes(mode) ? mode : modes[0], from, shaping, winning })].flat()
    .map((scene) => ({ component: undefined, of: position, ...scene })) : [];
}

/** The ways of taking from rows of pins that a player can choose; none for other games. */
export function modesOf(position) {
  return position.kind === "sum" ? [...new Set(position.components.flatMap(modesOf))] : position.pins || [];
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
      const name = t("place", { row, column });
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

/** The board after a click while drawing: a cookie goes with all beyond it, or comes with all before it. */
function shapedBy(position, row, column) {
  const { rows } = position;
  const next = position.has(row, column)
    ? bitten(rows, { row, column })
    : Array.from({ length: Math.max(rows.length, row) }, (_, at) =>
      (at < row ? Math.max(rows[at] ?? 0, column) : rows[at]));
  const kept = next.filter((length) => length);
  return position.at(kept.length ? kept : [1]);
}

const label = (ordinal) => fromOne(writeOrdinal(ordinal));

/** Boards of any dimension as layers. The first axis goes to the right, the second up. */
function boxes(position, { winning = [] }) {
  const shown = winning.map(({ action }) => action?.ordinalBite).filter(Boolean).map(({ coordinates }) => coordinates.map((each) => readOrdinal(each)));
  const [acrosses, ups = [[]], ...others] = position.drawnWith(shown.filter(position.has));
  return productOf(others).map((layer) => {
    const coordinates = (row, column) => [acrosses[column - 1], ups[row - 1], ...layer].slice(0, position.dimensions);
    const has = (row, column) => {
      const at = coordinates(row, column);
      return at.every(Boolean) && position.has(at);
    };
    const isBeyond = (one, other) => one.every((each, axis) => compare(other[axis], each) <= 0);
    const lengthOf = (row) => acrosses.findLastIndex((_, at) => has(row, at + 1)) + 1;
    return {
      title: others.length ? t("boxes.layer", { layer: layer.map(label).join(", ") }) : undefined,
      rows: Math.max(1, ups.length), columns: Math.max(1, acrosses.length), bottomUp: true,
      label: t("board.label", { text: position.text }), lengthOf,
      rowLabel: (row) => (ups[row - 1] ? label(ups[row - 1]) : ups.length && "⋮"), labelWidth: 44,
      columnNumbers: (column) => (acrosses[column - 1] ? label(acrosses[column - 1]) : acrosses.length && "…"),
      touches: ({ ordinalBite }, row, column) => ordinalBite && has(row, column)
        && isBeyond(coordinates(row, column), ordinalBite.coordinates.map((each) => readOrdinal(each))),
      cell(row, column) {
        const at = coordinates(row, column);
        if (!at.every(Boolean)) return isBetween(row, column) ? { gap: true } : null;
        if (!position.has(at)) return null;
        const texts = at.map(writeOrdinal);
        return cookie(placeWords(texts), texts.every((each) => each === "0"), { ordinalBite: { coordinates: texts } });
      },
    };
    function isBetween(row, column) {
      const near = [[0, 1], [1, 0], [1, 1]].some(([up, right]) => has(row + up, column + right));
      return near || has(row - 1, column - 1) || has(row, column - 1) || has(row - 1, column);
    }
  });
}

function heaps(position) {
  const { heaps: sizes, ownPasses = [] } = position;
  return {
    rows: sizes.length, columns: Math.max(1, ...sizes), label: t("heaps.label", { text: position.text }),
    lengthOf: (row) => sizes[row - 1] ?? 0,
    rowLabel: (row) => `${t(position.game === "staircase" ? "heaps.step" : "heaps.heap", { heap: row })}: ${number(sizes[row - 1])}`,
    note: [t("heaps.click"), position.most && t("heaps.most", { n: position.most })].filter(Boolean).join(" "),
    rowPass: (row) => (ownPasses[row - 1] ? { taking: { heaps: [{ heap: row, tokens: 0, pass: true }] } } : null),
    placeOf: ({ taking: { heaps: [{ heap, tokens }] } }) => ({ row: heap, column: Math.max(1, sizes[heap - 1] - tokens + 1) }),
    touches: ({ taking }, row, column) => taking?.heaps.some(({ heap, tokens = 0 }) =>
      heap === row && column > sizes[row - 1] - tokens),
    cell(row, column) {
      if (column > (sizes[row - 1] ?? 0)) return null;
      const tokens = sizes[row - 1] - column + 1;
      return { face: "token", text: "", name: t("heaps.cell", { heap: row, count: tokens }), action: { taking: { heaps: [{ heap: row, tokens }] } } };
    },
  };
}

/** Rows of pins, cells or tokens. A mode says which of them a click takes. */
function pins(position, { mode }) {
  const { heaps: sizes } = position;
  const cut = mode === "cross" ? 2 : 0;
  const face = { cell: "square", cross: "square" }[mode] ?? (/code=0\.0?77?[,}]/.test(position.game) ? "pin" : "token");
  /** The first and last place that a click takes; for a split, the last place before it. */
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
    rows: sizes.length, columns: Math.max(1, ...sizes) - cut, label: t("pins.label", { text: position.text }),
    note: { split: t("pins.splits"), end: t("heaps.click"), cell: "", cross: "" }[mode]
      ?? (SPLITS.test(position.game) ? t("pins.gap") : ""),
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
  const columns = Math.min(64, cells.length + (shaping ? 1 : 0));
  const names = { T: t("strip.toad"), F: t("strip.frog"), ".": t("strip.free") };
  return {
    rows: 1, columns, columnNumbers: true, lengthOf: () => columns,
    label: t("strip.label", { text: position.text }),
    touches: ({ cell }, _, column) => column === cell || column === position.targetOf(cell),
    shape(_, cell) {
      const next = { ".": "T", T: "F", F: "." };
      return position.at(cell > cells.length ? `${cells}.`
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
    lengthOf: (wanted) => places.filter(([row]) => row === wanted).length, bottomUp: !flat, label: t("divisors.label", { text: position.text }),
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

/** A graph. Its vertices have places between 0 and 1 instead of rows and columns. */
function graph(position, { from }) {
  const whole = from?.vertices ? from : position;
  const places = placesOf(whole);
  return {
    isGraph: true, label: t("graph.label", { text: position.text }), places, edges: position.edges,
    gone: whole.vertices.filter((vertex) => !position.vertices.includes(vertex)),
    rows: 1, columns: position.vertices.length,
    touches: ({ cell }, vertex) => vertex === cell || position.neighbours(cell).includes(vertex),
    vertices: position.vertices.map((vertex) => ({ vertex, face: "vertex", text: String(vertex), name: t("graph.vertex", { vertex }), action: { cell: vertex, vertex: true } })),
  };
}

let lastPlaces = { text: null, places: null };

/** The places of the vertices of a graph: first on a circle, then pulled by edges and pushed apart. */
function placesOf({ text, vertices, edges }) {
  if (lastPlaces.text === text) return lastPlaces.places;
  const ideal = 0.9 / Math.sqrt(vertices.length);
  const rounds = vertices.length > 2 && vertices.length <= 60 ? 300 : 0;
  const turn = (index) => (2 * Math.PI * index) / vertices.length - Math.PI / 2;
  const joined = vertices.map((one) => vertices.map((other) => edges.some((edge) => edge.includes(one) && edge.includes(other))));
  let at = vertices.map((_, index) => [Math.cos(turn(index)), Math.sin(turn(index))].map((each) => 0.5 + 0.45 * each));
  for (let round = 0; round < rounds; round += 1) {
    at = at.map((place, index) => {
      const force = [0, 0];
      at.forEach((other, from) => {
        const apart = [other[0] - place[0], other[1] - place[1]];
        const far = Math.hypot(...apart) || 1e-3;
        const pull = (joined[index][from] ? far / ideal : 0) - (ideal / far) ** 2;
        if (from !== index) apart.forEach((each, axis) => { force[axis] += each * pull; });
      });
      const size = Math.hypot(...force) || 1;
      const step = Math.min(0.05 * (1 - round / rounds), size * 0.1) / size;
      return place.map((each, axis) => each + force[axis] * step);
    });
  }
  const bounds = [0, 1].map((axis) => [Math.min, Math.max].map((most) => most(...at.map((place) => place[axis]))));
  const scaled = (each, [low, high]) => (high - low < 1e-6 ? 0.5 : 0.06 + (0.88 * (each - low)) / (high - low));
  const places = new Map(vertices.map((vertex, index) => [vertex, at[index].map((each, axis) => scaled(each, bounds[axis]))]));
  lastPlaces = { text, places };
  return places;
}

const makers = { board, boxes, heaps, strip, divisors, graph };
