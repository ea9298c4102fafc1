import { describe, expect, it } from "vitest";
import { callOnCluster } from "../../../host/cluster/caller.ts";
import type { RunCall } from "../../../host/cluster/accepted-call.ts";
import { type Link, openLink } from "../../../host/cluster/link.ts";
import { ClusterMember } from "../../../host/cluster/member.ts";
import { createIdentities } from "../../../host/platform/bus/identities.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { DIGEST, resultOf } from "../../support/cluster.ts";
import { HAS_NATS, NATS_TITLE, startNatsServer } from "../../support/nats-server.ts";

const platform = currentPlatform({ log: { level: "error" } });

async function openCluster(url: string, run: RunCall) {
  const identities = createIdentities();
  const keys = { members: {} as Record<string, string>, callers: {} as Record<string, string> };
  const open = async (name: string, list: Record<string, string>): Promise<Link> => {
    const identity = identities.create();
    list[name] = identity.publicKey;
    return await openLink({ buses: platform.buses, platform, identities, identity, servers: [url], cluster: "test", name });
  };
  const members: { readonly member: ClusterMember; readonly link: Link }[] = [];
  async function join(name: string): Promise<void> {
    const link = await open(name, keys.members);
    const facts = { version: "1", digests: [DIGEST], calls: 0, policy: "p" };
    const parts = { link, slices: platform.slices, keys: () => keys, run, facts: () => facts, onDefect: () => undefined };
    const member = new ClusterMember({ ...parts, find: () => ({ isIdempotent: false }) });
    await member.start();
    member.hold(new Set([DIGEST]));
    await link.bus.roundTrip();
    members.push({ member, link });
  }
  for (const name of ["alpha", "beta"]) await join(name);
  const link = await open("web", keys.callers);
  return {
    join,
    /** Stops the oldest member as SIGTERM does. */
    async leave(): Promise<void> {
      const [oldest] = members.splice(0, 1);
      await oldest?.member.drain(30_000);
      await oldest?.member.close();
      await oldest?.link.close();
    },
    call: (callId: string, signal = new AbortController().signal) =>
      callOnCluster(
        {
          ...{ callId, digest: DIGEST, tool: "demo.work", owner: "me", timeoutMs: 60_000, resultBytes: 1024 * 1024, signal },
          ...{ args: {}, argsBytes: new TextEncoder().encode("{}"), onProgress: () => undefined, onYield: async () => undefined },
        },
        { link, slices: platform.slices, members: () => keys.members, onDefect: () => undefined },
      ),
    async [Symbol.asyncDispose]() {
      await Promise.all([...members.map(({ member }) => member.close())]);
      await Promise.all([link.close(), ...members.map((one) => one.link.close())]);
    },
  };
}

describe.runIf(HAS_NATS)(`a cluster, on ${NATS_TITLE}`, { timeout: 120_000 }, () => {
  it("keeps an accepted call while its server is killed and starts again [CL6.restart]", async () => {
    const server = await startNatsServer();
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<Uint8Array>();
    let runs = 0;
    await using cluster = await openCluster(server.url, ({ callId }) => {
      runs += 1;
      begun.resolve();
      return callId === "call-0001" ? finish.promise : Promise.resolve(resultOf(callId));
    });
    const calling = cluster.call("call-0001");
    await begun.promise;
    await server.kill();
    finish.resolve(resultOf("kept"));
    await server.start();
    expect(await calling).toEqual({ ok: true, text: '{"ok":true,"output":"kept"}' });
    expect(await cluster.call("call-0002")).toEqual({ ok: true, text: '{"ok":true,"output":"call-0002"}' });
    expect(runs).toBe(2);
  });

  it("replaces every member without a failed call [CL7.rolling]", async () => {
    const server = await startNatsServer();
    const runs: string[] = [];
    await using cluster = await openCluster(server.url, async ({ callId }) => {
      runs.push(callId);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return resultOf(callId);
    });
    let isOver = false;
    const failed: unknown[] = [];
    const caller = async (name: string): Promise<number> => {
      let calls = 0;
      for (; !isOver; calls++) {
        const end = await cluster.call(`${name}-${calls}`);
        if (!end.ok) failed.push(end.error);
      }
      return calls;
    };
    const calling = Promise.all(["a", "b", "c", "d"].map(caller));
    for (const name of ["gamma", "delta", "epsilon"]) {
      await cluster.join(name);
      await cluster.leave();
    }
    isOver = true;
    const calls = (await calling).reduce((sum, one) => sum + one, 0);
    expect({ failed, runs: runs.length, isSome: calls > 4 }).toEqual({ failed: [], runs: calls, isSome: true });
  });

  it("runs many calls at once, each once [CL2.many]", async () => {
    const server = await startNatsServer();
    const runs: string[] = [];
    await using cluster = await openCluster(server.url, async ({ callId }) => {
      runs.push(callId);
      return resultOf(callId);
    });
    const ids = Array.from({ length: 300 }, (_, index) => `call-${index}`);
    const ends = await Promise.all([...ids, ...ids].map((id) => cluster.call(id)));
    expect(ends.map((end) => (end.ok ? end.text : end.error.message))).toEqual(
      [...ids, ...ids].map((id) => `{"ok":true,"output":"${id}"}`),
    );
    expect(runs.toSorted()).toEqual(ids.toSorted());
  });
});
