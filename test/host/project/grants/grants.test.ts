import { describe, expect, it } from "vitest";
import { createGrantStore, GrantFileError } from "../../../../host/project/grants/grants.ts";
import { createMemoryPlatform } from "../../../../host/platform/mod.ts";

const FILE = "/project/.bascule/grants.json";
const HERE = "/project/plugins/words";

describe("createGrantStore()", () => {
  it("keeps grants across a restart, by name and folder [C3.stored]", async () => {
    const platform = createMemoryPlatform();
    const store = await createGrantStore(platform, FILE);
    await store.grant("words", HERE, { read: ["$workspace"] });

    const again = await createGrantStore(platform, FILE);
    expect(again.find("words", HERE, "d")).toEqual({ read: ["$workspace"] });
    expect(again.find("words", "/elsewhere/words", "d")).toBeUndefined();
    expect(again.find("notes", HERE, "d")).toBeUndefined();
  });

  it("writes a file that only its owner can read [C3.private]", async () => {
    const platform = createMemoryPlatform();
    await (await createGrantStore(platform, FILE)).grant("words", HERE, { read: true });
    expect((await platform.files.stat(FILE))?.mode).toBe(0o600);
  });

  it("adds to a grant and keeps its denials [C3.merge]", async () => {
    const store = await createGrantStore(createMemoryPlatform(), FILE);
    await store.grant("words", HERE, { read: { allow: ["/a"], deny: ["/a/secret"] } });
    await store.grant("words", HERE, { read: ["/b", "/a"], net: ["example.org"] });
    expect(store.find("words", HERE, "d")).toEqual({ read: { allow: ["/a", "/b"], deny: ["/a/secret"] }, net: ["example.org"] });
  });

  it("revokes items, kinds and everything [C3.revoke]", async () => {
    const store = await createGrantStore(createMemoryPlatform(), FILE);
    await store.grant("words", HERE, { read: ["/a", "/b"], net: true, env: ["HOME"] });
    expect(await store.revoke("words", { read: ["/a"] })).toBe(1);
    expect(store.find("words", HERE, "d")).toEqual({ read: ["/b"], net: true, env: ["HOME"] });
    expect(await store.revoke("words", { net: true, read: ["/not-there"] })).toBe(1);
    expect(store.find("words", HERE, "d")).toEqual({ read: ["/b"], env: ["HOME"] });
    expect(await store.revoke("words")).toBe(1);
    expect(store.find("words", HERE, "d")).toBeUndefined();
    expect(await store.revoke("words")).toBe(0);
  });

  it("merges into what another process has written since the last read [C3.stored]", async () => {
    const platform = createMemoryPlatform();
    const first = await createGrantStore(platform, FILE);
    const second = await createGrantStore(platform, FILE);
    await first.grant("words", HERE, { read: ["/a"] });
    await second.grant("notes", "/project/plugins/notes", { write: ["/n"] });
    expect((await createGrantStore(platform, FILE)).list().map(({ plugin }) => plugin)).toEqual(["notes", "words"]);
  });

  it("runs changes one after the other [C3.stored]", async () => {
    const platform = createMemoryPlatform();
    const store = await createGrantStore(platform, FILE);
    await Promise.all(["/a", "/b", "/c"].map((path) => store.grant("words", HERE, { read: [path] })));
    expect(store.find("words", HERE, "d")).toEqual({ read: ["/a", "/b", "/c"] });
  });

  it.each([
    ["half a file", '{"version":1,"grants":[{"plugin":"wo'],
    ["another version", '{"version":2,"grants":[]}'],
    ["a wrong entry", '{"version":1,"grants":[{"plugin":"words","directory":"/x","permissions":{"read":7}}]}'],
    ["an unknown kind", '{"version":1,"grants":[{"plugin":"words","directory":"/x","permissions":{"raed":true}}]}'],
    ["a prototype", '{"version":1,"grants":[{"plugin":"words","directory":"/x","permissions":{"__proto__":{"read":true}}}]}'],
  ])("grants nothing from %s, reports it, and never overwrites it [C3.broken]", async (_name, text) => {
    const platform = createMemoryPlatform({ files: { [FILE]: text } });
    const store = await createGrantStore(platform, FILE);
    expect(store.problems()).not.toEqual([]);
    expect(store.list()).toEqual([]);
    await expect(store.grant("words", HERE, { read: true })).rejects.toThrow(GrantFileError);
    await expect(store.revoke("words")).rejects.toThrow(GrantFileError);
    expect(await platform.files.readText(FILE)).toBe(text);
  });

  it("works again after a broken file was repaired [C3.broken]", async () => {
    const platform = createMemoryPlatform({ files: { [FILE]: "{" } });
    const store = await createGrantStore(platform, FILE);
    platform.plant(FILE, '{"version":1,"grants":[]}');
    await store.grant("words", HERE, { read: ["/a"] });
    expect(store.problems()).toEqual([]);
    expect(store.find("words", HERE, "d")).toEqual({ read: ["/a"] });
  });

  it("reports the place of a wrong entry [C3.broken]", async () => {
    const platform = createMemoryPlatform({ files: { [FILE]: '{\n "version": 1,\n "grants": [{ "plugin": "" }]\n}' } });
    const [first] = (await createGrantStore(platform, FILE)).problems();
    expect(first).toMatchObject({ severity: "error", pointer: "/grants/0/plugin", line: 3, message: "Expected the plugin's name" });
  });
});
