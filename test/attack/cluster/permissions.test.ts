import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { callOnCluster } from "../../../host/cluster/caller.ts";
import { seenMembers } from "../../../host/cluster/heartbeat.ts";
import { type Link, openLink, sendersOf } from "../../../host/cluster/link.ts";
import { ClusterMember } from "../../../host/cluster/member.ts";
import { createIdentities } from "../../../host/platform/bus/identities.ts";
import type { Identity } from "../../../host/platform/bus/identity-types.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { DIGEST, resultOf } from "../../support/cluster.ts";
import { HAS_NATS, NATS_TITLE, startNatsServer } from "../../support/nats-server.ts";

/** Subjects that docs/cluster.md tells to allow. */
function documented(): readonly string[] {
  const [, list = ""] = /Allow each host (.+) only\./.exec(readFileSync("docs/cluster.md", "utf8")) ?? [];
  return Array.from(list.matchAll(/`([^`]+)`/g), ([, subject = ""]) => subject.replace("<cluster>", "test"));
}

it.runIf(HAS_NATS)(
  `runs with the permissions that the documentation names, on ${NATS_TITLE} [CL6.permissions]`,
  { timeout: 60_000 },
  async () => {
    const platform = currentPlatform({ log: { level: "error" } });
    const identities = createIdentities();
    const [alpha, web, stranger] = [identities.create(), identities.create(), identities.create()];
    const subjects = JSON.stringify(documented());
    const allow = `{ publish: ${subjects}, subscribe: ${subjects} }`;
    const users = [alpha, web].map(({ publicKey }) => `{ nkey: ${publicKey}, permissions: ${allow} }`);
    const server = await startNatsServer({ config: `authorization { users: [${users.join(", ")}] }` });
    const open = (identity: Identity, name: string): Promise<Link> =>
      openLink({ buses: platform.buses, platform, identities, identity, servers: [server.url], cluster: "test", name, connectMs: 2_000 });
    await expect(open(stranger, "stranger")).rejects.toThrow("does not know this host's key");

    const [link, own] = [await open(alpha, "alpha"), await open(web, "web")];
    const keys = { members: { alpha: alpha.publicKey }, callers: { web: web.publicKey } };
    const facts = { version: "1", digests: [DIGEST], calls: 0, policy: "p" };
    const defects: string[] = [];
    const member = new ClusterMember({
      ...{ link, slices: platform.slices, keys: () => keys, facts: () => facts, find: () => ({ isIdempotent: false }) },
      run: async ({ args, onYield }) => {
        await onYield(args);
        return resultOf(args);
      },
      onDefect: (message) => void defects.push(message),
    });
    await member.start();
    member.hold(new Set([DIGEST]));
    await link.bus.roundTrip();
    const args = { large: "x".repeat(2_000_000) };
    const yields: unknown[] = [];
    const end = await callOnCluster(
      {
        ...{ callId: "call-0001", digest: DIGEST, tool: "demo.work", owner: "me", timeoutMs: 60_000, resultBytes: 16 * 1024 * 1024, args },
        ...{ argsBytes: new TextEncoder().encode(JSON.stringify(args)), signal: new AbortController().signal, onProgress: () => undefined },
        onYield: async (value) => void yields.push(value),
      },
      { link: own, slices: platform.slices, members: () => keys.members, onDefect: (message) => void defects.push(message) },
    );
    expect(end).toEqual({ ok: true, text: JSON.stringify({ ok: true, output: args }) });
    expect(yields).toEqual([args]);
    expect(await seenMembers(own, sendersOf(keys.members))).toMatchObject({ members: [{ name: "alpha" }], problems: [] });
    await member.close();
    await Promise.all([link.close(), own.close()]);
    expect(defects).toEqual([]);
  },
);
