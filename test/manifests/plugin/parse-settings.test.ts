import { describe, expect, it } from "vitest";

import { parseSettings, type JsonSchema } from "../../../manifests/mod.ts";

const SCHEMA: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["key"],
  properties: { depth: { type: "integer", default: 3 }, key: { type: "string" } },
};

describe("parseSettings()", () => {
  it("merges over the schema's defaults [G1.merge]", () => {
    const text = '{"enabled": false, "toolOverrides": {"grep": {"enabled": false}}, "config": {"key": "k"}}';
    expect(parseSettings(text, SCHEMA)).toEqual({
      ok: true,
      value: { enabled: false, toolOverrides: { grep: { enabled: false } }, config: { key: "k", depth: 3 } },
      warnings: [],
    });
  });

  it("reads the older keys too, but not beside the newer ones [G1.older]", () => {
    expect(parseSettings('{"tool_overrides": {"a": {"enabled": true}}, "custom_config": {"key": "k"}}', SCHEMA)).toMatchObject({
      ok: true,
      value: { toolOverrides: { a: { enabled: true } }, config: { key: "k" } },
    });
    expect(parseSettings('{"config": {"key": "k"}, "custom_config": {}}', SCHEMA)).toMatchObject({
      ok: false,
      problems: [{ pointer: "/custom_config" }],
    });
  });

  it("lists every problem with its place in the text [G1.checked]", () => {
    const parsed = parseSettings('{\n "enable": true,\n "config": {"depth": "x", "other": 1}\n}', SCHEMA);
    expect(parsed.ok ? [] : parsed.problems.map(({ pointer, line, message }) => [pointer, line, message])).toEqual([
      ["/enable", 2, 'Unknown field "enable" in settings'],
      ["/config/key", 3, 'Setting "key": is missing'],
      ["/config/depth", 3, 'Setting "depth": is string, not integer'],
      ["/config/other", 3, 'Setting "other": is not expected'],
    ]);
  });

  it("keeps names and values in a message as they are written [G1.checked]", () => {
    const schema: JsonSchema = { type: "object", properties: { greeting: { enum: ["Hello", "GutenTag"] } } };
    const parsed = parseSettings('{"config": {"greeting": "Salve"}}', schema);
    expect(parsed.ok ? [] : parsed.problems.map(({ message }) => message)).toEqual([
      `Setting "greeting": is not one of "Hello", "GutenTag"`,
    ]);
  });

  it("accepts no configuration if the plugin has no schema [G1.checked]", () => {
    expect(parseSettings("{}", undefined)).toEqual({ ok: true, value: { toolOverrides: {}, config: {} }, warnings: [] });
    expect(parseSettings('{"config": {"a": 1}}', undefined).ok).toBe(false);
  });
});
