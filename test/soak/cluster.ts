/**
 * A cluster of real processes under `kill -9`: a nats-server, three members and a service that counts effects by id. Calls are made all the time; members
 * and the server are killed at random, started again, and members are drained.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { MOST_RUNS } from "../../host/cluster/acceptance.ts";
import { type CallEnd, callOnCluster } from "../../host/cluster/caller.ts";
import { type Link, openLink } from "../../host/cluster/link.ts";
import { createIdentities } from "../../host/platform/bus/identities.ts";
import type { Identity } from "../../host/platform/bus/identity-types.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { createNatsServer, type NatsServer } from "../support/nats-server.ts";
import { DIGEST, MAY_REPEAT, type MemberSettings, ONCE } from "./cluster-work.ts";

export interface ClusterSoakOptions {
  readonly calls: number;
  readonly seed: number;
  /** Calls at a time. */
  readonly atOnce: number;
  /** Mean time between kills of members; the server is killed a tenth as often. */
  readonly killMs: number;
  readonly say?: (line: string) => void;
}

export interface ClusterSoakResult {
  readonly wrong: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

const MEMBER = fileURLToPath(new URL("./cluster-member.ts", import.meta.url));
const NAMES = ["alpha", "beta", "gamma"];
/** A call without an answer for this long has none. */
const UNANSWERED_MS = 60_000;
/** A drained member that lives longer is ended. */
const DRAINED_MS = 30_000;

export async function soakCluster(options: ClusterSoakOptions): Promise<ClusterSoakResult> {
  const world = await openWorld(options.seed);
  try {
    return await soak(world, options);
  } finally {
    await world.close();
  }
}

async function soak(world: World, { calls, atOnce, killMs, say = () => undefined }: ClusterSoakOptions): Promise<ClusterSoakResult> {
  const { random, effects } = world;
  const wrong: string[] = [];
  const counts: Record<string, number> = {};
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  let next = 0;

  async function killAtRandom(): Promise<void> {
    let sinceServer = 0;
    // Members count another one as dead only after they were connected for 8 seconds: the last calls end when the kills have ended.
    while (next < calls) {
      await pause(killMs * (0.5 + random()));
      sinceServer += 1;
      const drawn = random();
      if (sinceServer >= 4 && drawn < 0.3) {
        sinceServer = 0;
        count("server killed");
        await world.server.kill();
        await pause(1_000 * random());
        await world.server.start();
      } else if (drawn < 0.85) {
        count("member killed");
        await world.replace(NAMES[Math.floor(random() * NAMES.length)] ?? "", "SIGKILL");
      } else {
        count("member drained");
        await world.replace(NAMES[Math.floor(random() * NAMES.length)] ?? "", "SIGTERM");
      }
    }
  }

  async function callAll(): Promise<void> {
    while (next < calls) {
      const callId = `call-${next++}`;
      const tool = random() < 0.5 ? ONCE : MAY_REPEAT;
      const waitMs = random() < 0.1 ? Math.floor(random() * 500) : 0;
      // Some callers repeat a call while it runs.
      const ends = await Promise.all(Array.from({ length: random() < 0.05 ? 2 : 1 }, () => world.call(callId, tool, waitMs)));
      judge({
        callId,
        tool,
        ends,
        effects: effects.get(callId) ?? 0,
        wrong: (problem) => void wrong.push(`${callId} (${tool}): ${problem}`),
        count,
      });
      if (next % 5_000 === 0) say(`${next} calls, ${wrong.length} wrong, ${JSON.stringify(counts)}`);
    }
  }

  const killing = killAtRandom();
  await Promise.all(Array.from({ length: atOnce }, () => callAll()));
  await killing;
  // Runs that were under way may have acted after their call was lost.
  for (const [callId, times] of effects) {
    if (times > MOST_RUNS) wrong.push(`${callId}: ${times} effects`);
    else if (times > 1 && !world.repeatable.has(callId)) wrong.push(`${callId}: ${times} effects at the end`);
  }
  return { wrong, counts };
}

interface Judged {
  readonly callId: string;
  readonly tool: string;
  readonly ends: readonly (CallEnd | undefined)[];
  readonly effects: number;
  readonly wrong: (problem: string) => void;
  readonly count: (what: string) => void;
}

function judge({ callId, tool, ends, effects, wrong, count }: Judged): void {
  if (effects > (tool === ONCE ? 1 : MOST_RUNS)) wrong(`${effects} effects`);
  const texts = new Set(ends.flatMap((end) => (end?.ok === true ? [end.text] : [])));
  if (texts.size > 1) wrong(`more than one result: ${[...texts].join(", ")}`);
  for (const end of ends) {
    if (end === undefined) {
      wrong("no answer");
      continue;
    }
    const result = end.ok
      ? (JSON.parse(end.text) as { ok: boolean; output?: string; error?: Failure })
      : { ok: false, error: end.error as Failure };
    if (result.ok) {
      count("answered");
      if (result.output !== callId) wrong(`the result of another call: ${result.output ?? ""}`);
      if (effects === 0) wrong("a result without an effect");
    } else if (result.error?.details?.mayHaveHappened === true) {
      count("lost");
    } else {
      count(`${result.error?.code ?? "unknown"}`);
      if (effects > 0) wrong(`it happened, and its caller was told ${result.error?.code ?? ""}: ${result.error?.message ?? ""}`);
    }
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly mayHaveHappened?: boolean };
}

interface World {
  readonly random: () => number;
  readonly server: NatsServer;
  /** Effects by call. */
  readonly effects: ReadonlyMap<string, number>;
  /** Calls of a tool that may run again. */
  readonly repeatable: ReadonlySet<string>;
  /** Makes a call. @returns undefined if it gets no answer */
  call(callId: string, tool: string, waitMs: number): Promise<CallEnd | undefined>;
  /** Ends a member's process, and starts another one. */
  replace(name: string, signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  close(): Promise<void>;
}

async function openWorld(seed: number): Promise<World> {
  const random = createRandom(seed);
  const platform = currentPlatform({ log: { level: "error" } });
  const identities = createIdentities();
  const caller = identities.create();
  const owners = new Map<string, Identity>(NAMES.map((name) => [name, identities.create()]));
  const members = Object.fromEntries(Array.from(owners, ([name, { publicKey }]) => [name, publicKey]));
  const server = await createNatsServer();
  const counter = await startCounter();
  const processes = new Map<string, ChildProcess>();
  const repeatable = new Set<string>();

  async function startMember(name: string): Promise<void> {
    const identity = owners.get(name);
    const settings: MemberSettings = {
      ...{ server: server.url, name, seed: identity?.seed ?? "", effects: counter.url },
      keys: { members, callers: { harness: caller.publicKey } },
    };
    const child = spawn(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), MEMBER, JSON.stringify(settings)], {
      // An inherited pipe would outlive a harness that is killed.
      stdio: ["ignore", "pipe", "ignore"],
    });
    processes.set(name, child);
    await Promise.race([once(child.stdout, "data"), once(child, "close")]);
  }

  await Promise.all(NAMES.map(startMember));
  const link: Link = await openLink({
    ...{ buses: platform.buses, platform, identities, identity: caller },
    ...{ servers: [server.url], cluster: "soak", name: "harness" },
  });

  return {
    ...{ random, server, repeatable, effects: counter.effects },
    async call(callId, tool, waitMs) {
      if (tool === MAY_REPEAT) repeatable.add(callId);
      const args = { waitMs };
      const wanted = {
        ...{ callId, tool, args, digest: DIGEST, owner: "soak", timeoutMs: 120_000, resultBytes: 1_000_000 },
        ...{ argsBytes: new TextEncoder().encode(JSON.stringify(args)), signal: new AbortController().signal },
        onProgress: () => undefined,
        onYield: async () => undefined,
      };
      const onDefect = (message: string, error: unknown): void => void process.stderr.write(`${message}: ${String(error)}\n`);
      const ending = callOnCluster(wanted, { link, slices: platform.slices, members: () => members, onDefect });
      let timer: NodeJS.Timeout | undefined;
      const unanswered = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), UNANSWERED_MS);
      });
      return await Promise.race([ending, unanswered]).finally(() => clearTimeout(timer));
    },
    async replace(name, signal) {
      const child = processes.get(name);
      if (child !== undefined && child.exitCode === null && child.signalCode === null) {
        const closed = once(child, "close");
        child.kill(signal);
        const timer = setTimeout(() => child.kill("SIGKILL"), DRAINED_MS);
        await closed;
        clearTimeout(timer);
      }
      await startMember(name);
    },
    async close() {
      for (const child of processes.values()) child.kill("SIGKILL");
      await link.close();
      await server.remove();
      await counter.close();
    },
  };
}

/** A service whose effects can be counted. */
async function startCounter(): Promise<{ readonly url: string; readonly effects: Map<string, number>; close(): Promise<void> }> {
  const effects = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = request.url?.slice(1) ?? "";
    effects.set(id, (effects.get(id) ?? 0) + 1);
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The service has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    effects,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Lehmer's generator. */
function createRandom(seed: number): () => number {
  let state = (Math.abs(seed) % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
