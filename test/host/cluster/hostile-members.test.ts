import { describe, expect, it } from "vitest";
import type { ToolErrorData } from "../../../host/call/errors.ts";
import { sealEnvelope } from "../../../host/cluster/envelope.ts";
import { createFrameReader } from "../../../host/cluster/frame-reader.ts";
import { seenMembers } from "../../../host/cluster/heartbeat.ts";
import { beatKey, memberSubject } from "../../../host/cluster/names.ts";
import { BusError, type BusErrorCode } from "../../../host/platform/bus/bus-types.ts";
import { createTestCluster } from "../../support/cluster.ts";

describe("a listed member", () => {
  it("shows no control characters on the terminals of others [CL6.heartbeat]", async () => {
    const cluster = createTestCluster();
    const { link, identity } = await cluster.open("alpha", cluster.members);
    const beat = async (version: string): Promise<Awaited<ReturnType<typeof seenMembers>>> => {
      const header = { kind: "beat", incarnation: "one", at: 0, version, calls: 0, policy: "" };
      const bytes = sealEnvelope(identity, memberSubject(link.cluster, "one"), header, new TextEncoder().encode("[]"));
      await (await link.members()).put(beatKey("one"), bytes);
      return await seenMembers(link, new Map([[identity.publicKey, "alpha"]]));
    };
    const [good, bad] = await cluster.settle((async () => [await beat("0.1.0-rc.1+5"), await beat("1\u001b[2J")] as const)());
    expect(good).toMatchObject({ members: [{ name: "alpha", version: "0.1.0-rc.1+5" }], problems: [] });
    expect(bad).toEqual({ members: [], problems: ["The heartbeat of the member one cannot be used: it is malformed"] });
  });

  it("sends a value that is missing: the call says so, and names no limit [CL3.missing]", async () => {
    const failing = async (code: BusErrorCode): Promise<{ readonly errors: readonly string[]; readonly reasons: readonly string[] }> => {
      const [errors, reasons]: [string[], string[]] = [[], []];
      const reader = createFrameReader({
        key: "a".repeat(64),
        values: {
          carry: () => expect.unreachable(),
          drop: () => expect.unreachable(),
          fetch: () => Promise.reject(new BusError(code, "gone")),
        },
        onProgress: () => expect.unreachable(),
        onYield: () => expect.unreachable(),
        onTaken: () => expect.unreachable(),
        onGap: () => expect.unreachable(),
        onError: ({ code: error }: ToolErrorData) => void errors.push(error),
        onUnusable: (reason) => void reasons.push(reason),
      });
      const large = { name: "v", bytes: 1_000_000, sha256: "0".repeat(64) };
      reader.add({ header: { kind: "progress", key: "a".repeat(64), number: 1, at: 0, large }, payload: new Uint8Array() });
      await reader.idle();
      return { errors, reasons };
    };
    expect(await failing("refused")).toEqual({ errors: [], reasons: ["gone"] });
    expect(await failing("too_large")).toEqual({ errors: ["resource_exhausted"], reasons: [] });
  });
});
