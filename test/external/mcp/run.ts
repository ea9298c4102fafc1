/**
 * `npm run external -- mcp`: the official conformance suite of MCP against a real server of ours, whose tools are a plugin in
 * the sandbox (`plugins/`). Whatever fails must be named in `not-applicable.json`, with the reason; what is named and
 * passes must be taken out of there.
 */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createHttpDoor } from "../../../host/doors/http/door.ts";
import { createMcpHandler } from "../../../host/doors/mcp/mod.ts";
import { createHost, type Host } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { DEFAULT_PROJECT } from "../../../manifests/mod.ts";
import { ASKING_TOOLS } from "./asking-tools.ts";
import { FIXTURE_PROMPTS, FIXTURE_RESOURCES, triggerToolChange } from "./fixtures.ts";

/** The revisions that the suite has requirements for. */
const REVISIONS = ["2026-07-28", "2025-11-25"] as const;
const SUITE = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url));
const TIMEOUT_MS = 120_000;

/** What came of one revision. */
export interface RevisionOutcome {
  readonly revision: string;
  /** Scenarios of which every check passed, and those of which some did not: `name: 1 passed, 2 failed`. */
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly output: string;
}

/** What is wrong with a run: empty if all is as `not-applicable.json` says. */
export interface Verdict {
  readonly unexpected: readonly string[];
  readonly stale: readonly string[];
}

/** Runs everything and says what came of it. */
export async function runMcpConformance(print: (line: string) => void): Promise<number> {
  const excused = await readExcused();
  const outcomes = await runRevisions();
  const { unexpected, stale } = judge(outcomes, excused);
  for (const { revision, passed, failed } of outcomes)
    print(`mcp ${revision}: ${String(passed.length)} scenarios passed, ${String(failed.length)} did not`);
  for (const line of unexpected) print(`  ✗ ${line}`);
  for (const name of stale) print(`  passes now, take it out of not-applicable.json: ${name}`);
  for (const [name, reason] of Object.entries(excused)) print(`  does not apply: ${name}: ${reason}`);
  return unexpected.length + stale.length > 0 ? 1 : 0;
}

/** Scenarios that we do not pass, by `revision scenario`, and why. */
export async function readExcused(): Promise<Readonly<Record<string, string>>> {
  return JSON.parse(await readFile(new URL("not-applicable.json", import.meta.url), "utf8")) as Readonly<Record<string, string>>;
}

/** A revision of which nothing passed was not run at all. */
export function judge(outcomes: readonly RevisionOutcome[], excused: Readonly<Record<string, string>>): Verdict {
  const failed = new Map(
    outcomes.flatMap((outcome) => outcome.failed.map((line) => [`${outcome.revision} ${line.split(":")[0] ?? ""}`, line])),
  );
  const unrun = outcomes
    .filter(({ passed }) => passed.length === 0)
    .map(({ revision, output }) => `${revision} did not run: ${output.slice(0, 500)}`);
  return {
    unexpected: [...unrun, ...[...failed].filter(([name]) => excused[name] === undefined).map(([name, line]) => `${name} (${line})`)],
    stale: Object.keys(excused).filter((name) => !failed.has(name)),
  };
}

/** One server, all revisions: as a client of an older one and one of the newest would meet it. */
export async function runRevisions(revisions: readonly string[] = REVISIONS): Promise<readonly RevisionOutcome[]> {
  const platform = currentPlatform({ log: { level: "error" } });
  const started: { host?: Host } = {};
  const host = await createHost({
    platform,
    plugins: fileURLToPath(new URL("plugins", import.meta.url)),
    config: {},
    events: { store: false },
    tools: [
      ...ASKING_TOOLS,
      triggerToolChange(() => {
        if (started.host === undefined) throw new Error("The host has not started");
        return started.host;
      }),
    ],
  });
  started.host = host;
  const handler = createMcpHandler({ host, platform, resources: [FIXTURE_RESOURCES], prompts: FIXTURE_PROMPTS });
  // The suite has no token to send; what else stands before the door is in force.
  const { path, fetch } = handler;
  const door = createHttpDoor({
    platform,
    server: DEFAULT_PROJECT.server,
    tokens: { identify: () => Promise.resolve(undefined) },
    endpoints: [],
    api: {},
    mounts: [{ path, fetch: (request) => fetch(request) }],
  });
  const defects: unknown[] = [];
  const server = await platform.http.serve({ fetch: door.fetch, host: "127.0.0.1", port: 0, onDefect: (error) => defects.push(error) });
  try {
    const outcomes: RevisionOutcome[] = [];
    for (const revision of revisions) outcomes.push(await runRevision(revision, `http://127.0.0.1:${String(server.port)}/mcp`));
    if (defects.length > 0) throw new Error(`Answers failed: ${defects.map(String).join("; ")}`);
    return outcomes;
  } finally {
    await handler.close();
    await server.close(0);
    await host.close();
  }
}

async function runRevision(revision: string, url: string): Promise<RevisionOutcome> {
  const args = [SUITE, "server", "--url", url, "--requirements", revision];
  const options = { timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NO_COLOR: "1" } };
  const output = await new Promise<string>((resolve) => {
    // How it exits says less than what it prints: scenarios that are not scored count for nothing there.
    execFile(process.execPath, args, options, (_error, stdout, stderr) => resolve(`${stdout}\n${stderr}`));
  });
  return { revision, ...readOutput(output), output };
}

/** The lines of the summary: every scenario that ran, whether it is scored or not. */
function readOutput(output: string): Pick<RevisionOutcome, "passed" | "failed"> {
  const lines = [...output.matchAll(/^([✓✗]) ([\w-]+: \d+ passed, \d+ failed)$/gmu)];
  const marked = (mark: string): readonly string[] => lines.flatMap(([, own, line]) => (own === mark && line !== undefined ? [line] : []));
  return { passed: marked("✓"), failed: marked("✗") };
}
