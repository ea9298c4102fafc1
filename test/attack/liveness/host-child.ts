/** The process of a host under test: starts it by the library, plays one case against it, and writes the results. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost, type HostOptions } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { callerOf } from "./callers.ts";
import { CANARY, canariesOf, canaryGrant } from "./canaries.ts";
import { findCase, type World } from "./cases.ts";
import { type Mode, MODES, type ModeName } from "./modes.ts";
import { HOSTILE, toolsOf } from "./plugins.ts";
import { type Attack, type Pace, lanesOf, play } from "./rounds.ts";

/** Written by `run-case.ts`. */
export interface Plan {
  readonly case: string;
  readonly mode: ModeName;
  readonly folder: string;
  readonly url: string;
  readonly pace: Pace;
  readonly report: string;
}

// Written by the suite itself.
const plan = JSON.parse(await readFile(process.argv[2] ?? "", "utf8")) as Plan;
const { folder, url, pace } = plan;
const wanted = findCase(plan.case);
const host = await createHost(optionsFor(MODES[plan.mode]));
const ends = new Map<string, number>();
const session = host.session({ concurrency: 256 });
const env: World = { host, session, folder, url, ends, main: wanted.main };
const tools = toolsOf(wanted.main).map((tool) => `${HOSTILE}.${tool}`);
const lanes = (of: readonly string[]): Attack =>
  lanesOf(callerOf(host, { session }), {
    tools: of,
    args: { url, ...wanted.args },
    ends,
    ...(wanted.lanes !== undefined && { lanes: wanted.lanes }),
  });
const attacks = new Map(
  wanted.each === true
    ? tools.map((tool) => [tool, lanes([tool])])
    : [["", wanted.attack === undefined ? lanes(tools) : await wanted.attack(env)]],
);
const canary = callerOf(host, { session: host.session({ concurrency: 16 }) });
const canaries = canariesOf(wanted, url, pace);
const played = await play(canary, canaries, attacks, { pace, ends });
await writeFile(plan.report, JSON.stringify(played));
process.exit(0);

function optionsFor({ isolation, engine }: Mode): HostOptions {
  const platform = currentPlatform();
  const limits = wanted.limits === undefined ? [] : [{ plugin: HOSTILE, limits: wanted.limits }];
  return {
    platform: engine === "plain" ? { ...platform, workers: { ...platform.workers, engine } } : platform,
    isolation,
    config: { policy: { rules: [{ pattern: "*", confirm: "auto" }, ...limits] } },
    plugins: [join(folder, "plugins")],
    workspace: join(folder, "workspace"),
    events: { store: true },
    undo: true,
    grants: { [CANARY]: canaryGrant(url), [HOSTILE]: hostileGrant() },
  };
}

function hostileGrant(): NonNullable<HostOptions["grants"]>[string] {
  const { net, ...grants } = wanted.grants ?? {};
  return { ...grants, ...(net !== undefined && { net: [new URL(url).host] }) };
}
