/** A checkout whose folders of plugins' data are links to a user's files (SPEC AX3). */

import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createDataFolders } from "../../../host/routes/data-folders.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("attack: linked folders of data", () => {
  it("lose nothing when the plugin is removed with its data [AX3.remove-links]", async () => {
    for (const linked of ["data", "databases"]) {
      const root = await temporaryFolder();
      await mkdir(join(root, "home", "notes"), { recursive: true });
      await writeFile(join(root, "home", "notes", "mine.txt"), "mine");
      for (const name of ["data", "databases"])
        if (name === linked) await symlink(join(root, "home"), join(root, name));
        else await mkdir(join(root, name, "notes"), { recursive: true });
      const folders = createDataFolders({ data: join(root, "data"), databases: join(root, "databases") }, currentPlatform());
      await expect(folders.remove("notes")).rejects.toThrow(
        `"${join(root, linked)}" is or is below a link, so the data of "notes" stays there (delete it by hand)`,
      );
      expect(await readdir(join(root, "home", "notes"))).toEqual(["mine.txt"]);
    }
  });

  it("are deleted if they are plain, or not there [AX3.remove-links]", async () => {
    const root = await temporaryFolder();
    const folders = createDataFolders({ data: join(root, "data"), databases: join(root, "databases") }, currentPlatform());
    await folders.remove("notes");
    for (const name of ["data", "databases"]) await mkdir(join(root, name, "notes"), { recursive: true });
    await folders.remove("notes");
    expect([await readdir(join(root, "data")), await readdir(join(root, "databases"))]).toEqual([[], []]);
  });
});
