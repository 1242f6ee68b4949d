// Heaps of games whose moves only the oracle lists, such as `moore{k=2}:[3,5,7]` and `nim{heappass}:[3p,5]`.
// They are drawn like other heaps.

import { codeOf, pinModes } from "./heaps.js";
import { UnreadText, prefix, sumOf, withPasses } from "./text.js";

/** Games in which the place of a heap matters, also among equal heaps. */
const ORDERED = new Set(["circular", "endnim", "euclid", "fibonacci", "moore", "staircase", "wythoff"]);
/** Games whose moves may take from several heaps. */
const SEVERAL = new Set(["moore", "circular", "wythoff"]);

export function readServed({ family, options, body, passes }) {
  const match = /^\[\s*(\d{1,9}p?(?:\s*,\s*\d{1,9}p?)*)?\s*\]$/.exec(body);
  if (!match) throw new UnreadText(body);
  const written = (match[1] ?? "").split(",").map((each) => each.trim()).filter(Boolean);
  const code = codeOf({ family, options });
  if (code && family !== "octal" && options.has("code")) throw new UnreadText(body);
  const game = code ? prefix("octal", new Map([["code", code], ...options])) : prefix(family, options);
  // Fibonacci Nim writes behind a heap the most that may be taken of it.
  const heaps = (family === "fibonacci" ? written.slice(0, 1) : written).map((each) => parseInt(each, 10));
  return {
    kind: "heaps", game, heaps, passes, misere: options.has("misere"), local: false,
    text: `${game}:${withPasses(`[${written}]`, passes)}`,
    ownPasses: written.map((each) => each.endsWith("p")), several: SEVERAL.has(family),
    pins: family === "partition" ? ["split"] : code && !options.has("heappass") && pinModes(code),
    sorted: !ORDERED.has(family), most: family === "fibonacci" && written[1] ? Number(written[1]) : null,
    count: sumOf(heaps), size: sumOf(heaps),
    moverWon: null,
  };
}
