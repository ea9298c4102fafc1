import { describe, expect, it } from "vitest";
import { openOwnKey } from "../../../host/cluster/own-key.ts";
import { createMemoryPlatform } from "../../../host/platform/mod.ts";

const FILE = "/home/user/.config/bascule/keys/project.nkey";

describe("openOwnKey()", () => {
  it("creates a key that only the user can read, and returns the same one from then on [CL6.key]", async () => {
    const platform = createMemoryPlatform();
    const [first, second] = await Promise.all([openOwnKey(platform, FILE), openOwnKey(platform, FILE)]);
    expect(first.publicKey).toMatch(/^U[A-Z2-7]{55}$/);
    expect((await openOwnKey(platform, FILE)).publicKey).toBe(first.publicKey);
    expect(second.publicKey).toBe(first.publicKey);
    expect(((await platform.files.stat(FILE))?.mode ?? 0) & 0o777).toBe(0o600);
    expect(await platform.files.readText(FILE)).toBe(`${first.seed}\n`);
  });

  it("refuses a file that holds something else, without repeating it [CL6.key]", async () => {
    const platform = createMemoryPlatform({ files: { [FILE]: "SUSECRET" } });
    await expect(openOwnKey(platform, FILE)).rejects.toThrow(
      new TypeError(
        `"${FILE}" does not hold a key of a cluster (remove it to get a new one, and list its public key where the old one was)`,
      ),
    );
  });
});
