import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { identityTag, ownIdentity } from "../../../../host/platform/processes/process-identity.ts";
import { writeAtomic } from "../../../../host/platform/files/write-atomic.ts";

/** Creates a folder with the given number of files; `leave` adds the temporary file of a process that is gone. */
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
  it("removes the file of a killed process at each write in a small folder [H7.leftovers]", async () => {
    await using folder = await folderOf(3);
    for (let round = 0; round < 2; round += 1) {
      const left = await folder.leave();
      await writeAtomic(join(folder.path, "b.txt"), "whole", 0o600);
      expect(await readdir(folder.path)).not.toContain(left);
    }
  });

  it("scans a large folder only now and then, so that writes stay cheap [H7.leftovers]", async () => {
    await using folder = await folderOf(160);
    await writeAtomic(join(folder.path, "b.txt"), "whole", 0o600);
    const left = await folder.leave();
    let writes = 0;
    while ((await readdir(folder.path)).includes(left)) {
      await writeAtomic(join(folder.path, "b.txt"), String(writes), 0o600);
      writes += 1;
    }
    // The folder was scanned with 160 names; each write counts for 16 of them, and the write after that scans.
    expect(writes).toBe(160 / 16 + 1);
  });
});
