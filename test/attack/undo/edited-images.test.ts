/** An attacker edits the kept images, so that an undo writes where no tool may. */

import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { sha256Hex } from "../../../host/primitives/digest.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const EVIL = "evil";

/**
 * Creates a project whose `.bascule/undo/` holds one call with these steps. Each step finds at its path the state that it names as left.
 */
async function forged(
  root: string,
  steps: readonly { readonly path: string; readonly now: string | undefined }[],
  plugins: string = join(root, "workspace/plugins"),
): Promise<Host> {
  const workspace = join(root, "workspace");
  const folder = join(workspace, ".bascule/undo/1.forged");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "call.json"), JSON.stringify({ callId: "forged", tool: "t", atMs: 1 }));
  const stateOf = async (text: string | undefined): Promise<object> =>
    text === undefined
      ? { kind: "missing" }
      : { kind: "file", bytes: text.length, sha256: await sha256Hex(new TextEncoder().encode(text)), mode: 0o644 };
  for (const [index, { path, now }] of steps.entries()) {
    const name = String(index).padStart(5, "0");
    await writeFile(join(folder, `${name}.before`), EVIL);
    await writeFile(join(folder, `${name}.4.step`), JSON.stringify({ kind: "place", path, before: await stateOf(EVIL) }));
    await writeFile(join(folder, `${name}.after`), JSON.stringify(await stateOf(now)));
  }
  return await createHost({
    platform: currentPlatform({ log: { level: "error" } }),
    workspace,
    config: join(workspace, "bascule.json"),
    plugins,
  });
}

describe("attack: edited images for undoing", () => {
  it("writes nothing outside of the workspace, through links, or to a protected path [E8.undo-attack]", async () => {
    const root = await temporaryFolder();
    const workspace = join(root, "workspace");
    await mkdir(join(workspace, "plugins/p"), { recursive: true });
    await mkdir(join(root, "outside"));
    await writeFile(join(root, "outside/secret.txt"), "secret");
    await writeFile(join(workspace, "bascule.json"), "{}");
    await writeFile(join(workspace, "mine.txt"), "mine");
    await symlink(join(root, "outside"), join(workspace, "link"));
    await symlink(join(root, "outside/secret.txt"), join(workspace, "file-link"));
    const paths = [
      { path: join(root, "outside/secret.txt"), now: "secret" },
      { path: join(root, "outside/new.txt"), now: undefined },
      { path: `${workspace}/../outside/new.txt`, now: undefined },
      { path: join(workspace, "link/secret.txt"), now: "secret" },
      { path: join(workspace, "link/new.txt"), now: undefined },
      { path: join(workspace, "file-link"), now: "secret" },
      { path: join(workspace, "bascule.json"), now: "{}" },
      { path: join(workspace, ".bascule/grants.json"), now: undefined },
      { path: join(workspace, "plugins/p/main.ts"), now: undefined },
      { path: "/etc/passwd", now: undefined },
    ];
    await using host = await forged(root, paths);
    const undone = await host.undo("forged");
    if (!undone.ok) throw new Error(undone.message);
    expect(undone.restored).toEqual([]);
    expect(undone.left).toHaveLength(paths.length);
    expect(await readFile(join(root, "outside/secret.txt"), "utf8")).toBe("secret");
    for (const path of ["outside/new.txt", "workspace/.bascule/grants.json", "workspace/plugins/p/main.ts"])
      await expect(readFile(join(root, path), "utf8")).rejects.toThrow("ENOENT");
    expect(await readFile(join(workspace, "bascule.json"), "utf8")).toBe("{}");
  });

  it("restores no contents that do not match the step, and skips malformed steps [E8.undo-attack]", async () => {
    const root = await temporaryFolder();
    const workspace = join(root, "workspace");
    await mkdir(workspace);
    await writeFile(join(workspace, "bascule.json"), "{}");
    await writeFile(join(workspace, "mine.txt"), "mine");
    await using host = await forged(root, [{ path: join(workspace, "mine.txt"), now: "mine" }]);
    const folder = join(workspace, ".bascule/undo/1.forged");
    await writeFile(join(folder, "00000.before"), "EVIL");
    await writeFile(join(folder, "00001.0.step"), `${"[".repeat(50_000)}`);
    await writeFile(join(folder, "00002.0.step"), JSON.stringify({ kind: "place", path: "relative", before: { kind: "missing" } }));
    await symlink("/dev/zero", join(folder, "00003.0.step"));
    expect(await host.undo("forged")).toMatchObject({ ok: true, restored: [], left: [{ path: "mine.txt" }] });
    expect(await readFile(join(workspace, "mine.txt"), "utf8")).toBe("mine");
  });

  it("restores no held file that is a link, or another file than the step names [E8.undo-attack]", async () => {
    const root = await temporaryFolder();
    const workspace = join(root, "workspace");
    await mkdir(workspace);
    await writeFile(join(root, "secret.txt"), "secret");
    await writeFile(join(workspace, "bascule.json"), "{}");
    await using host = await forged(root, []);
    const folder = join(workspace, ".bascule/undo/1.forged");
    const { dev: device, ino: inode } = await stat(join(root, "secret.txt"));
    for (const [number, name] of [
      ["00000", "by-link.txt"],
      ["00001", "by-name.txt"],
    ]) {
      const step = { kind: "place", path: join(workspace, name ?? ""), before: { kind: "held", bytes: 6, device, inode } };
      await writeFile(join(folder, `${number}.6.step`), JSON.stringify(step));
      await writeFile(join(folder, `${number}.after`), JSON.stringify({ kind: "missing" }));
    }
    await symlink(join(root, "secret.txt"), join(folder, "00000.before"));
    await writeFile(join(folder, "00001.before"), EVIL);
    expect(await host.undo("forged")).toMatchObject({ restored: [], left: [{ path: "by-name.txt" }, { path: "by-link.txt" }] });
    for (const name of ["by-link.txt", "by-name.txt"]) await expect(stat(join(workspace, name))).rejects.toThrow("ENOENT");
  });

  it("does not move a folder with a protected path in it for an invented rename [E8.undo-attack]", async () => {
    const root = await temporaryFolder();
    const workspace = join(root, "workspace");
    await mkdir(join(workspace, "tools/plugins/p"), { recursive: true });
    await writeFile(join(workspace, "bascule.json"), "{}");
    const { dev: device, ino: inode } = await stat(join(workspace, "tools"));
    await using host = await forged(root, [], join(workspace, "tools/plugins"));
    const step = { kind: "rename", path: join(workspace, "elsewhere"), to: join(workspace, "tools"), device, inode };
    await writeFile(join(workspace, ".bascule/undo/1.forged/00000.0.step"), JSON.stringify(step));
    expect(await host.undo("forged")).toMatchObject({
      ok: true,
      restored: [],
      left: [{ reason: expect.stringContaining("protected from tools") }],
    });
    expect((await stat(join(workspace, "tools/plugins/p"))).isDirectory()).toBe(true);
  });
});
