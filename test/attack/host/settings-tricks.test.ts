/** Settings files that are too large, too deep, links, or named to reach other files (SPEC G1). */

import { describe, expect, it } from "vitest";
import type { MemoryEntry, MemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { createSettingsStore, type SettingsState } from "../../../host/plugins/settings/settings-store.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const FOLDER = "/workspace/.bascule/settings";
const SECRET = "token = hunter2";

async function stateOf(entry: MemoryEntry, more: (platform: MemoryPlatform) => void = () => {}): Promise<SettingsState> {
  const platform = memoryPlatform({ "/home/user/secret.txt": SECRET });
  platform.plant(`${FOLDER}/words.json`, entry);
  more(platform);
  const store = createSettingsStore(platform, FOLDER);
  await store.refresh();
  return store.stateOf("words", { type: "object" });
}

describe("a settings file", () => {
  it("that is a link is refused, and the target's content is not shown [G1.link]", async () => {
    const { settings, problems } = await stateOf({ link: "/home/user/secret.txt" });
    expect(settings).toBeUndefined();
    expect(problems).toMatchObject([{ message: "Not a file but a symlink (replace it by a file)" }]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  it.each<readonly [string, MemoryEntry, string]>([
    ["is huge", `{"config":{"a":"${"x".repeat(300 * 1024)}"}}`, "Larger than"],
    ["is deep", `{"config":${'{"a":'.repeat(100)}1${"}".repeat(100)}}`, "deep"],
    ["names a prototype", '{"config":{"__proto__":{"limit":1}}}', "__proto__"],
    ["is not UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), "UTF-8"],
    ["is a folder", { directory: true }, "directory"],
  ])("that %s is refused as a whole [G1.bounds]", async (_what, entry, message) => {
    const { settings, problems } = await stateOf(entry);
    expect(settings).toBeUndefined();
    expect(problems[0]?.message).toContain(message);
  });

  it("in a folder that is a link has no effect, and plugins do not run with the target's settings [G1.link]", async () => {
    const platform = memoryPlatform({ "/elsewhere/words.json": '{"enabled":true}' });
    platform.plant(FOLDER, { link: "/elsewhere" });
    const store = createSettingsStore(platform, FOLDER);
    expect(await store.refresh()).toEqual([]);
    expect(store.stateOf("words", undefined)).toMatchObject({ problems: [{ message: expect.stringContaining("is a symlink") }] });
    expect(store.stateOf("words", undefined).settings).toBeUndefined();
  });

  it("whose name is not a plugin's is ignored [G1.names]", async () => {
    const platform = memoryPlatform();
    for (const name of ["..", "Words", "__proto__", "w\u200brds", "a b", ".hidden"]) platform.plant(`${FOLDER}/${name}.json`, "{");
    const store = createSettingsStore(platform, FOLDER);
    expect(await store.refresh()).toEqual([]);
    expect(store.stateOf("__proto__", undefined).problems).toEqual([]);
  });
});
