import { describe, expect, it } from "vitest";
import { LockFileError, openLock } from "../../../../host/plugins/consent/lock.ts";
import { type LockEntry, lockTextSlices, parseLockSlices } from "../../../../host/plugins/consent/lock-text.ts";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import type { Slices } from "../../../../host/platform/platform.ts";
import { drained } from "../../../support/drained.ts";

const FILE = "/workspace/bascule.lock";
const HASH = "0123456789abcdef".repeat(4);

export function entry(name: string, more: Partial<LockEntry> = {}): LockEntry {
  return {
    ...{ name, version: "1.0.0", path: `plugins/${name}`, digest: HASH, origin: { kind: "folder" }, granted: {}, acceptedLimits: {} },
    declared: {
      limits: {},
      permissions: { read: ["$workspace"] },
      about: { description: "Keeps things", settings: { type: "object" } },
      tools: { run: { description: "Runs", inputSchema: { type: "object" }, sideEffects: ["read"] } },
    },
    files: new Map([["main.ts", HASH]]),
    ...more,
  };
}

function textOf(plugins: ReadonlyMap<string, LockEntry>): string {
  return drained(lockTextSlices({ plugins, servers: new Map() }));
}

function roundTrip(...entries: readonly LockEntry[]): unknown {
  const parsed = drained(parseLockSlices(textOf(new Map(entries.map((one) => [one.name, one])))));
  return parsed.ok ? [...parsed.value.plugins.values()] : parsed.problems;
}

describe("bascule.lock", () => {
  it("reads back what was written, whatever the files are called [H7.text]", () => {
    const odd = entry("notes", {
      signer: `${"A".repeat(43)}=`,
      rolledBackFrom: HASH,
      origin: { kind: "git", from: "https://x.test/notes.git", commit: "a".repeat(40) },
      granted: { read: ["./docs"] },
      acceptedLimits: { cpuMs: 60_000 },
      declared: { permissions: {}, limits: { cpuMs: 60_000, memoryBytes: 1 << 28 }, tools: {} },
      files: new Map([
        ["__proto__", HASH],
        ["a\u2028b", HASH],
        ["constructor", HASH],
        ["with  two spaces", HASH],
      ]),
    });
    expect(roundTrip(odd, entry("words", { path: "" }))).toEqual([odd, entry("words", { path: "" })]);
  });

  it("writes the same text in any order [H7.deterministic]", () => {
    const files = [
      ["a.ts", HASH],
      ["b.ts", HASH],
    ] as const;
    const tools = { b: { description: "B", tags: ["x"] }, a: { description: "A" } };
    const declaration = { permissions: {}, limits: {}, tools };
    const one = textOf(
      new Map([
        ["b", entry("b")],
        ["a", entry("a", { files: new Map(files) })],
      ]),
    );
    const two = textOf(
      new Map([
        ["a", entry("a", { files: new Map(files.toReversed()) })],
        ["b", entry("b")],
      ]),
    );
    expect(one).toBe(two);
    expect(one.endsWith("}\n")).toBe(true);
    expect(roundTrip(entry("a", { declared: declaration }))).toEqual([entry("a", { declared: declaration })]);
  });

  it.each([
    ["a merge conflict", `{\n<<<<<<< HEAD\n  "lockVersion": 1,\n=======\n>>>>>>> theirs\n}`, /line 2.*merge conflict.*keep one side/],
    ["invalid JSON", "{", /Invalid JSON/],
    ["another version", `{"lockVersion": 2, "plugins": {}}`, /"lockVersion" to be 1/],
    ["a list", `[]`, /lockVersion/],
    ["no plugins", `{"lockVersion": 1}`, /"plugins" to be an object/],
    ["an invalid name", `{"lockVersion": 1, "plugins": {"../x": {}}}`, /does not start with/],
    ["a prototype", `{"lockVersion": 1, "plugins": {"__proto__": {}}}`, /__proto__/],
    ["a duplicate entry", `{"lockVersion": 1, "plugins": {"a": {}, "a": {}}}`, /a/],
    ["an empty entry", `{"lockVersion": 1, "plugins": {"a": {}}}`, /SHA-256 in hex/],
    [
      "unknown members",
      textOf(new Map([["a", entry("a")]])).replace('"path"', '"postinstall": "x", "path"'),
      /Unknown member "postinstall"/,
    ],
    ["a description that is not text", textOf(new Map([["a", entry("a")]])).replace('"Keeps things"', "7"), /of the plugin/],
    [
      "settings that are not a schema",
      textOf(new Map([["a", entry("a")]])).replace(/"settings": \{[^}]*\}/u, '"settings": []'),
      /of the plugin/,
    ],
    ["invalid permissions", textOf(new Map([["a", entry("a")]])).replace('"$workspace"', "7"), /An item of "read"/],
    ["invalid side effects", textOf(new Map([["a", entry("a")]])).replace('"read"\n', '"fly"\n'), /Expected each tool/],
    ["an invalid hash", textOf(new Map([["a", entry("a")]])).replace(`"${HASH}  main.ts"`, '"x main.ts"'), /SHA-256/],
    ["an invalid signer", textOf(new Map([["a", entry("a", { signer: "x" })]])), /public key/],
    ["an invalid origin", textOf(new Map([["a", entry("a")]])).replace('"kind": "folder"', '"kind": "disk"'), /Expected \{"kind"/],
    ["a hundred thousand brackets", `{"lockVersion": 1, "plugins": ${"[".repeat(100_000)}`, /deep|nest|depth/i],
  ])("refuses %s and reports the place [H7.hostile]", (_what, text, expected) => {
    const parsed = drained(parseLockSlices(text));
    expect(parsed.ok ? "read" : parsed.problems.map(({ line, message, fix }) => `line ${line}: ${message} (${fix})`).join("\n")).toMatch(
      expected,
    );
  });
});

describe("openLock()", () => {
  it("writes whole files and keeps entries that other processes wrote meanwhile [H7.atomic]", async () => {
    const platform = createMemoryPlatform();
    const [first, second] = [await openLock(platform, FILE), await openLock(platform, FILE)];
    await first.change(() => new Map([["a", entry("a")]]));
    await second.change(() => new Map([["b", entry("b")]]));
    await first.change(() => new Map([["a", undefined]]));
    expect([...(await openLock(platform, FILE)).entries().keys()]).toEqual(["b"]);
  });

  it("refuses to start on a broken lock, and does not overwrite it [H7.broken]", async () => {
    const platform = createMemoryPlatform({ files: { [FILE]: "{}" } });
    await expect(openLock(platform, FILE)).rejects.toThrow(LockFileError);
    platform.plant(FILE, textOf(new Map([["a", entry("a")]])));
    const lock = await openLock(platform, FILE);
    platform.plant(FILE, "<<<<<<< ours\n");
    await expect(lock.change(() => new Map([["b", entry("b")]]))).rejects.toThrow(/merge conflict/);
    expect([await platform.files.readText(FILE), [...lock.entries().keys()]]).toEqual(["<<<<<<< ours\n", ["a"]]);
  });

  it("writes no file for an empty lock [H7.quiet]", async () => {
    const platform = createMemoryPlatform();
    await (await openLock(platform, FILE)).change(() => new Map([["a", undefined]]));
    expect(await platform.files.stat(FILE)).toBeUndefined();
  });

  it("is written and read one entry at a time, as one JSON text; each entry is formatted once [LV2.lock]", async () => {
    const platform = createMemoryPlatform();
    let pieces = 0;
    const counted: Slices = { run: (work) => platform.slices.run({ next: () => (pieces++, work.next()) }) };
    const lock = await openLock({ ...platform, slices: counted }, FILE);
    let made = 0;
    const some = Array.from({ length: 50 }, (_, nth) => ({
      ...entry(`p${nth}`),
      get digest(): string {
        made++;
        return HASH;
      },
    }));
    await lock.change(() => new Map(some.map((one) => [one.name, one])));
    await lock.changeServer("files", () => ({ tools: new Map([["read", { name: "read" }]]) }));
    expect([made, pieces >= 2 * some.length]).toEqual([some.length, true]);

    pieces = 0;
    const text = await platform.files.readText(FILE);
    const again = await openLock({ ...platform, slices: counted }, FILE);
    expect([again.entries().size, pieces >= some.length, text]).toEqual([
      some.length,
      true,
      `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`,
    ]);
  });

  it("keeps entries in memory without a file [H7.memory]", async () => {
    const lock = await openLock(createMemoryPlatform(), undefined);
    await lock.change(() => new Map([["a", entry("a")]]));
    expect(lock.entries().get("a")?.version).toBe("1.0.0");
  });
});
