import { describe, expect, it } from "vitest";
import { headOf, type JournalHead, shareHeads } from "../../../host/cluster/heads.ts";
import { sealEnvelope } from "../../../host/cluster/envelope.ts";
import { createTestCluster } from "../../support/cluster.ts";

const headAt = (number: number, digit: string): JournalHead => ({ number, seal: digit.repeat(64) });

describe("shareHeads()", () => {
  it("keeps what the others have seen of a journal that lost its end [CL5.tail]", async () => {
    const cluster = createTestCluster();
    const [alpha, beta] = [await cluster.open("alpha", cluster.members), await cluster.open("beta", cluster.members)];
    const senders = (): ReadonlyMap<string, string> => new Map(Object.entries(cluster.members).map(([name, key]) => [key, name]));
    const warned: string[] = [];
    const onDefect = (message: string): void => void warned.push(message);
    let own: JournalHead | undefined = headAt(7, "a");
    const share = (link: typeof alpha.link, read: () => Promise<JournalHead | undefined>): Promise<() => Promise<void>> =>
      cluster.settle(shareHeads({ link, senders, own: read, onDefect }));
    const stops = [await share(alpha.link, async () => own), await share(beta.link, async () => undefined)];
    const seen = async (): Promise<unknown> => await cluster.settle(headOf(beta.link, alpha.identity.publicKey, senders()));
    await cluster.pass(3_000);
    expect(await seen()).toMatchObject({ number: 7, seal: "a".repeat(64) });

    // The journal lost its end, and its member publishes the older row.
    own = headAt(5, "b");
    await cluster.pass(3_000);
    expect(warned).toEqual(['The journal of the member "alpha" had row 7, and does not have it any more (bascule audit verify there)']);
    expect(await seen()).toEqual({ ...headAt(7, "a"), by: "beta" });

    // A member that starts again remembers what it has seen.
    await cluster.settle(stops[1]?.() ?? Promise.resolve());
    stops[1] = await share(beta.link, async () => undefined);
    await cluster.pass(3_000);
    expect(await seen()).toEqual({ ...headAt(7, "a"), by: "beta" });
    await cluster.settle(Promise.all(stops.map((stop) => stop())));
  });

  it("believes no member about the journals of others, except what it has seen itself [CL5.own]", async () => {
    const cluster = createTestCluster();
    const [alpha, beta] = [await cluster.open("alpha", cluster.members), await cluster.open("beta", cluster.members)];
    const stranger = await cluster.open("stranger", undefined);
    const senders = (): ReadonlyMap<string, string> => new Map(Object.entries(cluster.members).map(([name, key]) => [key, name]));
    const stop = await cluster.settle(
      shareHeads({ link: alpha.link, senders, own: async () => headAt(3, "a"), onDefect: () => undefined }),
    );
    await cluster.pass(2_000);
    const bucket = await cluster.settle(beta.link.bus.values("bascule-test-heads", { ttlMs: 0, maxBytes: 1_000_000 }));
    const key = alpha.identity.publicKey;
    const forged = new TextEncoder().encode(JSON.stringify({ [key]: headAt(99, "f") }));
    for (const { identity } of [beta, stranger])
      await cluster.settle(bucket.put(`heads.${key}`, sealEnvelope(identity, `bascule.test.heads.${key}`, { kind: "heads" }, forged)));
    await cluster.pass(3_000);
    expect(await cluster.settle(headOf(beta.link, key, senders()))).toBeUndefined();
    await cluster.settle(stop());
  });
});
