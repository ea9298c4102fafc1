import { describe, expect, it } from "vitest";
import { manifest, tool } from "../../host/plugins/folder/harness.ts";
import { hostileRoot, refusalOf } from "./hostile-root.ts";

const BOM = "\ufeff";

describe("a manifest with hostile text", () => {
  it.each([
    ["empty", ""],
    ["not JSON", "not json"],
    ["cut off in the middle", manifest("evil").slice(0, 100)],
    ["two documents", manifest("evil") + manifest("evil")],
    ["a list", "[]"],
    ["null", "null"],
    ["with comments", `// hi\n${manifest("evil")}`],
    ["with a trailing comma", manifest("evil").replace(/}$/, ",}")],
    ["with a duplicate key", manifest("evil").replace(/}$/, ',"name":"honest"}')],
    ["with a number of a thousand digits", manifest("evil").replace(/}$/, `,"x":${"9".repeat(1_000)}}`)],
  ])("is refused when it is %s [M4]", async (_what, text) => {
    expect((await refusalOf({ "evil/manifest.json": text, "evil/main.ts": "" })).length).toBeGreaterThan(0);
  });

  it.each([
    ["random bytes", Uint8Array.from({ length: 4_096 }, (_, index) => (index * 7_919 + 13) % 256)],
    ["UTF-16", new Uint8Array(Buffer.from(BOM + manifest("evil"), "utf16le"))],
    ["Latin-1", new Uint8Array(Buffer.from(manifest("evil", { description: "Zürich" }), "latin1"))],
    ["a compressed file", Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0)],
  ])("is refused when it is %s [M4]", async (_what, bytes) => {
    expect(await refusalOf({ "evil/manifest.json": bytes, "evil/main.ts": "" })).toEqual(['"manifest.json" is not UTF-8 text']);
  });

  it("is accepted with one byte order mark, as editors on Windows write it, and refused with two [M4]", async () => {
    const { statusOf } = await hostileRoot({ "p/manifest.json": BOM + manifest("p"), "p/main.ts": "" });
    expect(await statusOf("p")).toMatchObject({ state: "loaded" });
    expect((await refusalOf({ "evil/manifest.json": BOM + BOM + manifest("evil"), "evil/main.ts": "" })).length).toBeGreaterThan(0);
  });

  it.each([
    ["zero width space", "\u200b"],
    ["right-to-left override", "\u202e"],
    ["tag characters", "\u{e0041}"],
    ["an ANSI escape", "\u001b[31m"],
    ["a soft hyphen", "\u00ad"],
    ["a NUL", "\0"],
  ])("is refused with hidden characters wherever a model or the user reads: %s [M5]", async (_what, hidden) => {
    const places: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
      ["/description", { description: `Nice${hidden}` }],
      ["/tools/0/description", { tools: [tool("run", { description: `Nice${hidden}` })] }],
      ["/tools/0/title", { tools: [tool("run", { title: `Nice${hidden}` })] }],
      ["/tools/0/name", { tools: [tool(`ru${hidden}n`)] }],
      ["/tools/0/inputSchema", { tools: [tool("run", { inputSchema: { type: "object", properties: { a: { enum: [`x${hidden}`] } } } })] }],
      ["/author", { author: `Me${hidden}` }],
    ];
    for (const [pointer, more] of places) {
      const { statusOf } = await hostileRoot({ "evil/manifest.json": manifest("evil", more), "evil/main.ts": "" });
      const status = await statusOf("evil");
      expect({ state: status?.state, pointer: status?.problems[0]?.pointer }).toEqual({
        state: "failed",
        pointer: expect.stringContaining(pointer),
      });
      // The shown text itself must not contain the hidden characters.
      expect(JSON.stringify(status?.problems).replace(/\\n/g, "")).not.toContain(hidden);
    }
  });

  it("does not copy hidden characters of file names into messages [M5]", async () => {
    const name = "evil/a\u202e\u001b[2Jtxt";
    const [message] = await refusalOf({ "evil/manifest.json": manifest("evil"), "evil/main.ts": "", [name]: "" });
    expect(message).toBe('"a\\u{202e}\\u{1b}[2Jtxt" has control, invisible or undecodable characters or a "\\" in its name');
  });

  it("is refused with a duplicate tool, and with look-alikes among its own tools [M4] [M5]", async () => {
    for (const second of ["run", "RUN", "rUn"]) {
      expect(
        (await refusalOf({ "evil/manifest.json": manifest("evil", { tools: [tool("run"), tool(second)] }), "evil/main.ts": "" })).length,
      ).toBeGreaterThan(0);
    }
  });

  it.each(["Evil", "evil__tool", "-evil", "evil-", "../evil", "evil.tool", "$builtin", "", "e".repeat(64), "évil", "еvil"])(
    'is refused with the plugin name "%s" [M5]',
    async (name) => {
      const [message] = await refusalOf({ "evil/manifest.json": manifest("evil", { name }), "evil/main.ts": "" });
      expect(message).toBeDefined();
    },
  );
});
