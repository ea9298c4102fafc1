import { createHash } from "node:crypto";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { checkPluginName, checkToolName, confusableKey, exportName, qualifiedName } from "../../../manifests/mod.ts";
import { sha256 } from "../../../manifests/text/sha256.ts";
import "../../support/seed.ts";

const pluginName = fc.stringMatching(/^[a-z][a-z0-9]{0,20}([_-][a-z0-9]{1,12}){0,3}$/).filter((name) => name.length <= 63);
const toolName = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);

describe("checkPluginName()", () => {
  it.each(["a", "words", "canvas_tools", "my-plugin", "a1-b2_c3", "a".repeat(63)])("accepts %s [M5]", (name) => {
    expect(checkPluginName(name)).toBeUndefined();
  });

  it.each([
    "",
    "A",
    "1a",
    "-a",
    "a-",
    "a_",
    "a__b",
    "a_-b",
    "a.b",
    "a b",
    "a/b",
    "..",
    "ä",
    "\u0430bc",
    "a\u200b",
    "a\n",
    "a".repeat(64),
    "__proto__",
  ])("refuses %j [M5]", (name) => {
    expect(checkPluginName(name)).toMatch(/^[A-Z]/);
  });

  it("escapes hidden characters of a refused name [M5.visible]", () => {
    expect(checkPluginName("a\u202eb")).toContain('"a\\u202eb"');
  });
});

describe("checkToolName()", () => {
  it.each(["a", "A", "read_file", "word-count", "a__b", "a".repeat(64)])("accepts %s [M5]", (name) => {
    expect(checkToolName(name)).toBeUndefined();
  });

  it.each(["", "1a", "_a", "-a", "a.b", "a b", "ä", "a\u200d", "a".repeat(65), "__proto__"])("refuses %j [M5]", (name) => {
    expect(checkToolName(name)).toMatch(/^[A-Z]/);
  });
});

describe("confusableKey()", () => {
  it.each([
    ["read", "READ"],
    ["list", "Iist"],
    ["list", "1ist"],
    ["notes", "n0tes"],
    ["modern", "modem"],
    ["wave", "vvave"],
    ["read_file", "read-file"],
    ["scope", "\u0455\u0441\u043e\u0440\u0435"],
    ["read", "\uff52\uff45\uff41\uff44"],
  ])("is the same for %s and %s [M5.lookalike]", (one, other) => {
    expect(confusableKey(one)).toBe(confusableKey(other));
  });

  it.each([
    ["read_file", "write_file"],
    ["grep", "grep2"],
    ["note_add", "note_append"],
    ["words", "swords"],
  ])("tells %s and %s apart [M5.lookalike]", (one, other) => {
    expect(confusableKey(one)).not.toBe(confusableKey(other));
  });
});

describe("exportName()", () => {
  it("joins plugin and tool with two underscores [R2.export]", () => {
    expect(exportName("canvas_tools", "export_canvas")).toBe("canvas_tools__export_canvas");
    expect(qualifiedName("canvas_tools", "export_canvas")).toBe("canvas_tools.export_canvas");
  });

  it("shortens with a hash above 64 characters [R2.export]", () => {
    const long = exportName("p".repeat(40), "t".repeat(40));
    expect(long).toMatch(/^p{16}__0[a-z2-7]{26}_t{18}$/);
    expect(exportName("p".repeat(40), `${"t".repeat(39)}u`)).not.toBe(long);
  });

  it("returns a name that every model API accepts, different for every pair [M5.injective] [R2.export]", () => {
    const pair = fc.record({ plugin: pluginName, tool: toolName });
    fc.assert(
      fc.property(pair, pair, (one, other) => {
        const [a, b] = [exportName(one.plugin, one.tool), exportName(other.plugin, other.tool)];
        expect(a).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(a === b).toBe(one.plugin === other.plugin && one.tool === other.tool);
      }),
    );
  });

  it("never returns the name of a tool that imitates a shortened one [M5.injective]", () => {
    const [plugin, imitation] = exportName("p".repeat(40), "t".repeat(40)).split("__");
    // The text after the underscores begins with a digit, which no tool name may do.
    expect(plugin && checkPluginName(plugin)).toBeUndefined();
    expect(imitation && checkToolName(imitation)).toBeDefined();
  });
});

describe("sha256()", () => {
  it("agrees with the platform's", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(Buffer.from(sha256(text)).toString("hex")).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
      }),
    );
  });
});
