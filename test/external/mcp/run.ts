/**
 * `npm run external -- mcp`: runs the official conformance suite of MCP against a real bascule server whose tools are a plugin in
 * the sandbox (`plugins/`). Each check that fails, warns or is skipped must be listed in `not-applicable.json` with its reason; a
 * listed check that passes must be removed from it.
 */

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHttpDoor } from "../../../host/doors/http/door.ts";
import { createMcpHandler } from "../../../host/doors/mcp/mod.ts";
import { createHost, type Host } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { DEFAULT_PROJECT } from "../../../manifests/mod.ts";
import { ASKING_TOOLS } from "./asking-tools.ts";
import { FIXTURE_PROMPTS, FIXTURE_RESOURCES, reconnection, SCHEMA_TOOLS, triggerToolChange } from "./fixtures.ts";

/** Revisions that the suite has requirements for. */
const REVISIONS = ["2026-07-28", "2025-11-25"] as const;
const SUITE = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url));
const TIMEOUT_MS = 120_000;
/** Longer than any call of the suite that must not be interrupted. */
const POLL_AFTER_MS = 2_000;

/** One check of a scenario: the worst outcome of its id. */
export interface Check {
  readonly scenario: string;
  readonly id: string;
  readonly status: "SUCCESS" | "INFO" | "SKIPPED" | "WARNING" | "FAILURE";
  readonly message: string;
}

/** Outcome of one revision. */
export interface RevisionOutcome {
  readonly revision: string;
  readonly scenarios: readonly string[];
  readonly checks: readonly Check[];
  /** Counts as the suite reports them: each check, as often as it was made. */
  readonly passed: number;
  readonly failed: number;
  readonly output: string;
}

/** Problems of a run; empty if it matches `not-applicable.json`. */
export interface Verdict {
  readonly unexpected: readonly string[];
  readonly stale: readonly string[];
}

/** Runs everything and prints the outcome. */
export async function runMcpConformance(print: (line: string) => void): Promise<number> {
  const excused = await readExcused();
  const outcomes = await runRevisions();
  const { unexpected, stale } = judge(outcomes, excused);
  for (const { revision, passed, failed } of outcomes)
    print(`mcp ${revision}: ${String(passed)} of ${String(passed + failed)} checks passed`);
  for (const line of unexpected) print(`  ✗ ${line}`);
  for (const name of stale) print(`  passes now, take it out of not-applicable.json: ${name}`);
  for (const [name, reason] of excused) print(`  does not apply: ${name}: ${reason}`);
  return unexpected.length + stale.length > 0 ? 1 : 0;
}

/** Accepted failures with their reasons, as `revision scenario:check`. */
export async function readExcused(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL("not-applicable.json", import.meta.url), "utf8");
  const byReason = JSON.parse(text) as Readonly<Record<string, readonly string[]>>;
  return new Map(Object.entries(byReason).flatMap(([reason, names]) => names.map((name): [string, string] => [name, reason])));
}

/** Warnings, skipped checks and scenarios without checks count as failures too. */
export function judge(outcomes: readonly RevisionOutcome[], excused: ReadonlyMap<string, string>): Verdict {
  const wrong = new Map<string, string>();
  for (const { revision, scenarios, checks, output } of outcomes) {
    if (checks.length === 0) wrong.set(`${revision} did not run`, output.slice(0, 500));
    for (const { scenario, id, status, message } of checks)
      if (status !== "SUCCESS" && status !== "INFO") wrong.set(`${revision} ${scenario}:${id}`, `${status}: ${message.slice(0, 300)}`);
    for (const scenario of scenarios)
      if (!checks.some((check) => check.scenario === scenario && check.status !== "INFO"))
        wrong.set(`${revision} ${scenario}`, "nothing was checked");
  }
  return {
    unexpected: [...wrong].filter(([name]) => !excused.has(name)).map(([name, why]) => `${name} (${why})`),
    stale: [...excused.keys()].filter((name) => !wrong.has(name)),
  };
}

/** One server for all revisions, as clients of any revision would use it. */
export async function runRevisions(revisions: readonly string[] = REVISIONS): Promise<readonly RevisionOutcome[]> {
  const platform = currentPlatform({ log: { level: "error" } });
  const started: { host?: Host } = {};
  const { tool: reconnecting, cameBack } = reconnection();
  const host = await createHost({
    platform,
    plugins: fileURLToPath(new URL("plugins", import.meta.url)),
    config: {},
    events: { store: false },
    tools: [
      ...ASKING_TOOLS,
      ...SCHEMA_TOOLS,
      reconnecting,
      triggerToolChange(() => {
        if (started.host === undefined) throw new Error("The host has not started");
        return started.host;
      }),
    ],
  });
  started.host = host;
  const handler = createMcpHandler({
    ...{ host, platform, resources: [FIXTURE_RESOURCES], prompts: FIXTURE_PROMPTS },
    pollAfterMs: POLL_AFTER_MS,
  });
  // The suite sends no token; the door's other checks apply.
  const { path, fetch } = handler;
  const door = createHttpDoor({
    platform,
    server: DEFAULT_PROJECT.server,
    tokens: { identify: () => Promise.resolve(undefined) },
    endpoints: [],
    api: {},
    mounts: [
      {
        path,
        fetch(request) {
          if (request.headers.has("last-event-id")) cameBack();
          return fetch(request);
        },
      },
    ],
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
  const folder = await mkdtemp(join(tmpdir(), "bascule-mcp-"));
  const args = [SUITE, "server", "--url", url, "--requirements", revision, "--output-dir", folder];
  const options = { timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NO_COLOR: "1" } };
  try {
    const output = await new Promise<string>((resolve) => {
      // Reads the output, because the exit code ignores scenarios that are not scored.
      execFile(process.execPath, args, options, (_error, stdout, stderr) => resolve(`${stdout}\n${stderr}`));
    });
    return { revision, ...(await readResults(folder)), output };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const SEVERITY: readonly Check["status"][] = ["INFO", "SUCCESS", "SKIPPED", "WARNING", "FAILURE"];

/** A folder for each scenario that ran, scored or not: `server-NAME-TIME`. */
async function readResults(folder: string): Promise<Omit<RevisionOutcome, "revision" | "output">> {
  const scenarios: string[] = [];
  const checks = new Map<string, Check>();
  const count = { SUCCESS: 0, FAILURE: 0 };
  for (const name of (await readdir(folder)).toSorted()) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT.*$/u.exec(name)?.[1] ?? name;
    scenarios.push(scenario);
    const made = JSON.parse(await readFile(join(folder, name, "checks.json"), "utf8")) as readonly {
      readonly id: string;
      readonly status: Check["status"];
      readonly errorMessage?: string;
    }[];
    for (const { id, status, errorMessage: message = "" } of made) {
      if (status === "SUCCESS" || status === "FAILURE") count[status] += 1;
      const known = checks.get(`${scenario}:${id}`);
      if (known === undefined || SEVERITY.indexOf(status) > SEVERITY.indexOf(known.status))
        checks.set(`${scenario}:${id}`, { scenario, id, status, message });
    }
  }
  return { scenarios, checks: [...checks.values()], passed: count.SUCCESS, failed: count.FAILURE };
}
