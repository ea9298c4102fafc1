import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGuardedFiles } from "../../../host/platform/files/guarded-files.ts";
import { createLinuxWalk, hasLinuxWalk } from "../../../host/platform/files/linux-walk.ts";
import { createPortableWalk } from "../../../host/platform/files/portable-walk.ts";
import type { FileInfo, GuardedFiles } from "../../../host/platform/platform.ts";
import type { CheckedPath } from "../../../host/platform/proof.ts";
import type { Walk } from "../../../host/platform/files/walk.ts";
import type { HostAnswer } from "../../../sandbox/mod.ts";
import { toBytes } from "../../support/bridge-context.ts";
import { type DiskCall, diskCall } from "../../support/disk-call.ts";
import { checkedPath } from "../../support/checked-path.ts";
import { type Flipping, startFlipping, startLinking, startToggling } from "../../support/flip.ts";

type Proof = CheckedPath<"read"> & CheckedPath<"write">;

const WALKS: readonly (readonly [string, Walk])[] = [
  ["without /proc", createPortableWalk()],
  ...(hasLinuxWalk() ? [["with /proc", createLinuxWalk()] as const] : []),
];

// Each race is forced here: the swap happens in exactly the step that it would have to win.
describe.each(WALKS)("attack: a path is swapped at the worst moment, %s", (_, walk) => {
  /** Guarded files whose walk has some steps replaced. */
  async function filesWith(steps: (call: DiskCall) => Partial<Walk>): Promise<{
    readonly call: DiskCall;
    readonly guarded: GuardedFiles;
    proof(path: string): Proof;
  }> {
    const call = await diskCall({ "good.txt": "good", "tree/deep/x": "x" });
    const { workspace, context } = call;
    const guarded = createGuardedFiles({ ...walk, ...steps(call) }, context.platform.environment.os);
    return { call, guarded, proof: (path) => checkedPath(join(workspace, path), workspace) as Proof };
  }

  it("opens no other file that took the name after the check [C4.race]", async () => {
    const { guarded, proof } = await filesWith(({ workspace, outside }) => ({
      async open(place, flags) {
        await rename(join(outside, "secret.txt"), join(workspace, "good.txt")).catch(() => undefined);
        return await walk.open(place, flags);
      },
    }));
    const read = guarded.readBytes(proof("good.txt"), { maxBytes: 100 }).then(
      (bytes) => new TextDecoder().decode(bytes),
      (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
    );
    expect(["good", "not_capable"]).toContain(await read);
  });

  it("does not keep a file that was created outside [C4.race]", async () => {
    const { call, guarded, proof } = await filesWith(({ outside }) => ({
      create: async (...where) => ({ ...(await walk.create(...where)), realPath: join(outside, "new.txt") }),
    }));
    await expect(guarded.writeBytes(proof("new.txt"), toBytes("x"), {})).rejects.toMatchObject({ code: "not_capable" });
    expect(await readdir(call.workspace)).not.toContain("new.txt");
  });

  it("removes nothing in a folder that was moved outside [C4.race, C4.remove]", async () => {
    const { call, guarded, proof } = await filesWith(({ outside }) => ({
      async locate(path, options) {
        const place = await walk.locate(path, options);
        return path.endsWith("/deep") ? { ...place, realPath: join(outside, "deep") } : place;
      },
    }));
    await expect(guarded.remove(proof("tree"), { recursive: true })).rejects.toMatchObject({ code: "not_capable" });
    expect(await readdir(join(call.workspace, "tree/deep"))).toEqual(["x"]);
  });

  it("removes nothing above a folder that was moved while it was emptied [C4.race, C4.remove]", async () => {
    const { call, guarded, proof } = await filesWith(({ outside }) => ({
      locate: (path, options) => walk.locate(path.endsWith("/..") ? outside : path, options),
    }));
    await mkdir(join(call.outside, "deep"));
    await expect(guarded.remove(proof("tree"), { recursive: true })).rejects.toMatchObject({ code: "not_capable" });
    expect((await readdir(call.outside)).toSorted()).toEqual(["deep", "secret.txt"]);
  });

  it("does not treat kernel files as files, wherever they are mounted [C4.devices]", async () => {
    const { guarded, proof } = await filesWith(() => ({
      locate: async (path, options) => ({ ...(await walk.locate(path, options)), synthetic: true }),
    }));
    const acts: readonly (() => Promise<FileInfo | Uint8Array | void>)[] = [
      () => guarded.stat(proof("good.txt")),
      () => guarded.readBytes(proof("good.txt"), { maxBytes: 10 }),
      () => guarded.writeBytes(proof("good.txt"), toBytes("x"), {}),
      () => guarded.rename(proof("good.txt"), proof("other.txt")),
    ];
    for (const act of acts) await expect(act()).rejects.toMatchObject({ code: "not_regular" });
  });
});

/** Each round is one act while another thread swaps the path. `RACES=all npm test -- test/attack/fs` runs more rounds. */
const ROUNDS = process.env["RACES"] === "all" ? 4_000 : 800;

/** The same for each operation that changes something. */
const ROUNDS_EACH = ROUNDS / 4;

const onLinux = process.platform === "linux";

// On other systems a narrower window remains (host/platform/portable-walk.ts explains it).
describe.runIf(onLinux)("attack: a path is swapped between the check and the act", { timeout: 60_000 }, () => {
  it("reads nothing outside when the last link is swapped [C4.race]", async () => {
    const { answer, workspace } = await diskCall({
      "good.txt": "good",
      link: { link: "good.txt" },
      "bad-link": { link: "$outside/secret.txt" },
    });
    const flipping = await startFlipping(join(workspace, "link"), join(workspace, "good-link"), join(workspace, "bad-link"));
    const seen = await rounds(flipping, ROUNDS, ["good", "NotCapable"], async () => {
      const read = await answer("fs.readFile", { path: "link" });
      return read.ok ? new TextDecoder().decode(read.bytes) : read.error.name;
    });
    expect(onlyFrom(seen, ["good", "NotCapable", "NotFound"])).toEqual([]);
    expect(seen).toContain("good");
    expect(seen).toContain("NotCapable");
  });

  it("reads and lists nothing outside when a folder is swapped for a link [C4.race]", async () => {
    const { answer, workspace } = await diskCall({ "dir/secret.txt": "good", bad: { link: "$outside" } });
    const flipping = await startFlipping(join(workspace, "dir"), join(workspace, "good"), join(workspace, "bad"));
    const seen = await rounds(flipping, ROUNDS, ["good"], async (round) => {
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

  it.each<[string, (call: DiskCall) => Promise<HostAnswer>]>([
    ["write", ({ answer }) => answer("fs.writeFile", { path: "link", create: false }, toBytes("written"))],
    ["append", ({ answer }) => answer("fs.writeFile", { path: "link", create: false, append: true }, toBytes("+"))],
    ["truncate", ({ answer }) => answer("fs.truncate", { path: "link", len: 0 })],
    ["write or create", ({ answer }) => answer("fs.writeFile", { path: "link" }, toBytes("written"))],
    ["copy", ({ answer }) => answer("fs.copyFile", { from: "good.txt", to: "link" })],
  ])("%s touches nothing outside when the last link is swapped [C4.race, C4.truncate]", async (_name, act) => {
    const call = await diskCall({ "good.txt": "good", link: { link: "good.txt" } });
    const { workspace, outside, contents } = call;
    const flipping = await startLinking(join(workspace, "link"), "good.txt", join(outside, "secret.txt"));
    const seen = await rounds(flipping, ROUNDS_EACH, ["done"], async () => nameOf(await act(call)));
    expect(await contents(join(outside, "secret.txt"))).toBe("secret");
    expect(onlyFrom(seen, ["done", "NotCapable", "NotFound", "AlreadyExists"])).toEqual([]);
    expect(seen).toContain("done");
  });

  it.each<[string, (call: DiskCall, round: number) => Promise<HostAnswer>]>([
    ["create", ({ answer }, round) => answer("fs.writeFile", { path: `dir/new-${round}`, createNew: true }, toBytes("x"))],
    ["make a folder", ({ answer }, round) => answer("fs.mkdir", { path: `dir/made-${round}` })],
    ["make folders", ({ answer }, round) => answer("fs.mkdir", { path: `dir/made-${round}/below`, recursive: true })],
    ["move in", ({ answer }) => answer("fs.rename", { from: "given.txt", to: "dir/given.txt" })],
    ["move out", ({ answer }) => answer("fs.rename", { from: "dir/secret.txt", to: "stolen.txt" })],
    ["remove", ({ answer }) => answer("fs.remove", { path: "dir/secret.txt" })],
    ["remove a tree", ({ answer }) => answer("fs.remove", { path: "dir/secret.txt", recursive: true })],
  ])("%s touches nothing outside when a folder is swapped for a link [C4.race]", async (_name, act) => {
    const call = await diskCall({});
    const { workspace, outside, contents } = call;
    const flipping = await startToggling(join(workspace, "dir"), outside);
    const seen = await rounds(flipping, ROUNDS_EACH, ["NotCapable"], async (round) => {
      await writeFile(join(workspace, "given.txt"), "given");
      return nameOf(await act(call, round));
    });
    expect(await readdir(outside)).toEqual(["secret.txt"]);
    expect(await contents(join(outside, "secret.txt"))).toBe("secret");
    expect(onlyFrom(seen, ["done", "NotCapable", "NotFound", "AlreadyExists"])).toEqual([]);
    expect(seen).toContain("NotCapable");
  });

  it("removes nothing outside when a folder in a tree alternates with a link [C4.race]", async () => {
    const { answer, workspace, outside } = await diskCall({ "tree/x": "" });
    const toggling = await startToggling(join(workspace, "tree/sub"), outside);
    await rounds(toggling, ROUNDS_EACH, [], async () => {
      await mkdir(join(workspace, "tree"), { recursive: true });
      return nameOf(await answer("fs.remove", { path: "tree", recursive: true }));
    });
    expect(await readdir(outside)).toEqual(["secret.txt"]);
  });
});

function nameOf(answer: HostAnswer): string {
  return answer.ok ? "done" : answer.error.name;
}

/**
 * Acts `count` times, and continues until all of `wanted` was seen: on a loaded machine the other thread may hardly run, and a race that
 * did not happen proves nothing. Gives up after twenty times as many.
 */
async function rounds(
  flipping: Flipping,
  count: number,
  wanted: readonly string[],
  act: (round: number) => Promise<string>,
): Promise<readonly string[]> {
  const seen: string[] = [];
  const before = flipping.swaps();
  const isMissing = (): boolean => wanted.some((outcome) => !seen.includes(outcome));
  for (let round = 0; round < count || (round < count * 20 && isMissing()); round += 1) seen.push(await act(round));
  const swaps = flipping.swaps() - before;
  await flipping.stop();
  expect(swaps).toBeGreaterThan(0);
  return seen;
}

function onlyFrom(seen: readonly string[], expected: readonly string[]): readonly string[] {
  return [...new Set(seen)].filter((outcome) => !expected.includes(outcome));
}
