import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest, pluginFiles } from "../../host/plugins/folder/harness.ts";
import { DEADLINE, type LiveRoot, liveRoot, PATIENT } from "./live-root.ts";

async function prepare({ home }: LiveRoot, name: string, code: string): Promise<string> {
  const folder = join(home, name);
  await mkdir(folder);
  await writeFile(join(folder, "manifest.json"), manifest("a"));
  await writeFile(join(folder, "main.ts"), code);
  return folder;
}

describe("a plugin folder that is replaced by another", () => {
  it("is served without a gap through fifty swaps, and ends at the last [H9.swap]", async () => {
    const env = await liveRoot(pluginFiles("a", "swap -1"), PATIENT);
    const observed = env.observe("a_run");
    for (let swap = 0; swap < 50; swap++) {
      const next = await prepare(env, `next${swap}`, `swap ${swap}`);
      await rename(join(env.root, "a"), join(env.home, `old${swap}`));
      await rename(next, join(env.root, "a"));
    }
    await expect.poll(() => env.code("a_run"), DEADLINE).toBe("swap 49");
    await env.directory.idle();
    expect(observed.stop()).not.toContain(undefined);
    expect(env.sandbox.images.size).toBe(1);
    await env.write({ "a/main.ts": "edited" });
    await expect.poll(() => env.code("a_run"), DEADLINE).toBe("edited");
  });

  it("is followed when a link is retargeted fifty times, and ends at the last [H9.symlink]", async () => {
    const env = await liveRoot({});
    for (let swap = 0; swap < 50; swap++) {
      await symlink(await prepare(env, `v${swap}`, `swap ${swap}`), join(env.home, "link"));
      await rename(join(env.home, "link"), join(env.root, "a"));
    }
    await expect.poll(() => env.code("a_run"), DEADLINE).toBe("swap 49");
    expect(env.callable("a_run")).toMatchObject({ directory: join(env.home, "v49") });
  });

  it("is refused when the link is retargeted to an invalid folder; the last good version stays [H9.symlink] [H5]", async () => {
    const env = await liveRoot({});
    await symlink(await prepare(env, "v1", "v1"), join(env.root, "a"));
    await expect.poll(() => env.code("a_run"), DEADLINE).toBe("v1");
    await symlink("/etc/hostname", join(env.home, "v1/secret"));
    await expect.poll(() => env.directory.status()[0]?.reason, DEADLINE).toMatch(/"secret" is a link that leaves the plugin's folder/);
    expect(env.code("a_run")).toBe("v1");
    await rm(join(env.root, "a"));
    await symlink(env.home, join(env.root, "a"));
    await expect.poll(() => env.directory.status()[0]?.reason, DEADLINE).toBe("Its link leads to a folder that contains the plugin root");
    expect(env.callable("a_run")).toBeUndefined();
  });

  it("keeps its own plugin when two folders trade places [H9.swap]", async () => {
    const env = await liveRoot({ ...pluginFiles("a", "A"), ...pluginFiles("b", "B") });
    await rename(join(env.root, "a"), join(env.home, "parked"));
    await rename(join(env.root, "b"), join(env.root, "a"));
    await rename(join(env.home, "parked"), join(env.root, "b"));
    await expect
      .poll(() => [env.callable("a_run"), env.callable("b_run")], DEADLINE)
      .toMatchObject([{ directory: join(env.root, "b") }, { directory: join(env.root, "a") }]);
    expect([env.code("a_run"), env.code("b_run")]).toEqual(["A", "B"]);
    expect(env.sandbox.images.size).toBe(2);
  });
});
