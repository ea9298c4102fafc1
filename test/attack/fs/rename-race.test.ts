import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toBytes } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";
import { type Flipping, startFlipping } from "../../support/flip.ts";

/** Each round is one act while another thread swaps what is at the path. */
const ROUNDS = 3_000;

const onLinux = process.platform === "linux";

// Elsewhere a narrower window remains (host/platform/portable-walk.ts says which).
describe.runIf(onLinux)("attack: a path is swapped between the check and the act", () => {
  it("reads nothing from outside when the last link is swapped [C4.race]", async () => {
    const { answer, workspace } = await diskCall({ "good.txt": "good", "link": { link: "good.txt" }, "bad-link": { link: "$outside/secret.txt" } });
    const flipping = await startFlipping(join(workspace, "link"), join(workspace, "good-link"), join(workspace, "bad-link"));
    const seen = await rounds(flipping, async () => {
      const read = await answer("fs.readFile", { path: "link" });
      return read.ok ? new TextDecoder().decode(read.bytes) : read.error.name;
    });
    expect(onlyFrom(seen, ["good", "NotCapable", "NotFound"])).toEqual([]);
    expect(seen).toContain("good");
    expect(seen).toContain("NotCapable");
  });

  it("reads and lists nothing from outside when a folder is swapped for a link [C4.race]", async () => {
    const { answer, workspace } = await diskCall({ "dir/secret.txt": "good", "bad": { link: "$outside" } });
    const flipping = await startFlipping(join(workspace, "dir"), join(workspace, "good"), join(workspace, "bad"));
    const seen = await rounds(flipping, async (round) => {
      if (round % 2 === 0) {
        const listed = await answer("fs.readDir", { path: "dir" });
        return listed.ok ? "listed" : listed.error.name;
      }
      const read = await answer("fs.readFile", { path: "dir/secret.txt" });
      return read.ok ? new TextDecoder().decode(read.bytes) : read.error.name;
    });
    expect(onlyFrom(seen, ["good", "listed", "NotCapable", "NotFound"])).toEqual([]);
    expect(seen).toContain("good");
  });

  it("writes, appends and truncates nothing outside when the last link is swapped [C4.race, C4.truncate]", async () => {
    const { answer, workspace, outside, contents } = await diskCall({ "good.txt": "good", "link": { link: "good.txt" }, "bad-link": { link: "$outside/secret.txt" } });
    const flipping = await startFlipping(join(workspace, "link"), join(workspace, "good-link"), join(workspace, "bad-link"));
    const seen = await rounds(flipping, async (round) => {
      const acts = [
        () => answer("fs.writeFile", { path: "link" }, toBytes("written")),
        () => answer("fs.writeFile", { path: "link", append: true }, toBytes("+")),
        () => answer("fs.truncate", { path: "link", len: 0 }),
      ];
      const written = await acts[round % acts.length]?.();
      return written?.ok === true ? "written" : (written?.error.name ?? "");
    });
    expect(await contents(join(outside, "secret.txt"))).toBe("secret");
    expect(onlyFrom(seen, ["written", "NotCapable", "NotFound", "AlreadyExists"])).toEqual([]);
    expect(seen).toContain("written");
  });

  it("creates, makes, renames and removes nothing outside when a folder is swapped for a link [C4.race]", async () => {
    const { answer, workspace, outside, contents } = await diskCall({ "dir/x": "", "bad": { link: "$outside" } });
    const flipping = await startFlipping(join(workspace, "dir"), join(workspace, "good"), join(workspace, "bad"));
    const seen = await rounds(flipping, async (round) => {
      const acts = [
        () => answer("fs.writeFile", { path: "dir/new.txt", createNew: true }, toBytes("x")),
        () => answer("fs.mkdir", { path: "dir/made" }),
        () => answer("fs.mkdir", { path: "dir/one/two", recursive: true }),
        () => answer("fs.rename", { from: "dir/new.txt", to: "dir/moved.txt" }),
        () => answer("fs.rename", { from: "dir/secret.txt", to: "stolen.txt" }),
        () => answer("fs.remove", { path: "dir/moved.txt" }),
        () => answer("fs.remove", { path: "dir/secret.txt" }),
        () => answer("fs.remove", { path: "dir/made" }),
        () => answer("fs.remove", { path: "dir/one", recursive: true }),
      ];
      const done = await acts[round % acts.length]?.();
      return done?.ok === true ? "done" : (done?.error.name ?? "");
    });
    expect(await readdir(outside)).toEqual(["secret.txt"]);
    expect(await contents(join(outside, "secret.txt"))).toBe("secret");
    expect(seen).toContain("done");
  });

  it("removes nothing outside when a folder inside a tree is swapped for a link [C4.race]", async () => {
    const { answer, workspace, outside } = await diskCall({ "bad": { link: "$outside" }, "tree/sub/x": "" });
    const flipping = await startFlipping(join(workspace, "tree/sub"), join(workspace, "good"), join(workspace, "bad"));
    // The tree is rebuilt while the thread goes on; it may find its names gone, which ends it.
    const seen = await rounds(
      flipping,
      async () => {
        await mkdir(join(workspace, "tree"), { recursive: true });
        await writeFile(join(workspace, "tree/y"), "");
        await symlink(outside, join(workspace, "tree/link")).catch(() => "it is still there from the last round");
        const removed = await answer("fs.remove", { path: "tree", recursive: true });
        return removed.ok ? "done" : removed.error.name;
      },
      500,
    );
    expect(seen.length).toBe(500);
    expect(await readdir(outside)).toEqual(["secret.txt"]);
  });
});

async function rounds(flipping: Flipping, act: (round: number) => Promise<string>, count = ROUNDS): Promise<readonly string[]> {
  const seen: string[] = [];
  const before = flipping.swaps();
  for (let round = 0; round < count; round += 1) seen.push(await act(round));
  const swaps = flipping.swaps() - before;
  await flipping.stop().catch(() => "its names were removed under it");
  expect(swaps).toBeGreaterThan(0);
  return seen;
}

function onlyFrom(seen: readonly string[], expected: readonly string[]): readonly string[] {
  return [...new Set(seen)].filter((outcome) => !expected.includes(outcome));
}
