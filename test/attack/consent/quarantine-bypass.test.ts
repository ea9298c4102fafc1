import { describe, expect, it } from "vitest";
import { createVersions } from "../../../host/plugins/consent/versions.ts";
import { privateKeyText, signDigest } from "../../../host/plugins/folder/signature.ts";
import { consentWorld, LOCK, ROOT } from "../../support/consent-world.ts";
import { manifest, pluginFiles, tool } from "../../host/plugins/folder/harness.ts";

const WIDER = { permissions: { read: ["$workspace"] } };
const WIDEST = { permissions: { read: true, write: true } };
const NOTES = `${ROOT}/plugins/notes`;

async function waiting(): ReturnType<typeof consentWorld> {
  const world = await consentWorld(pluginFiles("notes", "one"));
  await world.consent.flush();
  await world.edit(pluginFiles("notes", "evil", WIDER));
  return world;
}

describe("a quarantined version", () => {
  it("is not admitted in place of the accepted one: consent is bound to the bytes [H6.swap]", async () => {
    const world = await waiting();
    const shown = world.status("notes")?.held?.digest ?? "";
    world.plant(pluginFiles("notes", "more evil", WIDEST));
    expect(await world.acts.accept("notes", shown)).toMatchObject({
      kind: "changed",
      held: { changes: [{ what: "read: everything" }, { what: "write: everything" }] },
    });
    expect(world.code("notes_run")).toBe("one");
    // The consent is not kept for later either.
    await world.edit(pluginFiles("notes", "evil", WIDER));
    expect([world.code("notes_run"), world.status("notes")?.state]).toEqual(["one", "quarantined"]);
  });

  it("is not accepted by a hash that does not match [H6.swap]", async () => {
    const world = await waiting();
    for (const digest of ["", "0".repeat(64), world.status("notes")?.digest ?? ""])
      expect((await world.acts.accept("notes", digest)).kind).toBe("changed");
    expect(world.code("notes_run")).toBe("one");
  });

  it("is not admitted by switching quickly between wide and narrow versions [H6.flips]", async () => {
    const world = await waiting();
    for (let turn = 0; turn < 20; turn += 1) {
      await world.edit(pluginFiles("notes", `narrow ${turn}`));
      await Promise.all([
        world.directory.reloadChanged(),
        (world.plant(pluginFiles("notes", `wide ${turn}`, WIDER)), world.directory.reloadChanged()),
      ]);
      await world.directory.reloadChanged();
      expect([world.code("notes_run"), world.status("notes")?.held?.changes]).toEqual([
        `narrow ${turn}`,
        [expect.objectContaining({ what: "read: $workspace" })],
      ]);
    }
    expect(world.events.filter(({ type, payload }) => type === "plugin.reloaded" && "consent" in payload)).toEqual([]);
  });

  it("is not admitted step by step: each step is compared with the active version, not with the waiting one [H6.steps]", async () => {
    const world = await waiting();
    await world.edit(pluginFiles("notes", "evil too", WIDEST));
    await world.edit(pluginFiles("notes", "evil again", WIDER));
    expect(world.code("notes_run")).toBe("one");
  });

  it.each([
    [
      "turned off and on",
      async (world: Awaited<ReturnType<typeof waiting>>) =>
        world.edit({ "notes/manifest.json": manifest("notes", { ...WIDER, enabled: false }) }),
    ],
    ["broken and repaired", async (world: Awaited<ReturnType<typeof waiting>>) => world.edit({ "notes/main.ts": "broken(" })],
    [
      "deleted and restored",
      async (world: Awaited<ReturnType<typeof waiting>>) => (await world.platform.files.remove(NOTES), world.edit({})),
    ],
    [
      "renamed and renamed back",
      async (world: Awaited<ReturnType<typeof waiting>>) => (
        await world.platform.files.rename(NOTES, `${ROOT}/plugins/.away`),
        await world.edit({}),
        world.platform.files.rename(`${ROOT}/plugins/.away`, NOTES)
      ),
    ],
  ])("is not admitted when its folder is %s [H6.detour]", async (_how, detour) => {
    const world = await waiting();
    await detour(world);
    await world.edit(pluginFiles("notes", "evil", WIDER));
    expect([world.code("notes_run"), world.status("notes")?.state]).toEqual(["one", "quarantined"]);
  });

  it("is not admitted from another folder, nor by swapping folders [H6.move]", async () => {
    const world = await waiting();
    const other = Object.fromEntries(
      Object.entries(pluginFiles("notes", "evil", WIDER)).map(([path, text]) => [path.replace("notes/", "other/"), text]),
    );
    await world.platform.files.remove(NOTES);
    await world.edit(other);
    expect(typeof world.callable("notes_run") === "string" || world.code("notes_run") === "one").toBe(true);
    const next = await world.restart();
    expect(next.code("notes_run")).not.toBe("evil");
    expect(next.directory.status().find(({ folder }) => folder === "other")?.state).toBe("quarantined");
  });

  it("is not admitted by changing its name and back, even if renaming needs no consent [H6.rename]", async () => {
    const world = await consentWorld(pluginFiles("notes", "one"), { mode: "fluent" });
    await world.edit({ "notes/manifest.json": manifest("words") });
    await world.edit({ "notes/manifest.json": manifest("words", WIDER) });
    expect(world.status("words")?.state).toBe("quarantined");
    await world.edit({ "notes/manifest.json": manifest("notes", WIDER) });
    expect(world.directory.status().find(({ folder }) => folder === "notes")?.state).toBe("quarantined");
    // The old name in a new folder is not a new plugin.
    await world.edit({ "notes/manifest.json": manifest("words"), "new/manifest.json": manifest("notes", WIDER), "new/main.ts": "evil" });
    expect(world.directory.status().find(({ folder }) => folder === "new")?.state).toBe("quarantined");
  });

  it("does not run natively because its name is trusted: other bytes wait in every folder [O1.name, H6.move]", async () => {
    const world = await consentWorld(pluginFiles("notes", "one"), { trusted: ["notes"] });
    await world.consent.flush();
    await world.edit({ "notes/main.ts": "evil" });
    expect([world.code("notes_run"), world.status("notes")?.held?.changes]).toEqual([
      "one",
      [{ kind: "file", path: "main.ts", change: "changed" }],
    ]);
    await world.platform.files.remove(NOTES);
    await world.edit(
      Object.fromEntries(Object.entries(pluginFiles("notes", "evil")).map(([path, text]) => [path.replace("notes/", "a/"), text])),
    );
    expect(world.status("notes")?.state).toBe("quarantined");
    // Fluent mode and sandboxed plugins need no consent for the edit.
    for (const options of [{ trusted: ["notes"], mode: "fluent" }, { trusted: ["words"] }] as const) {
      const other = await consentWorld(pluginFiles("notes", "one"), options);
      await other.edit({ "notes/main.ts": "two" });
      expect(other.code("notes_run")).toBe("two");
    }
  });

  it("does not become the base of a rollback [H10.base]", async () => {
    const world = await waiting();
    await expect(world.acts.rollback("notes")).rejects.toThrow("No earlier version");
    await world.edit(pluginFiles("notes", "two"));
    expect(await world.acts.rollback("notes")).toMatchObject({ changes: [] });
    expect(world.code("notes_run")).toBe("one");
  });

  it("cannot hide its requests behind two hundred new descriptions [H6.flood]", async () => {
    const tools = Array.from({ length: 230 }, (_, index) => tool(`aaa_${index}`, { description: "!".repeat(100) }));
    const world = await consentWorld(pluginFiles("notes", "one"));
    await world.edit(pluginFiles("notes", "two", { tools: [tool("notes_run"), ...tools], ...WIDER }));
    expect(world.status("notes")?.held?.changes[0]).toMatchObject({ kind: "permission", what: "read: $workspace" });
  });
});

describe("kept versions", () => {
  it("are not loaded if they were modified [H6.kept]", async () => {
    const first = await waiting();
    const digest = first.status("notes")?.digest ?? "";
    const place = `${ROOT}/.bascule/versions/notes/${digest}`;
    first.platform.plant(`${place}/main.ts`, "evil");
    const second = await first.restart();
    expect(second.callable("notes_run")).toMatch(/^Not accepted yet/);
    first.platform.plant(`${place}/main.ts`, "one");
    first.platform.plant(`${place}/extra.ts`, "evil");
    expect((await second.restart()).callable("notes_run")).toMatch(/^Not accepted yet/);
  });

  it("are found by hash only: a false list of versions has no effect [H10.kept]", async () => {
    const world = await consentWorld(pluginFiles("notes", "one"));
    await world.consent.flush();
    await world.edit(pluginFiles("notes", "two"));
    await world.consent.flush();
    const index = `${ROOT}/.bascule/versions/notes/versions.json`;
    const digest = world.status("notes")?.digest ?? "";
    const lies = [
      "{",
      "[]",
      `[{"digest":"../../../../etc","version":"1","bytes":1}]`,
      `[${`{"digest":"${digest}","version":"1","bytes":1},`.repeat(9)}7]`,
    ];
    for (const lie of lies) {
      world.platform.plant(index, lie);
      await expect(world.acts.rollback("notes")).rejects.toThrow("No earlier version");
    }
    expect(await createVersions(world.platform, `${ROOT}/.bascule/versions`).list("notes")).toHaveLength(5);
  });
});

describe("bascule.lock", () => {
  it('grants nothing: neither its "granted" nor its "permissions" has an effect [H7.tamper]', async () => {
    const first = await waiting();
    const text = await first.platform.files.readText(LOCK);
    first.platform.plant(LOCK, text.replace('"granted": {}', '"granted": {"read": true}'));
    const second = await first.restart();
    expect([second.grants.list(), second.grants.find("notes", NOTES, "")]).toEqual([[], undefined]);
    expect(second.status("notes")?.state).toBe("quarantined");
  });

  it("changes nothing if it is broken while a host runs, and is not overwritten [H7.tamper]", async () => {
    const world = await waiting();
    world.platform.plant(LOCK, "<<<<<<< ours");
    await world.edit(pluginFiles("notes", "evil 2", WIDER));
    expect(world.code("notes_run")).toBe("one");
    await expect(world.acts.accept("notes", world.status("notes")?.held?.digest ?? "")).rejects.toThrow(/merge conflict/);
    await world.edit(pluginFiles("notes", "fine"));
    await world.consent.flush();
    expect(await world.platform.files.readText(LOCK)).toBe("<<<<<<< ours");
    expect(world.platform.recorded.log.some(({ level, message }) => level === "error" && message.includes("bascule.lock"))).toBe(true);
  });
});

describe("signatures", () => {
  async function signed(world: Awaited<ReturnType<typeof consentWorld>>, seed: number): Promise<void> {
    await world.directory.reloadChanged();
    const signature = await signDigest(
      privateKeyText(new Uint8Array(32).fill(seed)),
      world.status("notes")?.held?.digest ?? world.status("notes")?.digest ?? "",
    );
    await world.edit({ "notes/manifest.sig": signature?.text ?? "" });
  }

  it("that are added, changed or removed need consent, even if no byte of the plugin differs [M12.signer]", async () => {
    const world = await consentWorld(pluginFiles("notes", "one"), { mode: "fluent" });
    const held = (): unknown => world.status("notes")?.held?.changes;
    await signed(world, 1);
    expect(held()).toEqual([{ kind: "signer", to: expect.any(String) }]);
    await world.acts.accept("notes", world.status("notes")?.held?.digest ?? "");
    const [signer] = [world.lock.entries().get("notes")?.signer];
    expect([world.status("notes")?.state, world.directory.serving(NOTES)?.signedBy?.signer]).toEqual(["loaded", signer]);
    await signed(world, 2);
    expect(held()).toEqual([{ kind: "signer", from: signer, to: expect.any(String) }]);
    await world.platform.files.remove(`${NOTES}/manifest.sig`);
    await world.edit({});
    expect(held()).toEqual([{ kind: "signer", from: signer }]);
    expect(world.directory.serving(NOTES)?.signedBy?.signer).toBe(signer);
    await signed(world, 1);
    expect(world.status("notes")?.state).toBe("loaded");
    expect((await world.restart()).directory.serving(NOTES)?.signedBy?.signer).toBe(signer);
  });

  it("of another signer are not accepted with the consent to an unsigned version of the same bytes [M12.swap]", async () => {
    const world = await waiting();
    const { digest = "" } = world.status("notes")?.held ?? {};
    const signature = await signDigest(privateKeyText(new Uint8Array(32).fill(3)), digest);
    world.plant({ "notes/manifest.sig": signature?.text ?? "" });
    expect(await world.acts.accept("notes", digest)).toMatchObject({ kind: "changed", held: { signer: signature?.signer } });
    expect(world.code("notes_run")).toBe("one");
  });

  it("that are invalid refuse the plugin; the previous version stays active [M12.invalid]", async () => {
    const world = await consentWorld(pluginFiles("notes", "one"));
    await world.edit({ ...pluginFiles("notes", "evil"), "notes/manifest.sig": "{}" });
    expect([world.code("notes_run"), world.status("notes")?.state]).toEqual(["one", "failed"]);
  });
});
