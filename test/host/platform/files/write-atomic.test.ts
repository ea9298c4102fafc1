import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { identityTag, ownIdentity } from "../../../../host/platform/processes/process-identity.ts";
import { writeAtomic } from "../../../../host/platform/files/write-atomic.ts";

/** A folder with so many files, and how a process that is gone leaves its temporary file there. */
async function folderOf(files: number): Promise<AsyncDisposable & { readonly path: string; leave(): Promise<string> }> {
  const path = await mkdtemp(join(tmpdir(), "bascule-atomic-"));
  for (let file = 0; file < files; file += 1) await writeFile(join(path, `${file}.txt`), "");
  const { pid } = spawnSync("true");
  return {
    path,
    async leave() {
      const name = `.a.txt.${identityTag({ ...ownIdentity(), pid, startedAt: "1" })}.0123456789ab.tmp`;
      await writeFile(join(path, name), "half");
      return name;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

describe.skipIf(process.platform === "win32")("writeAtomic()", () => {
  it("takes away what a killed process left, at each write in a small folder [H7.leftovers]", async () => {
    await using folder = await folderOf(3);
    for (let round = 0; round < 2; round += 1) {
      const left = await folder.leave();
      await writeAtomic(join(folder.path, "b.txt"), "whole", 0o600);
      expect(await readdir(folder.path)).not.toContain(left);
    }
  });

  it("looks through a large folder now and then, so that writes in it do not cost what all its names do [H7.leftovers]", async () => {
    await using folder = await folderOf(160);
    await writeAtomic(join(folder.path, "b.txt"), "whole", 0o600);
    const left = await folder.leave();
    let writes = 0;
    while ((await readdir(folder.path)).includes(left)) {
      await writeAtomic(join(folder.path, "b.txt"), String(writes), 0o600);
      writes += 1;
    }
    // It was looked through with 160 names; a write lets 16 of them by, and the next one looks.
    expect(writes).toBe(160 / 16 + 1);
  });
});
