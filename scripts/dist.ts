/** `npm run dist`: makes the executable for this platform, `dist/bascule`. `npm run dist -- PATH` writes another file. */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { makeExecutable, SUFFIX } from "./make-executable.ts";
import { REPOSITORY } from "./run-command.ts";

const path = resolve(process.argv[2] ?? `${REPOSITORY}dist/bascule${SUFFIX}`);
await makeExecutable(path);
const bytes = await readFile(path);
const hash = createHash("sha256").update(bytes).digest("hex");
console.log(`${relative("", path)}  ${(bytes.length / 1024 / 1024).toFixed(0)} MiB  sha256 ${hash}`);
