import { describe, expect, it } from "vitest";
import { mustRemember, startWarmHost } from "../../bench/fresh-seen.ts";

describe("the host that fresh_seen is compared with", () => {
  it.skipIf("Deno" in globalThis)("does not restore", async () => {
    await using warm = await startWarmHost();
    await mustRemember(warm, [1, 2, 3]);
    await expect(mustRemember(warm, [1])).rejects.toThrow();
  });
});
