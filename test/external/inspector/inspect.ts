/** Requests of the inspector's command line to a server, and the expected answers. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PROGRAM } from "./project.ts";

/** Outcome of one request. */
export interface Inspected {
  readonly what: string;
  /** The problem; absent if the answer was as expected. */
  readonly problem?: string;
}

export interface InspectedServer {
  readonly name: string;
  readonly folder: string;
  /** Folder for the inspector's catalog. */
  readonly home: string;
  /** URL of a server; if absent, the inspector starts `bascule mcp`. */
  readonly url?: string;
  readonly token?: string;
}

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

interface Trial {
  readonly what: string;
  readonly args: readonly string[];
  /** Returns the problem with an answer. */
  readonly check: (answer: Answer) => string | undefined;
}

const INSPECTOR = fileURLToPath(new URL("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url));
const ERAS = ["legacy", "modern", "auto"] as const;
const TIMEOUT_MS = 120_000;

const call = (args: string): readonly string[] => ["--method", "tools/call", "--tool-name", "edited__say", "--tool-args-json", args];
const says =
  (part: string) =>
  (answer: Answer): string | undefined =>
    `${answer.out}${answer.error}`.includes(part) ? undefined : `does not say ${part}`;

const TRIALS: readonly Trial[] = [
  {
    what: "tools/list --strict",
    args: ["--method", "tools/list", "--strict"],
    check: (answer) => (answer.code === 0 ? says("edited__say")(answer) : `exits with ${String(answer.code)}`),
  },
  { what: "tools/call", args: call('{"times":2}'), check: says('"times": 2') },
  {
    what: "tools/call with a wrong type",
    args: call('{"times":"two"}'),
    check: says("Invalid arguments at /times: Is"),
  },
  { what: "tools/call out of range", args: call('{"times":0}'), check: says("Invalid arguments at /times") },
  { what: "tools/call with too much", args: call('{"times":1,"other":[]}'), check: says("Invalid arguments at /other") },
  { what: "tools/call of no tool", args: ["--method", "tools/call", "--tool-name", "unknown"], check: says("unknown") },
  { what: "resources/list", args: ["--method", "resources/list"], check: says("bascule://plugins/edited") },
  { what: "resources/templates/list", args: ["--method", "resources/templates/list"], check: says("bascule://plugins/{name}") },
  { what: "resources/read", args: ["--method", "resources/read", "--uri", "bascule://plugins/edited"], check: says("edited__say") },
  { what: "resources/read of none", args: ["--method", "resources/read", "--uri", "bascule://nothing"], check: says("bascule://nothing") },
  { what: "prompts/list", args: ["--method", "prompts/list"], check: says('"prompts": []') },
  {
    what: "200 calls, ten at once",
    args: [...call('{"times":3}'), "--load", "--load-requests", "200", "--format", "json"],
    check: (answer) => (answer.code === 0 ? undefined : `exits with ${String(answer.code)}`),
  },
];

/** One after the other: each starts an inspector, and over stdio a server too. */
export async function inspectServer(server: InspectedServer, say: (one: Inspected) => void): Promise<void> {
  for (const era of ERAS) {
    for (const { what, args, check } of TRIALS) {
      const answer = await inspect(server, ["--connect-timeout", "60000", "--protocol-era", era, ...args]);
      const problem = check(answer);
      const about = `${server.name} ${era}: ${what}`;
      say(problem === undefined ? { what: about } : { what: about, problem: `${problem}\n${answer.out}${answer.error}`.slice(0, 2_000) });
    }
  }
}

async function inspect({ folder, home, url, token }: InspectedServer, args: readonly string[]): Promise<Answer> {
  const target =
    url === undefined
      ? ["--cwd", folder, "--", process.execPath, PROGRAM, "mcp"]
      : ["--server-url", url, "--transport", "http", "--header", `Authorization: Bearer ${token ?? ""}`];
  const options = { timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, HOME: home, NO_COLOR: "1" } };
  return await new Promise((resolve) => {
    execFile(process.execPath, [INSPECTOR, "--cli", ...args, ...target], options, (error, out, said) => {
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, error: said });
    });
  });
}
