import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GLOBALS_FILE, pluginTypes, TYPES_FILE, typeName } from "../../../host/plugins/types/plugin-types.ts";
import { findHiddenText, type JsonSchema, type JsonValue, type Manifest } from "../../../manifests/mod.ts";
import { declaredNames } from "../../host/plugins/types/declared-names.ts";
import { manifestWith } from "../../host/plugins/types/manifest-with.ts";
import "../../support/seed.ts";

/** Texts that end, begin or hide something in TypeScript. */
const EVIL = [
  ...[
    "*/ export const injected = 1; /*",
    "*/",
    "/*",
    "**/",
    "*\\/",
    "\\*/",
    "//",
    "\n",
    "\r\n",
    "\u2028export const injected = 1;",
    "\u2029",
  ],
  ...["`", "${injected}", '"', "'", '": any; injected: "', "}; export const injected = 1; //", "} export type injected = {", "<script>"],
  ...["__proto__", "constructor", "prototype", "toString", "new", "get", "set", "readonly", "static", "default", "class", "[x: string]"],
  ...["@ts-ignore", "@ts-nocheck", "@deprecated", "* @type {any}", "{@link x}", "@", "/// <reference path='/etc/passwd' />", "#!/bin/sh"],
  ...["\u202e", "\u200b", "\ufeff", "\0", "\ud800", "\u{e0041}", "\\u0022", "\\", "", " ", "é", "日本", "🙂", "a-b", "1", "-1", "1e400"],
];

const text = fc.oneof(
  fc.constantFrom(...EVIL),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.array(fc.constantFrom(...EVIL), { maxLength: 4 }).map((parts) => parts.join("")),
);
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "object", "array" as const);
const schema = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  // Any mixture of keywords, including those that every reader refuses.
  schema: fc.record(
    {
      type: fc.oneof({ weight: 3, arbitrary: fc.constantFrom("object", "array") }, types, fc.uniqueArray(types, { maxLength: 4 })),
      properties: fc.dictionary(text, tie("schema"), { maxKeys: 4 }),
      required: fc.uniqueArray(text, { maxLength: 3 }),
      items: tie("schema"),
      enum: fc.array(value, { maxLength: 4 }),
      const: value,
      default: value,
      description: text,
      title: text,
      format: text,
      minLength: fc.nat(),
      maximum: fc.double({ noNaN: true }),
      additionalProperties: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
})).schema;

/** A manifest as if it had passed every check. */
const manifest: fc.Arbitrary<Manifest> = fc
  .record({ input: schema, output: schema, settings: schema, description: text })
  .map(({ input, output, settings, description }) => {
    const base = manifestWith({});
    const [tool] = base.tools;
    if (tool === undefined) throw new Error("The sample has no tool");
    return {
      ...base,
      settingsSchema: settings,
      tools: [{ ...tool, description, inputSchema: { ...input, type: "object" }, outputSchema: output }],
    };
  });

const OWN = ["BlockNotes", "ContentBlock", "Context", "Log", "OutputParts", "RunArgs", "RunOutput", "Settings", "ToolOutput"];

describe("types generated from a hostile manifest", () => {
  it("are valid TypeScript that declares nothing else and hides nothing [M8.hostile]", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(manifest, (hostile) => {
        const written = pluginTypes(hostile).get(TYPES_FILE) ?? "";
        const declared = declaredNames(written);
        expect({ types: declared.types, values: declared.values }).toEqual({ types: OWN, values: ["TOOL_OUTPUT"] });
        expect(findHiddenText(written)).toBe(undefined);
        const { properties = {}, required = [], enum: values, const: only } = hostile.tools[0]?.inputSchema ?? {};
        if (values !== undefined || only !== undefined) return;
        // Each property is one member with exactly its name.
        const names = [...new Set([...Object.keys(properties), ...required])].toSorted();
        expect(declared.members.get("RunArgs") ?? []).toEqual(names);
      }),
      { numRuns: 200 },
    );
  });

  it("contain no directive and no tag from the manifest [M8.hostile]", () => {
    const inputSchema: JsonSchema = { type: "object", properties: { a: { description: "@ts-ignore @deprecated */ @ts-nocheck" } } };
    const [tool] = manifestWith({}).tools;
    const hostile: Manifest = {
      ...manifestWith({}),
      tools: tool === undefined ? [] : [{ ...tool, description: "@ts-nocheck", inputSchema }],
    };
    const written = pluginTypes(hostile).get(TYPES_FILE) ?? "";
    expect(written).toContain("  /** \\@ts-ignore \\@deprecated *\\/ \\@ts-nocheck */\n  readonly a?: unknown;");
    expect(written.replaceAll("\\@", "")).not.toContain("@");
  });

  it("have names of letters and digits only [M8.hostile]", () => {
    fc.assert(fc.property(fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/), (name) => /^[A-Z][A-Za-z0-9]*$/u.test(typeName(name))));
  });

  it("declare the sandbox identically, whatever else the manifest contains [M8.hostile]", () => {
    fc.assert(
      fc.property(manifest, (hostile) => {
        expect(pluginTypes(hostile).get(GLOBALS_FILE)).toBe(pluginTypes(manifestWith({})).get(GLOBALS_FILE));
      }),
      { numRuns: 50 },
    );
  });
});
