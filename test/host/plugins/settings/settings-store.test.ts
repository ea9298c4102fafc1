import { describe, expect, it } from "vitest";
import type { MemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { createSettingsStore, type SettingsStore } from "../../../../host/plugins/settings/settings-store.ts";
import type { JsonSchema } from "../../../../manifests/mod.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const FOLDER = "/workspace/.bascule/settings";
const SCHEMA: JsonSchema = {
  type: "object",
  properties: { limit: { type: "integer", default: 10, minimum: 1 }, mode: { type: "string", default: "fast" } },
  additionalProperties: false,
};

function storeWith(files: Readonly<Record<string, unknown>> = {}): { readonly platform: MemoryPlatform; readonly store: SettingsStore } {
  const platform = memoryPlatform();
  for (const [name, content] of Object.entries(files)) write(platform, name, content);
  return { platform, store: createSettingsStore(platform, FOLDER) };
}

function write(platform: MemoryPlatform, name: string, content: unknown): void {
  platform.plant(`${FOLDER}/${name}.json`, typeof content === "string" ? content : JSON.stringify(content));
}

describe("createSettingsStore()", () => {
  it("merges a file with the defaults of the given schema, and returns the same frozen object again [G1.merge]", async () => {
    const { store } = storeWith({ words: { config: { limit: 3 } } });
    expect(await store.refresh()).toEqual(["words"]);
    const state = store.stateOf("words", SCHEMA);
    expect(state).toEqual({ settings: { toolOverrides: {}, config: { limit: 3, mode: "fast" } }, problems: [] });
    expect(store.stateOf("words", SCHEMA)).toBe(state);
    expect(Object.isFrozen(state.settings?.config)).toBe(true);
    expect(store.stateOf("notes", SCHEMA).settings?.config).toEqual({ limit: 10, mode: "fast" });
  });

  it("keeps the last good text after an invalid edit, and reports the problems of the newest [G1.lastGood]", async () => {
    const { platform, store } = storeWith({ words: { config: { limit: 3 } } });
    await store.refresh();
    store.stateOf("words", SCHEMA);
    for (const bad of ['{ "config": { "limit": 0 } }', "{", '{"__proto__": {"enabled": false}}', { unknown: 1 }]) {
      write(platform, "words", bad);
      expect(await store.refresh()).toEqual(["words"]);
      const { settings, problems } = store.stateOf("words", SCHEMA);
      expect(settings?.config).toEqual({ limit: 3, mode: "fast" });
      expect(problems.length).toBeGreaterThan(0);
    }
    write(platform, "words", {});
    await store.refresh();
    expect(store.stateOf("words", SCHEMA)).toMatchObject({ settings: { config: { limit: 10 } }, problems: [] });
  });

  it("returns no settings if no text was ever valid, because the user's intent is unknown [G1.lastGood]", async () => {
    const { store } = storeWith({ words: { enabled: "no" } });
    await store.refresh();
    const { settings, problems } = store.stateOf("words", SCHEMA);
    expect(settings).toBeUndefined();
    expect(problems).toMatchObject([{ pointer: "/enabled", line: 1 }]);
  });

  it("returns to the defaults when the file is removed [G1]", async () => {
    const { platform, store } = storeWith({ words: { enabled: false } });
    await store.refresh();
    await platform.files.remove(`${FOLDER}/words.json`);
    expect(await store.refresh()).toEqual(["words"]);
    expect(store.stateOf("words", SCHEMA).settings?.enabled).toBeUndefined();
    expect(await store.refresh()).toEqual([]);
  });

  it("detects a second edit at the same time that leaves size and time unchanged [G1.watched]", async () => {
    const { platform, store } = storeWith({ words: { config: { limit: 3 } } });
    await store.refresh();
    await platform.files.writeAtomic(`${FOLDER}/words.json`, JSON.stringify({ config: { limit: 4 } }));
    await store.refresh();
    expect(store.stateOf("words", SCHEMA).settings?.config["limit"]).toBe(4);
  });

  it("treats a file that is missing for one passing look as being replaced [G1.replaced]", async () => {
    const { platform, store } = storeWith({ words: { enabled: false } });
    await store.refresh("passing");
    const text = await platform.files.readText(`${FOLDER}/words.json`);
    for (const _again of [1, 2]) {
      await platform.files.remove(`${FOLDER}/words.json`);
      expect(await store.refresh("passing")).toEqual([]);
      expect(store.stateOf("words", SCHEMA).settings?.enabled).toBe(false);
      platform.plant(`${FOLDER}/words.json`, text);
      expect(await store.refresh("passing")).toEqual([]);
    }
    await platform.files.remove(`${FOLDER}/words.json`);
    expect(await store.refresh("passing")).toEqual([]);
    expect(await store.refresh("passing")).toEqual(["words"]);
    expect(store.stateOf("words", SCHEMA).settings?.enabled).toBeUndefined();
  });

  it("stops every plugin if the folder never was a folder, and none if it was [G1.lastGood]", async () => {
    const { platform, store } = storeWith({});
    platform.plant(FOLDER, "");
    await store.refresh();
    const problems = [{ message: `"${FOLDER}" is a file (replace it by a folder)` }];
    expect(store.stateOf("words", SCHEMA)).toMatchObject({ problems });
    expect(store.stateOf("words", SCHEMA).settings).toBeUndefined();
    await platform.files.remove(FOLDER);
    await store.refresh();
    expect(store.stateOf("words", SCHEMA)).toMatchObject({ settings: { config: { limit: 10 } }, problems: [] });
    platform.plant(FOLDER, "");
    await store.refresh();
    expect(store.stateOf("words", SCHEMA)).toMatchObject({ settings: { config: { limit: 10 } }, problems });
  });
});
