/** Clusters of one, two and three members on one nats-server, and a host without one, for rows about clusters (SPEC CL8). */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { callOnCluster } from "../host/cluster/caller.ts";
import { type KeyList, type Link, openLink } from "../host/cluster/link.ts";
import { createHost, type Host } from "../host/mod.ts";
import type { Log } from "../host/platform/platform.ts";
import { createIdentities } from "../host/platform/bus/identities.ts";
import { currentPlatform } from "../host/platform/mod.ts";
import type { JsonObject } from "../manifests/mod.ts";
import { createNatsServer } from "../test/support/nats-server.ts";
import { mustBe } from "./measure.ts";
import { temporaryPlugins } from "./plugin-folder.ts";

export interface BenchMember {
  readonly server: string;
  readonly name: string;
  readonly seed: string;
  readonly folder: string;
  readonly clusters: readonly string[];
  readonly keys: { readonly members: KeyList; readonly callers: KeyList };
}

/** Subject of a member that answers with nothing. */
export const ANSWERED_EMPTY = "bench.empty";
/** Subject of the times when cancelled calls ended. */
export const ENDED = "bench.ended";

const MEMBER = fileURLToPath(new URL("./cluster-member.ts", import.meta.url));
const TOOLS = ["echo", "compute", "wait"] as const;
export type BenchTool = (typeof TOOLS)[number];

const SOURCE = `
export const echo = (args) => args;
export function compute(args) {
  let x = 1;
  for (let at = 0; at < args.turns; at++) x = (x * 48271) % 2147483647;
  return { x };
}
export async function wait(args) { await new Promise((resolve) => setTimeout(resolve, args.ms)); return args; }
`;

/** A log of each cancelled call would be part of what is measured. */
export const SILENT: Log = { write() {}, child: () => SILENT };

export interface BenchCluster extends AsyncDisposable {
  /** A host in this process, with the same plugin. */
  readonly host: Host;
  /** The connection to the cluster with this many members. */
  link(members: number): Link;
  /** Calls a tool on the cluster with this many members. @throws {Error} if it fails */
  call(members: number, tool: BenchTool, args: JsonObject, signal?: AbortSignal): Promise<unknown>;
  /** Calls it on the host. @throws {Error} if it fails */
  callHere(tool: BenchTool, args: JsonObject, signal?: AbortSignal): Promise<unknown>;
  /** An empty request of NATS, and its answer of a member's process. */
  request(): Promise<void>;
}

/** Comparable between processes. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

export async function startBenchCluster(mostMembers: number): Promise<BenchCluster> {
  const platform = currentPlatform({ log: { level: "error" } });
  const identities = createIdentities();
  const caller = identities.create();
  const project = await temporaryPlugins();
  await project.write("bench", SOURCE, TOOLS);
  const server = await createNatsServer();
  const host = await createHost({ plugins: `${project.path}/plugins`, workspace: project.path, config: false, logger: SILENT });
  const session = host.session({ concurrency: 256, queue: 256 });
  const listings = [...host.listEach({})];
  const digest = listings.flatMap((listing) => listing.digest ?? [])[0] ?? "";
  const qualifiedName = (tool: BenchTool): string => listings.find(({ name }) => name === `bench_${tool}`)?.qualifiedName ?? tool;
  const owners = Array.from({ length: mostMembers }, (_, at) => ({ name: `member ${at + 1}`, identity: identities.create() }));
  const members = Object.fromEntries(owners.map(({ name, identity }) => [name, identity.publicKey]));
  const clusterOf = (count: number): string => `bench${count}`;
  const children: ChildProcess[] = [];
  for (const [at, { name, identity }] of owners.entries()) {
    const settings: BenchMember = {
      ...{ server: server.url, name, seed: identity.seed, folder: project.path },
      // The first is in every cluster, the last only in the largest.
      clusters: Array.from({ length: mostMembers - at }, (_, above) => clusterOf(at + 1 + above)),
      keys: { members, callers: { bench: caller.publicKey } },
    };
    const child = spawn(process.execPath, [MEMBER, JSON.stringify(settings)], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    await Promise.race([once(child.stdout, "data"), once(child, "close")]);
  }
  const links = new Map<number, Link>();
  for (let count = 1; count <= mostMembers; count++) {
    const options = { buses: platform.buses, platform, identities, identity: caller, servers: [server.url], name: "bench" };
    links.set(count, await openLink({ ...options, cluster: clusterOf(count) }));
  }
  const onDefect = (message: string, error: unknown): void => void process.stderr.write(`${message}: ${String(error)}\n`);
  const linkOf = (count: number): Link => {
    const link = links.get(count);
    if (link === undefined) throw new Error(`No cluster has ${count} members`);
    return link;
  };
  const nothing = new Uint8Array();

  return {
    host,
    link: linkOf,
    async call(count, tool, args, signal = new AbortController().signal) {
      const end = await callOnCluster(
        {
          ...{
            callId: platform.random.uuidv7(),
            digest,
            tool: qualifiedName(tool),
            owner: "bench",
            timeoutMs: 30_000,
            resultBytes: 1_000_000,
          },
          ...{ args, argsBytes: new TextEncoder().encode(JSON.stringify(args)), signal },
          onProgress: () => undefined,
          onYield: async () => undefined,
        },
        { link: linkOf(count), slices: platform.slices, members: () => members, onDefect },
      );
      if (!end.ok) throw new Error(end.error.message);
      const result = JSON.parse(end.text) as { ok: boolean; output?: unknown; error?: { message: string } };
      if (!result.ok) throw new Error(result.error?.message ?? "The call failed");
      return result.output;
    },
    async callHere(tool, args, signal) {
      const result = await host.call(`bench_${tool}`, args, { session, ...(signal !== undefined && { signal }) });
      if (!result.ok) throw new Error(result.error.message);
      return result.output;
    },
    async request() {
      const { bytes } = await linkOf(1).bus.request(ANSWERED_EMPTY, nothing, { timeoutMs: 30_000 });
      mustBe(bytes.length, 0);
    },
    async [Symbol.asyncDispose]() {
      for (const link of links.values()) await link.close();
      for (const child of children) child.kill("SIGKILL");
      await host.close();
      await server.remove();
      await project[Symbol.asyncDispose]();
    },
  };
}
