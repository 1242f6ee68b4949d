// Reads games as records, and writes them again.
import { readRecord, writeRecord } from "../../oracle/web/static/record.js";
import { asked, write } from "./common.mjs";

const RESULTS = { "1-0": 0, "0-1": 1 };
const written = [];
for (const text of asked) {
  const winner = RESULTS[text.trim().split(/\s/).at(-1)] ?? null;
  written.push(writeRecord({ ...await readRecord(text), winner }));
}
write(written);
