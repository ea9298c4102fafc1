import { describe, expect, it } from "vitest";
import { createMutex } from "../../../host/platform/mutex.ts";

describe("createMutex()", () => {
  it("starts each job when the previous one has settled", async () => {
    const inTurn = createMutex();
    const seen: string[] = [];
    const gates = ["a", "b", "c"].map((name) => ({ name, ...Promise.withResolvers<void>() }));
    const all = gates.map(({ name, promise }) =>
      inTurn(async () => (seen.push(`${name} begins`), await promise, seen.push(`${name} ends`), name)),
    );
    const [a, b, c] = gates;
    c?.resolve();
    b?.reject(new Error("failed"));
    b?.promise.catch(() => undefined);
    await expect.poll(() => seen).toEqual(["a begins"]);
    a?.resolve();
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(seen).toEqual(["a begins", "a ends", "b begins", "c begins", "c ends"]);
  });
});
