import { localService } from "../../../support/local-service.ts";
import { gzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { createInstaller, type Installer } from "../../../../host/plugins/installing/installer.ts";
import { LockFileError, openLock } from "../../../../host/plugins/consent/lock.ts";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { privateKeyText, signDigest } from "../../../../host/plugins/folder/signature.ts";
import { tarOf, zipOf } from "../../../support/archives.ts";
import { type ConsentEnvironment, consentWorld, LOCK, ROOT } from "../../../support/consent-world.ts";
import { inRoot, manifest, pluginFiles, tool } from "../folder/harness.ts";

const WIDER = { permissions: { read: ["$workspace"] } };
const NOTES = "/project/plugins/notes";

function installerOf(env: ConsentEnvironment): Installer {
  const { platform, directory, consent, grants } = env;
  return createInstaller({ platform, service: localService(platform), directory, consent, grants, roots: [`${ROOT}/plugins`] });
}

/** Files of a package, without a folder around them. */
function packageFiles(code: string, more: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  return { "manifest.json": manifest("notes", more), "main.ts": code };
}

function tgz(code: string, more: Readonly<Record<string, unknown>> = {}): Uint8Array {
  return gzipSync(tarOf(Object.entries(packageFiles(code, more)).map(([name, content]) => ({ name: `package/${name}`, content }))));
}

async function addTgz(env: ConsentEnvironment, bytes: Uint8Array): Promise<string> {
  env.platform.plant("/downloads/notes.tgz", bytes);
  const installer = installerOf(env);
  const { digest } = await installer.inspect("/downloads/notes.tgz");
  return (await installer.install(digest)).digest;
}

describe("inspect()", () => {
  it("shows what a plugin requests, and changes nothing [I2.add]", async () => {
    const env = await consentWorld({});
    env.platform.plant(
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
    const before = await env.platform.files.list(`${ROOT}/plugins`);
    expect(await installerOf(env).inspect("/downloads/notes.zip")).toMatchObject({
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
    expect([await env.platform.files.list(`${ROOT}/plugins`), await env.platform.files.stat(LOCK)]).toEqual([before, undefined]);
  });

  it.each([
    ["nothing", "/downloads/none", /Cannot read "\/downloads\/none": not found/],
    ["a folder without a manifest", "/downloads/empty", /Not a plugin/],
    ["a file that is not an archive", "/downloads/text", /neither a folder nor a zip/],
    ["an archive without a manifest", "/downloads/other.zip", /manifest.json not found/],
    ["an invalid manifest", "/downloads/wrong.zip", /not valid\ndocument/],
    ["a manifest that names a missing file", "/downloads/missing.zip", /"main.ts" is not in the plugin's folder/],
    ["an invalid signature", "/downloads/signed.zip", /is not a valid bascule signature/],
    ["a folder with a link out of it", "/downloads/linked", /leaves the plugin's folder/],
  ])("refuses %s with the reason [I2.refuse]", async (_what, path, expected) => {
    const env = await consentWorld({});
    env.platform.plant("/etc/passwd", "root");
    env.platform.plant("/downloads/empty/x", "");
    env.platform.plant("/downloads/text", "hello");
    env.platform.plant("/downloads/other.zip", zipOf({ "readme.md": "x" }));
    env.platform.plant("/downloads/wrong.zip", zipOf({ "manifest.json": "{}" }));
    env.platform.plant("/downloads/missing.zip", zipOf({ "manifest.json": manifest("notes") }));
    env.platform.plant("/downloads/signed.zip", zipOf({ ...packageFiles("one"), "manifest.sig": "{}" }));
    for (const [name, text] of Object.entries(packageFiles("one"))) env.platform.plant(`/downloads/linked/${name}`, text);
    env.platform.plant("/downloads/linked/x", { link: "/etc/passwd" });
    await expect(installerOf(env).inspect(path)).rejects.toThrow(expected);
  });
});

describe("install()", () => {
  it("refuses an update with more changes than are shown [I2.flood]", async () => {
    const env = await consentWorld({});
    const properties = (title: string): object =>
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, { title, default: title }]));
    const tools = (title: string): readonly unknown[] =>
      Array.from({ length: 12 }, (_, index) => tool(`a_${index}`, { inputSchema: { type: "object", properties: properties(title) } }));
    const installer = installerOf(env);
    for (const title of ["one", "two"]) {
      env.platform.plant("/downloads/notes.tgz", tgz(title, { tools: tools(title) }));
      const { digest, replaces } = await installer.inspect("/downloads/notes.tgz");
      if (title === "one") await installer.install(digest);
      else {
        expect(replaces?.changes.at(-1)).toEqual({ kind: "more", count: 440, widens: false });
        await expect(installer.install(digest)).rejects.toThrow(
          'Cannot accept version 1.0.0 of plugin "notes": more than 1000 visible changes',
        );
      }
    }
    expect(env.lock.entries().get("notes")?.declared.tools["a_0"]).toMatchObject({ inputSchema: { properties: properties("one") } });
  });

  it("writes exactly what was shown to the plugin folder, loads it and locks it [I2.add]", async () => {
    const env = await consentWorld({});
    env.platform.plant("/downloads/notes.tgz", tgz("one", WIDER));
    const installer = installerOf(env);
    const { digest } = await installer.inspect("/downloads/notes.tgz");
    // The inspected files are installed, whatever the archive contains now.
    env.platform.plant("/downloads/notes.tgz", tgz("evil", WIDER));
    expect(await installer.install(digest)).toEqual({ name: "notes", version: "1.0.0", digest, directory: NOTES });
    expect([env.code("notes_run"), env.status("notes")?.digest]).toEqual(["one", digest]);
    expect(env.lock.entries().get("notes")).toMatchObject({ digest, origin: { kind: "archive", from: "notes.tgz" } });
    expect((await env.platform.files.list(`${ROOT}/plugins`)).map(({ name }) => name).toSorted()).toEqual([".keep", "notes"]);
    await expect(installer.install(digest)).rejects.toThrow(/Inspect the plugin again/);
  });

  it("copies a folder with its signature [I2.folder]", async () => {
    const env = await consentWorld({});
    for (const [name, text] of Object.entries(packageFiles("one"))) env.platform.plant(`/elsewhere/${name}`, text);
    const installer = installerOf(env);
    const { digest } = await installer.inspect("/elsewhere");
    const signature = await signDigest(privateKeyText(new Uint8Array(32)), digest);
    env.platform.plant("/elsewhere/manifest.sig", signature?.text ?? "");
    expect(await installer.inspect("/elsewhere")).toMatchObject({ signer: signature?.signer, origin: { kind: "folder" } });
    await installer.install(digest);
    expect(await env.platform.files.readText(`${NOTES}/manifest.sig`)).toBe(signature?.text);
    expect(env.lock.entries().get("notes")).toMatchObject({ signer: signature?.signer, origin: { kind: "folder" } });
  });

  it("refuses a plugin whose signer changes during the installation [I2.signer]", async () => {
    const env = await consentWorld({});
    for (const [name, text] of Object.entries(packageFiles("one"))) env.platform.plant(`/elsewhere/${name}`, text);
    const { digest } = await installerOf(env).inspect("/elsewhere");
    const [mine, other] = [
      await signDigest(privateKeyText(new Uint8Array(32)), digest),
      await signDigest(privateKeyText(new Uint8Array(32).fill(7)), digest),
    ];
    env.platform.plant("/elsewhere/manifest.sig", mine?.text ?? "");
    const { rename } = env.platform.files;
    // The hash does not cover the signature.
    const files = {
      ...env.platform.files,
      rename: async (from: string, to: string): Promise<void> => {
        await rename(from, to);
        if (to === NOTES) env.platform.plant(`${NOTES}/manifest.sig`, other?.text ?? "");
      },
    };
    const installer = createInstaller({
      ...env,
      service: localService(env.platform),
      platform: { ...env.platform, files },
      roots: [`${ROOT}/plugins`],
    });
    expect((await installer.inspect("/elsewhere")).signer).toBe(mine?.signer);
    await expect(installer.install(digest)).rejects.toThrow("Plugin does not load");
    expect(env.lock.entries().size).toBe(0);
  });

  it("keeps only a few inspected packages [I2.bounded]", async () => {
    const env = await consentWorld({});
    const installer = installerOf(env);
    const digests: string[] = [];
    for (const code of ["1", "2", "3", "4", "5"]) {
      env.platform.plant("/downloads/notes.tgz", tgz(code));
      digests.push((await installer.inspect("/downloads/notes.tgz")).digest);
    }
    await expect(installer.install(digests[0] ?? "")).rejects.toThrow("Inspect the plugin again");
    expect((await installer.install(digests[1] ?? "")).digest).toBe(digests[1]);
  });

  it("leaves nothing behind if the plugin does not load [I2.undo]", async () => {
    const env = await consentWorld({});
    await expect(addTgz(env, tgz("broken("))).rejects.toThrow(/Plugin does not load: main.ts:1:8/);
    expect((await env.platform.files.list(`${ROOT}/plugins`)).map(({ name }) => name)).toEqual([".keep"]);
    expect([env.status("notes"), env.lock.entries().size]).toEqual([undefined, 0]);
  });

  it("does not replace another plugin [I2.taken]", async () => {
    const env = await consentWorld(pluginFiles("notes", "mine"));
    await expect(addTgz(env, tgz("theirs"))).rejects.toThrow(/already exists.*remove notes/);
    env.platform.plant(`${ROOT}/plugins/words/x`, "");
    env.platform.plant("/downloads/words.zip", zipOf({ "manifest.json": manifest("words"), "main.ts": "x" }));
    const installer = installerOf(env);
    await expect(installer.install((await installer.inspect("/downloads/words.zip")).digest)).rejects.toThrow(
      /already exists \(move it away\)/,
    );
    expect(env.code("notes_run")).toBe("mine");
  });

  it("updates an installed plugin and shows the changes, but not one that was edited since [I2.update]", async () => {
    const env = await consentWorld({});
    await addTgz(env, tgz("one"));
    env.platform.plant("/downloads/new.tgz", tgz("two", { version: "2.0.0", ...WIDER }));
    const installer = installerOf(env);
    const preview = await installer.inspect("/downloads/new.tgz");
    expect(preview.replaces).toMatchObject({ version: "1.0.0", changes: [{ kind: "permission", what: "read: $workspace" }] });
    await installer.install(preview.digest);
    expect([env.code("notes_run"), env.lock.entries().get("notes")?.version]).toEqual(["two", "2.0.0"]);
    await env.edit({ "notes/main.ts": "three" });
    await expect(addTgz(env, tgz("four"))).rejects.toThrow(/was modified in/);
    expect(env.code("notes_run")).toBe("two");
  });

  it.each([
    ["its hash", true],
    ["its folder", false],
  ])("inherits no grant for %s from a plugin whose folder was deleted [I2.taken, C3.digest]", async (_what, isBound) => {
    const env = await consentWorld({});
    const digest = await addTgz(env, tgz("one", WIDER));
    await env.grants.grant("notes", NOTES, { read: true }, isBound ? digest : undefined);
    await env.platform.files.remove(NOTES);
    await env.directory.reloadChanged();
    const other = await addTgz(env, tgz("another's", WIDER));
    expect([env.code("notes_run"), env.grants.find("notes", NOTES, other)]).toEqual(["another's", undefined]);
  });

  it("keeps the grants of an updated plugin [I2.update, C3.digest]", async () => {
    const env = await consentWorld({});
    await env.grants.grant("notes", NOTES, { read: true }, await addTgz(env, tgz("one", WIDER)));
    expect(env.grants.find("notes", NOTES, await addTgz(env, tgz("two", WIDER)))).toEqual({ read: true });
  });

  it("keeps the active version if the update does not load [I2.update]", async () => {
    const env = await consentWorld({});
    const digest = await addTgz(env, tgz("one"));
    await expect(addTgz(env, tgz("broken("))).rejects.toThrow(/does not load/);
    expect([env.code("notes_run"), env.status("notes")?.state, env.lock.entries().get("notes")?.digest]).toEqual(["one", "loaded", digest]);
  });
});

describe("an installed plugin", () => {
  it("is bound to its hash, as are its grants, until the user accepts another version [C3.digest]", async () => {
    const env = await consentWorld({}, { mode: "fluent" });
    const digest = await addTgz(env, tgz("one", WIDER));
    await env.grants.grant("notes", NOTES, { read: true }, digest);
    await env.edit({ "notes/main.ts": "two" });
    const { held } = env.status("notes") ?? {};
    expect([env.code("notes_run"), held?.changes]).toEqual(["one", [{ kind: "file", path: "main.ts", change: "changed" }]]);
    expect(env.grants.find("notes", NOTES, held?.digest ?? "")).toBeUndefined();
    await env.acts.accept("notes", held?.digest ?? "");
    expect([env.code("notes_run"), env.grants.find("notes", NOTES, held?.digest ?? "")]).toEqual(["two", { read: true }]);
    expect(env.grants.find("notes", NOTES, digest)).toBeUndefined();
    await env.acts.rollback("notes");
    expect([env.code("notes_run"), env.grants.find("notes", NOTES, digest)]).toEqual(["one", { read: true }]);
  });

  it("stays bound after a restart [C3.digest]", async () => {
    const env = await consentWorld({}, { mode: "fluent" });
    await addTgz(env, tgz("one"));
    const next = await env.restart({ mode: "fluent" });
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
