import { mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { FileError, type Platform } from "../../../../host/platform/platform.ts";
import { GENERATED_MARK, GLOBALS_FILE, pluginTypes, TYPES_FILE } from "../../../../host/plugins/types/plugin-types.ts";
import { readManifest } from "../../../../host/plugins/types/read-manifest.ts";
import { compareTypes, writeInFolder } from "../../../../host/plugins/types/write-types.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { manifestWith } from "./manifest-with.ts";

const platform = currentPlatform({ log: { level: "error" } });
const manifest = manifestWith({});
const text = pluginTypes(manifest).get(TYPES_FILE) ?? "";

async function states(folder: string): Promise<Record<string, string>> {
  return Object.fromEntries((await compareTypes(platform, folder, manifest)).map(({ name, state }) => [name, state]));
}

describe("compareTypes()", () => {
  it("distinguishes fresh, stale and missing files [M8.fresh]", async () => {
    const folder = await temporaryFolder();
    expect(await states(folder)).toEqual({ [TYPES_FILE]: "missing", [GLOBALS_FILE]: "missing" });
    await writeInFolder(platform, folder, TYPES_FILE, text);
    await writeFile(join(folder, GLOBALS_FILE), `${GENERATED_MARK}\n// of an older manifest\n`);
    expect(await states(folder)).toEqual({ [TYPES_FILE]: "fresh", [GLOBALS_FILE]: "stale" });
    await writeFile(join(folder, GLOBALS_FILE), "");
    expect(await states(folder)).toEqual({ [TYPES_FILE]: "fresh", [GLOBALS_FILE]: "stale" });
  });

  it("does not touch files that were not generated: another text, a folder, a link, a huge file [M8.foreign]", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, TYPES_FILE), "export type Mine = 1;\n");
    await mkdir(join(folder, GLOBALS_FILE));
    expect(await states(folder)).toEqual({ [TYPES_FILE]: "foreign", [GLOBALS_FILE]: "foreign" });

    const other = await temporaryFolder();
    await writeFile(join(other, "target"), text);
    await symlink(join(other, "target"), join(other, TYPES_FILE));
    await writeFile(join(other, GLOBALS_FILE), `${GENERATED_MARK}\n${"x".repeat(5 * 1024 * 1024)}`);
    expect(await states(other)).toEqual({ [TYPES_FILE]: "foreign", [GLOBALS_FILE]: "foreign" });
  });
});

describe("writeInFolder()", () => {
  it("replaces a link of that name and does not write to its target [M8.links]", async () => {
    const [folder, outside] = [await temporaryFolder(), await temporaryFolder()];
    await writeFile(join(outside, "precious"), "as it was");
    await symlink(join(outside, "precious"), join(folder, TYPES_FILE));
    await writeInFolder(platform, folder, TYPES_FILE, text);
    expect(await readFile(join(outside, "precious"), "utf8")).toBe("as it was");
    expect(await readFile(join(folder, TYPES_FILE), "utf8")).toBe(text);
    await expect(readlink(join(folder, TYPES_FILE))).rejects.toMatchObject({ code: "EINVAL" });
  });

  it("writes nothing through a folder that became a link meanwhile [M8.links]", async () => {
    const [parent, outside] = [await temporaryFolder(), await temporaryFolder()];
    await symlink(outside, join(parent, "plugin"));
    await expect(writeInFolder(platform, join(parent, "plugin"), TYPES_FILE, text)).rejects.toBeInstanceOf(FileError);
    expect(await readdir(outside)).toEqual([]);
  });

  it("leaves no partial or temporary file if the rename fails [M8.whole]", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, TYPES_FILE));
    await expect(writeInFolder(platform, folder, TYPES_FILE, text)).rejects.toBeInstanceOf(FileError);
    expect(await readdir(folder)).toEqual([TYPES_FILE]);
  });

  it("fails with the reason if the folder is not writable [M8.read-only]", async () => {
    const refusal = new FileError("permission_denied", "Permission denied by the operating system");
    const guarded: Platform["guarded"] = { ...platform.guarded, writeBytes: () => Promise.reject(refusal) };
    const folder = await temporaryFolder();
    await expect(writeInFolder({ ...platform, guarded }, folder, TYPES_FILE, text)).rejects.toBe(refusal);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("readManifest()", () => {
  it("reads only the manifest, and reports its problems [M8.manifest]", async () => {
    const folder = await temporaryFolder();
    expect(await readManifest(platform, folder)).toBe(undefined);
    await writeFile(join(folder, "manifest.json"), "{}");
    expect(await readManifest(platform, folder)).toMatchObject({ ok: false });
    await writeFile(join(folder, "manifest.json"), Uint8Array.of(0x22, 0xff, 0x22));
    expect(await readManifest(platform, folder)).toMatchObject({ ok: false, problems: [{ message: '"manifest.json" is not UTF-8 text' }] });
  });

  it("refuses a manifest that is a link out of the folder [M8.links]", async () => {
    const [folder, outside] = [await temporaryFolder(), await temporaryFolder()];
    await writeFile(join(outside, "manifest.json"), JSON.stringify(manifest));
    await symlink(join(outside, "manifest.json"), join(folder, "manifest.json"));
    expect(await readManifest(platform, folder)).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining("Cannot read") }],
    });
  });
});
