// Reads games as records in a JSON list, and writes them again: node records.mjs ADDRESS
import { readFileSync } from "node:fs";

import { readRecord, writeRecord } from "../../oracle/web/static/record.js";

const RESULTS = { "1-0": 0, "0-1": 1 };
const [address] = process.argv.slice(2);
const reach = globalThis.fetch;
globalThis.fetch = (path, options) => reach(new URL(path, address), options);
const written = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const winner = RESULTS[text.trim().split(/\s/).at(-1)] ?? null;
  written.push(writeRecord({ ...await readRecord(text), winner }));
}
process.stdout.write(JSON.stringify(written));
