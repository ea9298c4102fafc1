import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { frozen, napping } from "./projects.ts";

describe("callers whose sessions have one id", { timeout: 60_000 }, () => {
  it("keep their own calls and rights in the next host [FR2.callers]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-frozen-"));
    const open = await napping(place.path);
    const first = await open();
    const calls = ["ada", "bob"].map((owner) =>
      first.call("nap", { ms: 60_000 }, { callId: `of ${owner}`, session: first.session({ id: "s", owner }) }),
    );
    await frozen(first, 2);
    await first.close();
    await Promise.all(calls);
    await using next = await open();
    expect(next.waiting().map(({ callId, owner }) => [callId, owner])).toEqual([
      ["of ada", "ada"],
      ["of bob", "bob"],
    ]);
    const isReturning = async (owner: string): Promise<readonly boolean[]> =>
      await Promise.all(["of ada", "of bob"].map((callId) => next.isReturning(callId, owner)));
    expect([await isReturning("ada"), await isReturning("bob")]).toEqual([
      [true, false],
      [false, true],
    ]);
    for (const callId of ["of ada", "of bob"]) await next.cancelCall(callId);
  });
});
