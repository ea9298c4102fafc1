import { localService } from "../../../support/local-service.ts";
import { gzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { createInstaller, type Installer } from "../../../../host/plugins/installing/installer.ts";
import { LockFileError, openLock } from "../../../../host/plugins/consent/lock.ts";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { privateKeyText, signDigest } from "../../../../host/plugins/folder/signature.ts";
import { tarOf, zipOf } from "../../../support/archives.ts";
import { type ConsentWorld, consentWorld, LOCK, ROOT } from "../../../support/consent-world.ts";
import { inRoot, manifest, pluginFiles, tool } from "../folder/harness.ts";

const WIDER = { permissions: { read: ["$workspace"] } };
const NOTES = "/project/plugins/notes";

function installerOf(world: ConsentWorld): Installer {
  const { platform, directory, consent, grants } = world;
  return createInstaller({ platform, service: localService(platform), directory, consent, grants, roots: [`${ROOT}/plugins`] });
}

/** Files of a package, without a folder around them. */
function packageFiles(code: string, more: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return { "manifest.json": manifest("notes", more), "main.ts": code };
}

function tgz(code: string, more: Readonly<Record<string, unknown>> = {}): Uint8Array {
  return gzipSync(tarOf(Object.entries(packageFiles(code, more)).map(([name, content]) => ({ name: `package/${name}`, content }))));
}

async function addTgz(world: ConsentWorld, bytes: Uint8Array): Promise<string> {
  world.platform.plant("/downloads/notes.tgz", bytes);
  const installer = installerOf(world);
  const { digest } = await installer.inspect("/downloads/notes.tgz");
  return (await installer.install(digest)).digest;
}

describe("inspect()", () => {
  it("shows what a plugin requests, and changes nothing [I2.add]", async () => {
    const world = await consentWorld({});
    world.platform.plant(
      "/downloads/notes.zip",
      zipOf(
        packageFiles("one", {
          ...WIDER,
          tools: [tool("save", { sideEffects: ["write"], destructive: true })],
          settingsSchema: { type: "object", properties: { key: { type: "string", description: "Your key" } } },
          skills: [{ name: "tidy", description: "Tidies up", tools: ["save"], inputSchema: { type: "object" } }],
        }),
      ),
    );
    const before = await world.platform.files.list(`${ROOT}/plugins`);
    expect(await installerOf(world).inspect("/downloads/notes.zip")).toMatchObject({
      name: "notes",
      version: "1.0.0",
      origin: { kind: "archive", from: "notes.zip" },
      files: 2,
      requested: { ...WIDER.permissions, tools: ["notes.save"] },
      tools: [
        { name: "save", class: "write", destructive: true, description: "Runs save" },
        { name: "tidy", description: "Tidies up" },
      ],
      settings: '{"properties":{"key":{"description":"Your key","type":"string"}},"type":"object"}',
    });
    expect([await world.platform.files.list(`${ROOT}/plugins`), await world.platform.files.stat(LOCK)]).toEqual([before, undefined]);
  });

  it.each([
    ["nothing", "/downloads/none", /Cannot read "\/downloads\/none": not found/],
    ["a folder without a manifest", "/downloads/empty", /Not a plugin/],
    ["a file that is not an archive", "/downloads/text", /Not a folder, zip/],
    ["an archive without a manifest", "/downloads/other.zip", /manifest.json not found/],
    ["an invalid manifest", "/downloads/wrong.zip", /not valid\ndocument/],
    ["a manifest that names a missing file", "/downloads/missing.zip", /"main.ts" is not in the plugin's folder/],
    ["an invalid signature", "/downloads/signed.zip", /is no signature/],
    ["a folder with a link out of it", "/downloads/linked", /leaves the plugin's folder/],
  ])("refuses %s with the reason [I2.refuse]", async (_what, path, expected) => {
    const world = await consentWorld({});
    world.platform.plant("/etc/passwd", "root");
    world.platform.plant("/downloads/empty/x", "");
    world.platform.plant("/downloads/text", "hello");
    world.platform.plant("/downloads/other.zip", zipOf({ "readme.md": "x" }));
    world.platform.plant("/downloads/wrong.zip", zipOf({ "manifest.json": "{}" }));
    world.platform.plant("/downloads/missing.zip", zipOf({ "manifest.json": manifest("notes") }));
    world.platform.plant("/downloads/signed.zip", zipOf({ ...packageFiles("one"), "manifest.sig": "{}" }));
    for (const [name, text] of Object.entries(packageFiles("one"))) world.platform.plant(`/downloads/linked/${name}`, text);
    world.platform.plant("/downloads/linked/x", { link: "/etc/passwd" });
    await expect(installerOf(world).inspect(path)).rejects.toThrow(expected);
  });
});

describe("install()", () => {
  it("refuses an update with more changes than are shown [I2.flood]", async () => {
    const world = await consentWorld({});
    const properties = (title: string): object =>
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, { title, default: title }]));
    const tools = (title: string): readonly unknown[] =>
      Array.from({ length: 12 }, (_, index) => tool(`a_${index}`, { inputSchema: { type: "object", properties: properties(title) } }));
    const installer = installerOf(world);
    for (const title of ["one", "two"]) {
      world.platform.plant("/downloads/notes.tgz", tgz(title, { tools: tools(title) }));
      const { digest, replaces } = await installer.inspect("/downloads/notes.tgz");
      if (title === "one") await installer.install(digest);
      else {
        expect(replaces?.changes.at(-1)).toEqual({ kind: "more", count: 440, widens: false });
        await expect(installer.install(digest)).rejects.toThrow(
          'Cannot accept version 1.0.0 of plugin "notes": more than 1000 visible changes',
        );
      }
    }
    expect(world.lock.entries().get("notes")?.surface.tools["a_0"]).toMatchObject({ inputSchema: { properties: properties("one") } });
  });

  it("writes exactly what was shown to the plugin folder, loads it and locks it [I2.add]", async () => {
    const world = await consentWorld({});
    world.platform.plant("/downloads/notes.tgz", tgz("one", WIDER));
    const installer = installerOf(world);
    const { digest } = await installer.inspect("/downloads/notes.tgz");
    // The inspected files are installed, whatever the archive contains now.
    world.platform.plant("/downloads/notes.tgz", tgz("evil", WIDER));
    expect(await installer.install(digest)).toEqual({ name: "notes", version: "1.0.0", digest, directory: NOTES });
    expect([world.code("notes_run"), world.status("notes")?.digest]).toEqual(["one", digest]);
    expect(world.lock.entries().get("notes")).toMatchObject({ digest, origin: { kind: "archive", from: "notes.tgz" } });
    expect((await world.platform.files.list(`${ROOT}/plugins`)).map(({ name }) => name).toSorted()).toEqual([".keep", "notes"]);
    await expect(installer.install(digest)).rejects.toThrow(/Inspect the plugin again/);
  });

  it("copies a folder with its signature [I2.folder]", async () => {
    const world = await consentWorld({});
    for (const [name, text] of Object.entries(packageFiles("one"))) world.platform.plant(`/elsewhere/${name}`, text);
    const installer = installerOf(world);
    const { digest } = await installer.inspect("/elsewhere");
    const signature = await signDigest(privateKeyText(new Uint8Array(32)), digest);
    world.platform.plant("/elsewhere/manifest.sig", signature?.text ?? "");
    expect(await installer.inspect("/elsewhere")).toMatchObject({ signer: signature?.signer, origin: { kind: "folder" } });
    await installer.install(digest);
    expect(await world.platform.files.readText(`${NOTES}/manifest.sig`)).toBe(signature?.text);
    expect(world.lock.entries().get("notes")).toMatchObject({ signer: signature?.signer, origin: { kind: "folder" } });
  });

  it("refuses a plugin whose signer changes during the installation [I2.signer]", async () => {
    const world = await consentWorld({});
    for (const [name, text] of Object.entries(packageFiles("one"))) world.platform.plant(`/elsewhere/${name}`, text);
    const { digest } = await installerOf(world).inspect("/elsewhere");
    const [mine, other] = [
      await signDigest(privateKeyText(new Uint8Array(32)), digest),
      await signDigest(privateKeyText(new Uint8Array(32).fill(7)), digest),
    ];
    world.platform.plant("/elsewhere/manifest.sig", mine?.text ?? "");
    const { rename } = world.platform.files;
    // The hash does not cover the signature.
    const files = {
      ...world.platform.files,
      rename: async (from: string, to: string): Promise<void> => {
        await rename(from, to);
        if (to === NOTES) world.platform.plant(`${NOTES}/manifest.sig`, other?.text ?? "");
      },
    };
    const installer = createInstaller({
      ...world,
      service: localService(world.platform),
      platform: { ...world.platform, files },
      roots: [`${ROOT}/plugins`],
    });
    expect((await installer.inspect("/elsewhere")).signer).toBe(mine?.signer);
    await expect(installer.install(digest)).rejects.toThrow("Plugin does not load");
    expect(world.lock.entries().size).toBe(0);
  });

  it("keeps only a few inspected packages [I2.bounded]", async () => {
    const world = await consentWorld({});
    const installer = installerOf(world);
    const digests: string[] = [];
    for (const code of ["1", "2", "3", "4", "5"]) {
      world.platform.plant("/downloads/notes.tgz", tgz(code));
      digests.push((await installer.inspect("/downloads/notes.tgz")).digest);
    }
    await expect(installer.install(digests[0] ?? "")).rejects.toThrow("Inspect the plugin again");
    expect((await installer.install(digests[1] ?? "")).digest).toBe(digests[1]);
  });

  it("leaves nothing behind if the plugin does not load [I2.undo]", async () => {
    const world = await consentWorld({});
    await expect(addTgz(world, tgz("broken("))).rejects.toThrow(/Plugin does not load: main.ts:1:8/);
    expect((await world.platform.files.list(`${ROOT}/plugins`)).map(({ name }) => name)).toEqual([".keep"]);
    expect([world.status("notes"), world.lock.entries().size]).toEqual([undefined, 0]);
  });

  it("does not replace another plugin [I2.taken]", async () => {
    const world = await consentWorld(pluginFiles("notes", "mine"));
    await expect(addTgz(world, tgz("theirs"))).rejects.toThrow(/already exists.*remove notes/);
    world.platform.plant(`${ROOT}/plugins/words/x`, "");
    world.platform.plant("/downloads/words.zip", zipOf({ "manifest.json": manifest("words"), "main.ts": "x" }));
    const installer = installerOf(world);
    await expect(installer.install((await installer.inspect("/downloads/words.zip")).digest)).rejects.toThrow(
      /already exists \(move it away\)/,
    );
    expect(world.code("notes_run")).toBe("mine");
  });

  it("updates an installed plugin and shows the changes, but not one that was edited since [I2.update]", async () => {
    const world = await consentWorld({});
    await addTgz(world, tgz("one"));
    world.platform.plant("/downloads/new.tgz", tgz("two", { version: "2.0.0", ...WIDER }));
    const installer = installerOf(world);
    const preview = await installer.inspect("/downloads/new.tgz");
    expect(preview.replaces).toMatchObject({ version: "1.0.0", changes: [{ kind: "permission", what: "read: $workspace" }] });
    await installer.install(preview.digest);
    expect([world.code("notes_run"), world.lock.entries().get("notes")?.version]).toEqual(["two", "2.0.0"]);
    await world.edit({ "notes/main.ts": "three" });
    await expect(addTgz(world, tgz("four"))).rejects.toThrow(/was modified in/);
    expect(world.code("notes_run")).toBe("two");
  });

  it.each([
    ["its hash", true],
    ["its folder", false],
  ])("inherits no grant for %s from a plugin whose folder was deleted [I2.taken, C3.digest]", async (_what, isBound) => {
    const world = await consentWorld({});
    const digest = await addTgz(world, tgz("one", WIDER));
    await world.grants.grant("notes", NOTES, { read: true }, isBound ? digest : undefined);
    await world.platform.files.remove(NOTES);
    await world.directory.reloadChanged();
    const other = await addTgz(world, tgz("another's", WIDER));
    expect([world.code("notes_run"), world.grants.find("notes", NOTES, other)]).toEqual(["another's", undefined]);
  });

  it("keeps the grants of an updated plugin [I2.update, C3.digest]", async () => {
    const world = await consentWorld({});
    await world.grants.grant("notes", NOTES, { read: true }, await addTgz(world, tgz("one", WIDER)));
    expect(world.grants.find("notes", NOTES, await addTgz(world, tgz("two", WIDER)))).toEqual({ read: true });
  });

  it("keeps the active version if the update does not load [I2.update]", async () => {
    const world = await consentWorld({});
    const digest = await addTgz(world, tgz("one"));
    await expect(addTgz(world, tgz("broken("))).rejects.toThrow(/does not load/);
    expect([world.code("notes_run"), world.status("notes")?.state, world.lock.entries().get("notes")?.digest]).toEqual([
      "one",
      "loaded",
      digest,
    ]);
  });
});

describe("an installed plugin", () => {
  it("is bound to its hash, as are its grants, until the user accepts another version [C3.digest]", async () => {
    const world = await consentWorld({}, { mode: "fluent" });
    const digest = await addTgz(world, tgz("one", WIDER));
    await world.grants.grant("notes", NOTES, { read: true }, digest);
    await world.edit({ "notes/main.ts": "two" });
    const { held } = world.status("notes") ?? {};
    expect([world.code("notes_run"), held?.changes]).toEqual(["one", [{ kind: "file", path: "main.ts", change: "changed" }]]);
    expect(world.grants.find("notes", NOTES, held?.digest ?? "")).toBeUndefined();
    await world.acts.accept("notes", held?.digest ?? "");
    expect([world.code("notes_run"), world.grants.find("notes", NOTES, held?.digest ?? "")]).toEqual(["two", { read: true }]);
    expect(world.grants.find("notes", NOTES, digest)).toBeUndefined();
    await world.acts.rollback("notes");
    expect([world.code("notes_run"), world.grants.find("notes", NOTES, digest)]).toEqual(["one", { read: true }]);
  });

  it("stays bound after a restart [C3.digest]", async () => {
    const world = await consentWorld({}, { mode: "fluent" });
    await addTgz(world, tgz("one"));
    const next = await world.restart({ mode: "fluent" });
    await next.edit({ "notes/main.ts": "two" });
    expect([next.code("notes_run"), next.status("notes")?.state]).toEqual(["one", "quarantined"]);
  });
});

describe("a frozen host", () => {
  it("installs nothing [H7.frozen]", async () => {
    const first = await consentWorld(pluginFiles("words", "one"));
    const frozen = await first.restart({ frozen: true });
    await expect(addTgz(frozen, tgz("one"))).rejects.toThrow(/is not in bascule.lock/);
    expect(await frozen.platform.files.stat(NOTES)).toBeUndefined();
  });

  it("needs a valid lock [H7.frozen]", async () => {
    const platform = createMemoryPlatform({ files: inRoot({ "x/y": "" }) });
    platform.plant("/bascule.lock", "{");
    await expect(openLock(platform, "/bascule.lock")).rejects.toThrow(LockFileError);
  });
});
