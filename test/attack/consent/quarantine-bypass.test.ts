import { describe, expect, it } from "vitest";
import { createVersions } from "../../../host/plugins/consent/versions.ts";
import { privateKeyText, signDigest } from "../../../host/plugins/folder/signature.ts";
import { consentWorld, LOCK, ROOT } from "../../support/consent-world.ts";
import { manifest, pluginFiles, tool } from "../../host/plugins/folder/harness.ts";

const WIDER = { permissions: { read: ["$workspace"] } };
const WIDEST = { permissions: { read: true, write: true } };
const NOTES = `${ROOT}/plugins/notes`;

async function waiting(): ReturnType<typeof consentWorld> {
  const env = await consentWorld(pluginFiles("notes", "one"));
  await env.consent.flush();
  await env.edit(pluginFiles("notes", "evil", WIDER));
  return env;
}

describe("a quarantined version", () => {
  it("is not admitted in place of the accepted one: consent is bound to the bytes [H6.swap]", async () => {
    const env = await waiting();
    const shown = env.status("notes")?.held?.digest ?? "";
    env.plant(pluginFiles("notes", "more evil", WIDEST));
    expect(await env.acts.accept("notes", shown)).toMatchObject({
      kind: "changed",
      held: { changes: [{ what: "read: everything" }, { what: "write: everything" }] },
    });
    expect(env.code("notes_run")).toBe("one");
    // The consent is not kept for later either.
    await env.edit(pluginFiles("notes", "evil", WIDER));
    expect([env.code("notes_run"), env.status("notes")?.state]).toEqual(["one", "quarantined"]);
  });

  it("is not accepted by a hash that does not match [H6.swap]", async () => {
    const env = await waiting();
    for (const digest of ["", "0".repeat(64), env.status("notes")?.digest ?? ""])
      expect((await env.acts.accept("notes", digest)).kind).toBe("changed");
    expect(env.code("notes_run")).toBe("one");
  });

  it("is not admitted by switching quickly between wide and narrow versions [H6.flips]", async () => {
    const env = await waiting();
    for (let turn = 0; turn < 20; turn += 1) {
      await env.edit(pluginFiles("notes", `narrow ${turn}`));
      await Promise.all([
        env.directory.reloadChanged(),
        (env.plant(pluginFiles("notes", `wide ${turn}`, WIDER)), env.directory.reloadChanged()),
      ]);
      await env.directory.reloadChanged();
      expect([env.code("notes_run"), env.status("notes")?.held?.changes]).toEqual([
        `narrow ${turn}`,
        [expect.objectContaining({ what: "read: $workspace" })],
      ]);
    }
    expect(env.events.filter(({ type, payload }) => type === "plugin.reloaded" && "consent" in payload)).toEqual([]);
  });

  it("is not admitted step by step: each step is compared with the active version, not with the waiting one [H6.steps]", async () => {
    const env = await waiting();
    await env.edit(pluginFiles("notes", "evil too", WIDEST));
    await env.edit(pluginFiles("notes", "evil again", WIDER));
    expect(env.code("notes_run")).toBe("one");
  });

  it.each([
    [
      "turned off and on",
      async (env: Awaited<ReturnType<typeof waiting>>) =>
        env.edit({ "notes/manifest.json": manifest("notes", { ...WIDER, enabled: false }) }),
    ],
    ["broken and repaired", async (env: Awaited<ReturnType<typeof waiting>>) => env.edit({ "notes/main.ts": "broken(" })],
    ["deleted and restored", async (env: Awaited<ReturnType<typeof waiting>>) => (await env.platform.files.remove(NOTES), env.edit({}))],
    [
      "renamed and renamed back",
      async (env: Awaited<ReturnType<typeof waiting>>) => (
        await env.platform.files.rename(NOTES, `${ROOT}/plugins/.away`),
        await env.edit({}),
        env.platform.files.rename(`${ROOT}/plugins/.away`, NOTES)
      ),
    ],
  ])("is not admitted when its folder is %s [H6.detour]", async (_how, detour) => {
    const env = await waiting();
    await detour(env);
    await env.edit(pluginFiles("notes", "evil", WIDER));
    expect([env.code("notes_run"), env.status("notes")?.state]).toEqual(["one", "quarantined"]);
  });

  it("is not admitted from another folder, nor by swapping folders [H6.move]", async () => {
    const env = await waiting();
    const other = Object.fromEntries(
      Object.entries(pluginFiles("notes", "evil", WIDER)).map(([path, text]) => [path.replace("notes/", "other/"), text]),
    );
    await env.platform.files.remove(NOTES);
    await env.edit(other);
    expect(typeof env.callable("notes_run") === "string" || env.code("notes_run") === "one").toBe(true);
    const next = await env.restart();
    expect(next.code("notes_run")).not.toBe("evil");
    expect(next.directory.status().find(({ folder }) => folder === "other")?.state).toBe("quarantined");
  });

  it("is not admitted by changing its name and back, even if renaming needs no consent [H6.rename]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one"), { mode: "fluent" });
    await env.edit({ "notes/manifest.json": manifest("words") });
    await env.edit({ "notes/manifest.json": manifest("words", WIDER) });
    expect(env.status("words")?.state).toBe("quarantined");
    await env.edit({ "notes/manifest.json": manifest("notes", WIDER) });
    expect(env.directory.status().find(({ folder }) => folder === "notes")?.state).toBe("quarantined");
    // The old name in a new folder is not a new plugin.
    await env.edit({ "notes/manifest.json": manifest("words"), "new/manifest.json": manifest("notes", WIDER), "new/main.ts": "evil" });
    expect(env.directory.status().find(({ folder }) => folder === "new")?.state).toBe("quarantined");
  });

  it("does not run natively because its name is trusted: other bytes wait in every folder [O1.name, H6.move]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one"), { trusted: ["notes"] });
    await env.consent.flush();
    await env.edit({ "notes/main.ts": "evil" });
    expect([env.code("notes_run"), env.status("notes")?.held?.changes]).toEqual([
      "one",
      [{ kind: "file", path: "main.ts", change: "changed" }],
    ]);
    await env.platform.files.remove(NOTES);
    await env.edit(
      Object.fromEntries(Object.entries(pluginFiles("notes", "evil")).map(([path, text]) => [path.replace("notes/", "a/"), text])),
    );
    expect(env.status("notes")?.state).toBe("quarantined");
    // Fluent mode and sandboxed plugins need no consent for the edit.
    for (const options of [{ trusted: ["notes"], mode: "fluent" }, { trusted: ["words"] }] as const) {
      const other = await consentWorld(pluginFiles("notes", "one"), options);
      await other.edit({ "notes/main.ts": "two" });
      expect(other.code("notes_run")).toBe("two");
    }
  });

  it("does not become the base of a rollback [H10.base]", async () => {
    const env = await waiting();
    await expect(env.acts.rollback("notes")).rejects.toThrow("No earlier version");
    await env.edit(pluginFiles("notes", "two"));
    expect(await env.acts.rollback("notes")).toMatchObject({ changes: [] });
    expect(env.code("notes_run")).toBe("one");
  });

  it("cannot hide its requests behind two hundred new descriptions [H6.flood]", async () => {
    const tools = Array.from({ length: 230 }, (_, index) => tool(`aaa_${index}`, { description: "!".repeat(100) }));
    const env = await consentWorld(pluginFiles("notes", "one"));
    await env.edit(pluginFiles("notes", "two", { tools: [tool("notes_run"), ...tools], ...WIDER }));
    expect(env.status("notes")?.held?.changes[0]).toMatchObject({ kind: "permission", what: "read: $workspace" });
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
    const env = await consentWorld(pluginFiles("notes", "one"));
    await env.consent.flush();
    await env.edit(pluginFiles("notes", "two"));
    await env.consent.flush();
    const index = `${ROOT}/.bascule/versions/notes/versions.json`;
    const digest = env.status("notes")?.digest ?? "";
    const lies = [
      "{",
      "[]",
      `[{"digest":"../../../../etc","version":"1","bytes":1}]`,
      `[${`{"digest":"${digest}","version":"1","bytes":1},`.repeat(9)}7]`,
    ];
    for (const lie of lies) {
      env.platform.plant(index, lie);
      await expect(env.acts.rollback("notes")).rejects.toThrow("No earlier version");
    }
    expect(await createVersions(env.platform, `${ROOT}/.bascule/versions`).list("notes")).toHaveLength(5);
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
    const env = await waiting();
    env.platform.plant(LOCK, "<<<<<<< ours");
    await env.edit(pluginFiles("notes", "evil 2", WIDER));
    expect(env.code("notes_run")).toBe("one");
    await expect(env.acts.accept("notes", env.status("notes")?.held?.digest ?? "")).rejects.toThrow(/merge conflict/);
    await env.edit(pluginFiles("notes", "fine"));
    await env.consent.flush();
    expect(await env.platform.files.readText(LOCK)).toBe("<<<<<<< ours");
    expect(env.platform.recorded.log.some(({ level, message }) => level === "error" && message.includes("bascule.lock"))).toBe(true);
  });
});

describe("signatures", () => {
  async function signed(env: Awaited<ReturnType<typeof consentWorld>>, seed: number): Promise<void> {
    await env.directory.reloadChanged();
    const signature = await signDigest(
      privateKeyText(new Uint8Array(32).fill(seed)),
      env.status("notes")?.held?.digest ?? env.status("notes")?.digest ?? "",
    );
    await env.edit({ "notes/manifest.sig": signature?.text ?? "" });
  }

  it("that are added, changed or removed need consent, even if no byte of the plugin differs [M12.signer]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one"), { mode: "fluent" });
    const held = (): unknown => env.status("notes")?.held?.changes;
    await signed(env, 1);
    expect(held()).toEqual([{ kind: "signer", to: expect.any(String) }]);
    await env.acts.accept("notes", env.status("notes")?.held?.digest ?? "");
    const [signer] = [env.lock.entries().get("notes")?.signer];
    expect([env.status("notes")?.state, env.directory.serving(NOTES)?.signedBy?.signer]).toEqual(["loaded", signer]);
    await signed(env, 2);
    expect(held()).toEqual([{ kind: "signer", from: signer, to: expect.any(String) }]);
    await env.platform.files.remove(`${NOTES}/manifest.sig`);
    await env.edit({});
    expect(held()).toEqual([{ kind: "signer", from: signer }]);
    expect(env.directory.serving(NOTES)?.signedBy?.signer).toBe(signer);
    await signed(env, 1);
    expect(env.status("notes")?.state).toBe("loaded");
    expect((await env.restart()).directory.serving(NOTES)?.signedBy?.signer).toBe(signer);
  });

  it("of another signer are not accepted with the consent to an unsigned version of the same bytes [M12.swap]", async () => {
    const env = await waiting();
    const { digest = "" } = env.status("notes")?.held ?? {};
    const signature = await signDigest(privateKeyText(new Uint8Array(32).fill(3)), digest);
    env.plant({ "notes/manifest.sig": signature?.text ?? "" });
    expect(await env.acts.accept("notes", digest)).toMatchObject({ kind: "changed", held: { signer: signature?.signer } });
    expect(env.code("notes_run")).toBe("one");
  });

  it("that are invalid refuse the plugin; the previous version stays active [M12.invalid]", async () => {
    const env = await consentWorld(pluginFiles("notes", "one"));
    await env.edit({ ...pluginFiles("notes", "evil"), "notes/manifest.sig": "{}" });
    expect([env.code("notes_run"), env.status("notes")?.state]).toEqual(["one", "failed"]);
  });
});
