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
    const world = await liveRoot(pluginFiles("a", "swap -1"), PATIENT);
    const observed = world.observe("a_run");
    for (let swap = 0; swap < 50; swap++) {
      const next = await prepare(world, `next${swap}`, `swap ${swap}`);
      await rename(join(world.root, "a"), join(world.home, `old${swap}`));
      await rename(next, join(world.root, "a"));
    }
    await expect.poll(() => world.code("a_run"), DEADLINE).toBe("swap 49");
    await world.directory.idle();
    expect(observed.stop()).not.toContain(undefined);
    expect(world.sandbox.images.size).toBe(1);
    await world.write({ "a/main.ts": "edited" });
    await expect.poll(() => world.code("a_run"), DEADLINE).toBe("edited");
  });

  it("is followed when a link is retargeted fifty times, and ends at the last [H9.symlink]", async () => {
    const world = await liveRoot({});
    for (let swap = 0; swap < 50; swap++) {
      await symlink(await prepare(world, `v${swap}`, `swap ${swap}`), join(world.home, "link"));
      await rename(join(world.home, "link"), join(world.root, "a"));
    }
    await expect.poll(() => world.code("a_run"), DEADLINE).toBe("swap 49");
    expect(world.callable("a_run")).toMatchObject({ directory: join(world.home, "v49") });
  });

  it("is refused when the link is retargeted to an invalid folder; the last good version stays [H9.symlink] [H5]", async () => {
    const world = await liveRoot({});
    await symlink(await prepare(world, "v1", "v1"), join(world.root, "a"));
    await expect.poll(() => world.code("a_run"), DEADLINE).toBe("v1");
    await symlink("/etc/hostname", join(world.home, "v1/secret"));
    await expect.poll(() => world.directory.status()[0]?.reason, DEADLINE).toMatch(/"secret" is a link that leaves the plugin's folder/);
    expect(world.code("a_run")).toBe("v1");
    await rm(join(world.root, "a"));
    await symlink(world.home, join(world.root, "a"));
    await expect.poll(() => world.directory.status()[0]?.reason, DEADLINE).toBe("Its link leads to a folder that contains the plugin root");
    expect(world.callable("a_run")).toBeUndefined();
  });

  it("keeps its own plugin when two folders trade places [H9.swap]", async () => {
    const world = await liveRoot({ ...pluginFiles("a", "A"), ...pluginFiles("b", "B") });
    await rename(join(world.root, "a"), join(world.home, "parked"));
    await rename(join(world.root, "b"), join(world.root, "a"));
    await rename(join(world.home, "parked"), join(world.root, "b"));
    await expect
      .poll(() => [world.callable("a_run"), world.callable("b_run")], DEADLINE)
      .toMatchObject([{ directory: join(world.root, "b") }, { directory: join(world.root, "a") }]);
    expect([world.code("a_run"), world.code("b_run")]).toEqual(["A", "B"]);
    expect(world.sandbox.images.size).toBe(2);
  });
});
