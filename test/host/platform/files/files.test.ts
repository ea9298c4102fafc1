import { appendFile, open, readdir, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFiles } from "../../../../host/platform/files/files.ts";
import { createLinuxWalk, hasLinuxWalk } from "../../../../host/platform/files/linux-walk.ts";
import { plantOnDisk } from "../../../support/plant.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const files = createFiles();

describe("createFiles()", () => {
  it.runIf(process.platform !== "win32")("does not hang on a FIFO in a plugin folder [M4]", async () => {
    const folder = await temporaryFolder();
    await plantOnDisk(join(folder, "main.ts"), { other: true });
    const reads = Array.from({ length: 8 }, () => files.readText(join(folder, "main.ts")));
    for (const outcome of await Promise.allSettled(reads))
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "not_regular" } });
  });

  it("leaves no temporary file behind, even when it fails", async () => {
    const folder = await temporaryFolder();
    await plantOnDisk(join(folder, "taken/x"), "");
    await expect(files.writeAtomic(join(folder, "taken"), "text")).rejects.toMatchObject({ name: "FileError" });
    await files.writeAtomic(join(folder, "fine"), "text", 0o600);
    expect((await readdir(folder)).toSorted()).toEqual(["fine", "taken"]);
    expect((await files.stat(join(folder, "fine")))?.mode).toBe(0o600);
  });

  it("names no host path in its errors", async () => {
    const folder = await temporaryFolder();
    await expect(files.readText(join(folder, "none"))).rejects.toMatchObject({ code: "not_found", message: "No such file or directory" });
  });
});

describe.runIf(hasLinuxWalk())("createLinuxWalk()", () => {
  it("reports a file's current path and a deleted file as missing [C4.race]", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a"), "a");
    await writeFile(join(folder, "b (deleted)"), "b");
    const walk = createLinuxWalk();
    {
      await using place = await walk.locate(join(folder, "a"), { follow: true });
      await rename(join(folder, "a"), join(folder, "moved"));
      await appendFile(join(folder, "moved"), "!");
      await using file = await walk.open(place, 0);
      expect(await file.readFile("utf8")).toBe("a!");
    }
    await using named = await walk.locate(join(folder, "b (deleted)"), { follow: true });
    expect(named.realPath).toBe(join(folder, "b (deleted)"));

    await using held = await open(join(folder, "moved"));
    await unlink(join(folder, "moved"));
    await expect(walk.locate(`/proc/self/fd/${held.fd}`, { follow: true })).rejects.toMatchObject({ code: "not_found" });
  });
});
