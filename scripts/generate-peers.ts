/** Writes the table of peers of `docs/speed.md` from `bench/peers/result.json`. */

import { readFileSync } from "node:fs";
import { PEERS } from "../bench/peers/mod.ts";
import type { PeerResult } from "../bench/peers/result.ts";
import { toMarkdown } from "../bench/peers/table.ts";
import { REPOSITORY } from "./run-command.ts";
import { writeOrCheck } from "./write-or-check.ts";

const BEGIN = "<!-- peers: made by scripts/generate-peers.ts of bench/peers/result.json -->";
const END = "<!-- /peers -->";

// `npm run peers -- --write` wrote this file.
const result = JSON.parse(readFileSync(`${REPOSITORY}bench/peers/result.json`, "utf8")) as PeerResult;
const page = readFileSync(`${REPOSITORY}docs/speed.md`, "utf8");
const [before, rest = ""] = page.split(BEGIN);
const after = rest.split(END)[1];
if (after === undefined) throw new Error(`docs/speed.md has no "${BEGIN}" … "${END}" to write the table between`);
writeOrCheck("docs/speed.md", `${before ?? ""}${BEGIN}\n${toMarkdown(result, PEERS)}\n${END}${after}`);
