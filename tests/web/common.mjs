// For scripts of tests: values are read and written as JSON, and questions go to the server of the first argument.
import { readFileSync } from "node:fs";

const [address] = process.argv.slice(2);
const reach = globalThis.fetch;
globalThis.fetch = (path, options) => reach(new URL(path, address), options);

export const asked = JSON.parse(readFileSync(0, "utf8"));
export const write = (found) => process.stdout.write(JSON.stringify(found));
