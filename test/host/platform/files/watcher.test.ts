import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWatcher } from "../../../../host/platform/files/watcher.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

describe("createWatcher()", () => {
  it("reports created, changed, renamed and removed files, but not ignored names [H3]", async () => {
    // The watched folder may itself be inside a folder with an ignored name.
    const root = join(await temporaryFolder(), "node_modules", "plugins");
    await mkdir(join(root, "words", ".git"), { recursive: true });
    const seen = new Set<string>();
    const watching = await createWatcher().watch(
      [root],
      (path) => seen.add(path.slice(root.length + 1)),
      (error) => expect.unreachable(error.message),
    );
    for (const noise of [".git/index", ".main.ts.swp", "main.ts~", "4913", ".#main.ts", "x.tmp"])
      await writeFile(join(root, "words", noise), "x");
    await writeFile(join(root, "words", "main.ts"), "x");
    await expect.poll(() => [...seen]).toContain("words/main.ts");
    await rename(join(root, "words", "main.ts"), join(root, "words", "other.ts"));
    await expect.poll(() => [...seen]).toContain("words/other.ts");
    expect([...seen].filter((path) => /git|swp|~|4913|#|tmp/.test(path))).toEqual([]);
    await watching.close();
  });

  it("tells a folder from another one whose name begins alike [H3]", async () => {
    const folder = await temporaryFolder();
    const roots = [join(folder, "plugins"), join(folder, "plugins.tmp")];
    for (const root of roots) await mkdir(root);
    const seen: string[] = [];
    const watching = await createWatcher().watch(
      roots,
      (path) => seen.push(path),
      (error) => expect.unreachable(error.message),
    );
    for (const root of roots) await writeFile(join(root, "main.ts"), "x");
    await expect.poll(() => seen).toContain(join(folder, "plugins", "main.ts"));
    await expect.poll(() => seen).toContain(join(folder, "plugins.tmp", "main.ts"));
    await watching.close();
  });

  it("does not follow links, including loops [H3, H9]", async () => {
    const root = await temporaryFolder();
    const elsewhere = await temporaryFolder();
    await symlink(".", join(root, "loop"));
    await symlink(elsewhere, join(root, "away"));
    const seen: string[] = [];
    const errors: Error[] = [];
    const watching = await createWatcher().watch(
      [root],
      (path) => seen.push(path),
      (error) => errors.push(error),
    );
    await writeFile(join(elsewhere, "x"), "x");
    await writeFile(join(root, "y"), "y");
    await expect.poll(() => seen).toContain(join(root, "y"));
    expect(seen.filter((path) => path.includes("loop/") || path.includes("away/"))).toEqual([]);
    expect(errors).toEqual([]);
    await watching.close();
  });
});
