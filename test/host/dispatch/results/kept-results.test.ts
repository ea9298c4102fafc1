import { describe, expect, it } from "vitest";
import { createKeptResults, type KeptResults } from "../../../../host/dispatch/results/kept-results.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const MIB = 1024 * 1024;

function keeping(results: KeptResults, session: string, text: string): string {
  const handle = results.keep({ id: session, resultBytes: MIB }, text);
  if (handle === undefined) throw new Error("Not kept");
  return handle;
}

describe("createKeptResults()", () => {
  it("drops the results of an ended session [LV5.results]", () => {
    const results = createKeptResults(memoryPlatform());
    const [mine, others] = [keeping(results, "s", "text"), keeping(results, "other", "text")];
    results.endSession("s");
    expect([results.read("s", mine), results.read("other", others)?.text]).toEqual([undefined, "text"]);
  });

  it("returns every byte in ranges that never split a character [X6.ranges]", () => {
    const results = createKeptResults(memoryPlatform());
    const text = "añ€😀\u0000\ufeffz".repeat(50);
    const handle = keeping(results, "s", text);
    for (const length of [1, 2, 3, 5, 7, 1_000_000]) {
      const parts: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const range = results.read("s", handle, { offset, length });
        expect(range?.totalBytes).toBe(new TextEncoder().encode(text).length);
        parts.push(range?.text ?? "");
        offset = range?.nextOffset;
      }
      expect(parts.join("")).toBe(text);
    }
    // An offset in the middle of an emoji's four bytes: the range begins at the next character.
    expect(results.read("s", handle, { offset: 7, length: 4 })).toMatchObject({ offset: 10, text: "\u0000\ufeff" });
    expect(results.read("s", handle, { offset: 1e9 })).toEqual({ text: "", offset: 750, totalBytes: 750 });
  });

  it("accepts a handle in its own session only [X6.session]", () => {
    const results = createKeptResults(memoryPlatform());
    const handle = keeping(results, "mine", "secret");
    expect(handle).toMatch(/^[0-9a-f]{32}$/);
    expect(results.read("yours", handle)).toBeUndefined();
    expect(results.read("mine", handle)?.text).toBe("secret");
  });

  it("drops results that are not read for fifteen minutes [X6.expiry]", () => {
    const platform = memoryPlatform();
    const results = createKeptResults(platform);
    const [read, unread] = [keeping(results, "s", "read"), keeping(results, "s", "unread")];
    platform.advance(10 * 60_000);
    results.read("s", read);
    platform.advance(5 * 60_000);
    expect(results.read("s", unread)).toBeUndefined();
    expect(results.read("s", read)?.text).toBe("read");
  });

  it("keeps 32 MiB for a session and 64 MiB in total, and evicts the oldest first [X6.bounds]", () => {
    const results = createKeptResults(memoryPlatform());
    const big = "x".repeat(12 * MIB);
    const others = keeping(results, "other", big);
    const own = [1, 2, 3, 4].map(() => keeping(results, "s", big));
    expect(own.map((handle) => results.read("s", handle, { length: 1 })?.text)).toEqual([undefined, undefined, "x", "x"]);
    expect(results.read("other", others, { length: 1 })?.text).toBe("x");
    expect(results.keep({ id: "s", resultBytes: MIB }, "x".repeat(33 * MIB))).toBeUndefined();
    for (const session of ["a", "b", "c"]) keeping(results, session, "x".repeat(30 * MIB));
    expect(results.read("c", others)).toBeUndefined();
  });

  it("keeps 32 MiB for all sessions of an owner; above the total limit, the largest owner loses results [LV3.results]", () => {
    const results = createKeptResults(memoryPlatform());
    const keep = (id: string, owner: string, mib: number): readonly [string, string] => {
      const handle = results.keep({ id, owner, resultBytes: MIB }, "x".repeat(mib * MIB));
      if (handle === undefined) throw new Error("Not kept");
      return [id, handle];
    };
    const isThere = ([id, handle]: readonly [string, string]): boolean => results.read(id, handle, { length: 1 }) !== undefined;
    const own = keep("s", "small", 1);
    const taken = Array.from({ length: 40 }, (_, nth) => keep(`g${nth}`, "greedy", 8));
    expect([isThere(own), taken.filter(isThere).length]).toEqual([true, 4]);
    const others = [keep("o", "other", 16), keep("p", "third", 20)];
    // 69 MiB in total: the largest owner loses results until they fit.
    expect([own, ...others].map(isThere)).toEqual([true, true, true]);
    expect(taken.filter(isThere).length).toBe(3);
  });
});
