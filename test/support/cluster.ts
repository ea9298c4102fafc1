/** A cluster in memory: members and callers on one bus, with a clock that the test moves. */

import type { RunCall } from "../../host/cluster/accepted-call.ts";
import { type CallEnd, callOnCluster } from "../../host/cluster/caller.ts";
import type { WantedCall } from "../../host/cluster/call-inbox.ts";
import { type Link, openLink } from "../../host/cluster/link.ts";
import { ClusterMember } from "../../host/cluster/member.ts";
import { createIdentities } from "../../host/platform/bus/identities.ts";
import type { Identities, Identity } from "../../host/platform/bus/identity-types.ts";
import { createMemoryBusServer, type MemoryBusServer, type MemoryPacket } from "../../host/platform/memory/memory-bus.ts";
import { createMemoryPlatform, type MemoryPlatform } from "../../host/platform/mod.ts";

export const DIGEST: string = "d".repeat(64);

const STEP_MS = 50;
const TURNS = 20_000;

interface Host {
  readonly name: string;
  readonly identity: Identity;
  readonly link: Link;
}

interface TestMember extends Host {
  readonly member: ClusterMember;
}

interface MemberChoices {
  readonly isIdempotent?: boolean;
  /** Whether it is in the list of members. Default: true. */
  readonly isListed?: boolean;
}

export interface TestCluster {
  readonly platform: MemoryPlatform;
  readonly identities: Identities;
  readonly server: MemoryBusServer;
  /** Public keys by name; a test may change them. */
  readonly members: Record<string, string>;
  readonly callers: Record<string, string>;
  readonly defects: readonly string[];
  /** Runs the event loop and the clock until the promise settles. */
  settle<T>(promise: Promise<T>): Promise<T>;
  /** Runs the event loop until the condition holds. */
  until(isSo: () => boolean): Promise<void>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  open(name: string, list: Record<string, string> | undefined): Promise<Host>;
  member(name: string, run: RunCall, options?: MemberChoices): Promise<TestMember>;
  caller(name: string): Promise<Host>;
  call(host: Host, wanted?: Partial<WantedCall>): Promise<CallEnd>;
}

/** @param network see `createMemoryBusServer` */
export function createTestCluster(
  network?: (packet: MemoryPacket) => void,
  platform: MemoryPlatform = createMemoryPlatform(),
): TestCluster {
  const identities = createIdentities();
  const server = createMemoryBusServer(platform.clock, network);
  const members: Record<string, string> = {};
  const callers: Record<string, string> = {};
  const defects: string[] = [];
  const onDefect = (message: string): void => void defects.push(message);

  async function open(name: string, list: Record<string, string> | undefined): Promise<Host> {
    const identity = identities.create();
    if (list !== undefined) list[name] = identity.publicKey;
    const link = await openLink({ buses: server.buses, platform, identities, identity, servers: ["nats://memory"], cluster: "test", name });
    return { name, identity, link };
  }

  async function settle<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const end = (): void => {
      isSettled = true;
    };
    promise.then(end, end);
    for (let turns = 0; turns < 5_000; turns++) {
      for (let quiet = 0; quiet < 20; quiet++) await new Promise((resolve) => setImmediate(resolve));
      if (isSettled) return await promise;
      platform.advance(STEP_MS);
    }
    throw new Error("The promise does not settle");
  }

  async function until(isSo: () => boolean): Promise<void> {
    for (let turns = 0; !isSo(); turns++) {
      if (turns === TURNS) throw new Error("The condition does not come about");
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    ...{ platform, identities, server, members, callers, defects, settle, until, open },
    pass: (ms) => settle(new Promise<void>((resolve) => platform.clock.after(ms, resolve))),
    async member(name, run, options = {}) {
      const host = await open(name, options.isListed === false ? undefined : members);
      const member = new ClusterMember({
        ...{ link: host.link, slices: platform.slices, keys: () => ({ members, callers }), run, onDefect },
        find: (digest, tool) => (digest === DIGEST && tool === "demo.work" ? { isIdempotent: options.isIdempotent ?? false } : undefined),
        facts: () => ({ version: "1", digests: [DIGEST], calls: member.calls, policy: "p" }),
      });
      await settle(member.start());
      member.hold(new Set([DIGEST]));
      return { ...host, member };
    },
    caller: (name) => open(name, callers),
    call({ link }, wanted = {}) {
      const { args = { n: 1 } } = wanted;
      return callOnCluster(
        {
          ...{ callId: "call-0001", digest: DIGEST, tool: "demo.work", owner: "me", timeoutMs: 60_000, resultBytes: 16 * 1024 * 1024 },
          ...{ args, argsBytes: new TextEncoder().encode(JSON.stringify(args)), signal: new AbortController().signal },
          onProgress: () => undefined,
          onYield: async () => undefined,
          ...wanted,
        },
        { link, slices: platform.slices, members: () => members, onDefect },
      );
    },
  };
}

/** A result as a host gives it. */
export function resultOf(output: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ ok: true, output }));
}
