/** `npm run peers`: compares bascule with the alternatives of a user, doing the same work in turns (`HELP`). */

import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runForText } from "./child-process.ts";
import { comparePeers } from "./compare.ts";
import { PEERS } from "./mod.ts";
import { BASELINE } from "./peer.ts";
import type { PeerResult } from "./result.ts";
import { toMarkdown } from "./table.ts";

const HELP = `npm run -s peers -- [--only ID[,ID…]] [--rounds N] [--json] [--write] [--help]

Runs the same echo and word count, fresh and warm, in bascule and its alternatives, in turns. Prints medians, and in
parentheses the ratio to bascule's call. Install the peers first: npm --prefix bench/peers ci

  --only ID    only these, and bascule: ${PEERS.map(({ id }) => id).join(", ")}
  --rounds N   number of samples of each (default 21)
  --json       print the result as JSON
  --write      write bench/peers/result.json, from which npm run generate makes the table of docs/speed.md
  --help       show this help

Exit codes: 0 done, also where a peer could not be measured. 1 bascule could not be. 2 the command line is wrong.`;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === "string") {
    console.error(options);
    return 2;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const peers = PEERS.filter(({ id }) => options.only === undefined || id === BASELINE || options.only.includes(id));
  const compared = await comparePeers(peers, { rounds: options.rounds, say: (said) => console.error(said) });
  const result: PeerResult = { ...(await circumstances()), rounds: options.rounds, ...compared };
  if (options.write) writeFileSync(fileURLToPath(new URL("result.json", import.meta.url)), `${JSON.stringify(result, null, 2)}\n`);
  console.log(options.json ? JSON.stringify(result) : toMarkdown(result, peers));
  return compared.absent.some(({ peer }) => peer === BASELINE) ? 1 : 0;
}

interface Options {
  readonly help: boolean;
  readonly json: boolean;
  readonly write: boolean;
  readonly rounds: number;
  readonly only: readonly string[] | undefined;
}

/** Parses the command line; returns a text if it is wrong. */
function readOptions(): Options | string {
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        only: { type: "string" },
        rounds: { type: "string", default: "21" },
        json: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) return `--rounds is "${values.rounds}", not a whole number from 1`;
  const only = values.only?.split(",").map((id) => id.trim());
  const unknown = only?.find((id) => !PEERS.some((peer) => peer.id === id));
  if (unknown !== undefined) return `Unknown peer "${unknown}" (choose from ${PEERS.map(({ id }) => id).join(", ")})`;
  if (values.write && only !== undefined) return "--write takes all peers, not --only some";
  return { ...values, rounds, only };
}

async function circumstances(): Promise<Pick<PeerResult, "date" | "machine" | "node" | "deno">> {
  const processors = cpus();
  const deno = await runForText("deno", ["--version"]);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors.length} × ${processors[0]?.model.trim() ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}`,
    node: process.versions.node,
    deno: /^deno (\S+)/.exec(deno)?.[1] ?? "unknown",
  };
}
