// Games with random moves: the chance that the player to move wins.

import { OracleError, ask, bytesOf, packed } from "./oracle.js";

const MOST_AT_ONCE = 20_000;

/** The models on offer: the kinds of the player to move and the other player. */
export const MODELS = ["random", "perfect-vs-random", "perfect-vs-sloppy", "random-vs-perfect"];

/** The text of a model. The sloppy player errs with a probability. */
export function modelText(model, epsilon) {
  return model === "perfect-vs-sloppy" ? `perfect-vs-sloppy(${epsilon})` : model;
}

/** The model with the players exchanged, for the other player's turn. */
function swapped(model) {
  const sides = model.split("-vs-");
  return sides.length === 2 ? `${sides[1]}-vs-${sides[0]}` : model;
}

/** The answer for a position: {value, exact, method, errorBound, certainty, reason}. */
export async function chanceOf(text, model, options) {
  const found = await ask("GetWinProbability", { position: { text }, model }, options);
  const chance = found.probability;
  return {
    value: chance.value, errorBound: chance.errorBound, reason: chance.reason ?? "",
    method: (chance.method ?? "CHANCE_METHOD_UNKNOWN").replace("CHANCE_METHOD_", ""),
    exact: chance.exact ? `${chance.exact.numerator} / ${chance.exact.denominator}` : "",
  };
}

/** The chance of the player who moves, after each move: a map from child to probability. */
export async function chancesOf(position, moves, model, options) {
  const children = moves.filter((move) => !move.isPass).map((move) => move.child).slice(0, MOST_AT_ONCE);
  const rows = children.map(coordinatesOf);
  const width = Math.max(1, ...rows.map((row) => row.length));
  const request = {
    model: swapped(model),
    positions: { game: { text: position.game }, width,
      coordinates: packed(rows.flatMap((row) => [...row, ...Array(width - row.length).fill(0)])) },
  };
  try {
    const found = await ask("BatchGetWinProbabilities", request, options);
    const values = new Float64Array(bytesOf(found.probabilities).buffer);
    return new Map(children.map((child, at) => [child, 1 - values[at]]));
  } catch (error) {
    if (error instanceof OracleError && error.code !== "unavailable") return new Map();
    throw error;
  }
}

function coordinatesOf(text) {
  return text.slice(text.lastIndexOf(":") + 1).replace(/[[\]]/g, "").split(/[/,]/).map(Number);
}
