/** Trees with paths longer than the system accepts: a guest creates them by moving one tree below another. */

import { execFile } from "node:child_process";
import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { removeTree } from "../../../host/platform/files/guarded-remove.ts";
import { createLinuxWalk, hasLinuxWalk } from "../../../host/platform/files/linux-walk.ts";
import type { Walk } from "../../../host/platform/files/walk.ts";
import { checkedPath } from "../../support/checked-path.ts";
import { diskCall } from "../../support/disk-call.ts";

const NAME = "d".repeat(200);
/** 3,200 characters: the longest path that fits below a temporary folder. */
const CHAIN = Array.from({ length: 16 }, () => NAME).join("/");

/** `tree` is a chain of that many times 16 folders, with a file at the end of each 16. */
async function plantDeep(folder: string, times: number): Promise<void> {
  await mkdir(join(folder, "tree"));
  for (let time = 0; time < times; time++) {
    await mkdir(join(folder, "upper", CHAIN), { recursive: true });
    await writeFile(join(folder, "upper", CHAIN, "leaf"), "x");
    await rename(join(folder, "tree"), join(folder, "upper", CHAIN, "tree"));
    await rename(join(folder, "upper"), join(folder, "tree"));
  }
}

describe.runIf(hasLinuxWalk())("attack: a tree deeper than the longest path", () => {
  it("is removed completely [C4.deep]", async () => {
    const { answer, workspace } = await diskCall({ "mine.txt": "mine" });
    await plantDeep(workspace, 5);
    expect(await answer("fs.remove", { path: "tree", recursive: true })).toEqual({ ok: true, value: null });
    expect(await readdir(workspace)).toEqual([".keep", "mine.txt"]);
  });

  it("is left in place when a folder above is moved out of the grant meanwhile [C4.deep]", async () => {
    const { workspace, outside } = await diskCall({});
    await plantDeep(workspace, 3);
    const walk = createLinuxWalk();
    let looks = 0;
    const locate: Walk["locate"] = async (path, options) => {
      // At this point the path of the folder that is being emptied is too long to use.
      if (++looks === 30) await rename(join(workspace, "tree", NAME, NAME), join(outside, "moved"));
      return await walk.locate(path, options);
    };
    await using parent = await walk.locate(workspace, { follow: true });
    const checked = checkedPath(join(workspace, "tree"), workspace);
    await expect(removeTree({ ...walk, locate }, parent, "tree", { checked })).rejects.toMatchObject({ code: "not_capable" });
    expect(await leavesBelow(join(outside, "moved"))).toBe(3);
    await promisify(execFile)("rm", ["-rf", outside]);
  });
});

async function leavesBelow(folder: string): Promise<number> {
  const { stdout } = await promisify(execFile)("find", [folder, "-name", "leaf", "-printf", "x"]);
  return stdout.length;
}
