import { describe, expect, it } from "vitest";
import { findSetting, memberAt, readSettingText, withMember } from "../../../../host/plugins/settings/setting-path.ts";
import { pluginVersion } from "../../../support/tools.ts";

const { manifest } = pluginVersion("words", {
  tools: [{ name: "grep" }, { name: "count" }],
  manifest: {
    settingsSchema: {
      type: "object",
      properties: {
        limit: { type: "integer" },
        ratio: { type: "number" },
        words: { type: "array", items: { type: "string" } },
        server: { type: "object", properties: { "host.name": { type: "string" }, port: { type: ["integer", "null"] } } },
        free: { type: "object" },
        enabled: { type: "boolean" },
      },
    },
  },
});
const pathOf = (key: string): unknown => {
  const found = findSetting(key, manifest);
  return found.ok ? found.value.path.join("/") : found;
};

describe("findSetting()", () => {
  it("finds switches, settings, and members of settings [G1.keys]", () => {
    expect(["enabled", "tools.grep.enabled", "toolOverrides.count.enabled", "limit", "server.port", "free.any.thing"].map(pathOf)).toEqual([
      "enabled",
      "toolOverrides/grep/enabled",
      "toolOverrides/count/enabled",
      "config/limit",
      "config/server/port",
      "config/free/any.thing",
    ]);
    expect([pathOf("config.enabled"), pathOf("server.host.name")]).toEqual(["config/enabled", "config/server/host.name"]);
  });

  it("answers an unknown key with the nearest one, and never reaches a prototype [G1.keys]", () => {
    expect(pathOf("limt")).toEqual({ ok: false, message: 'Plugin "words" has no setting "limt"', suggestion: "limit" });
    expect(pathOf("tools.gerp.enabled")).toEqual({
      ok: false,
      message: 'Plugin "words" has no tool "gerp"',
      suggestion: "tools.grep.enabled",
    });
    for (const key of ["__proto__", "constructor", "config.__proto__", "free.__proto__", "tools.__proto__.enabled", "toString"])
      expect(pathOf(key)).toMatchObject({ ok: false });
  });
});

describe("readSettingText()", () => {
  it("parses text as the schema requires [G1.typed]", () => {
    expect(readSettingText("limit", "7", { type: "integer" })).toEqual({ ok: true, value: 7 });
    expect(readSettingText("name", "7", { type: "string" })).toEqual({ ok: true, value: "7" });
    expect(readSettingText("name", "7", { type: ["string", "integer"] })).toEqual({ ok: true, value: 7 });
    expect(readSettingText("list", '["a"]', { type: "array" })).toEqual({ ok: true, value: ["a"] });
    expect(readSettingText("none", "null", { type: ["integer", "null"] })).toEqual({ ok: true, value: null });
    expect(readSettingText("any", "hello", undefined)).toEqual({ ok: true, value: "hello" });
  });

  it("names the required type for other text [G1.typed]", () => {
    expect(readSettingText("limit", "many", { type: "integer" })).toEqual({
      ok: false,
      message: 'Setting "limit" must be a whole number, not "many"',
    });
    expect(readSettingText("on", "yes", { type: "boolean" })).toMatchObject({ ok: false });
    expect(readSettingText("limit", "1.5", { type: "integer" })).toMatchObject({ ok: false });
  });
});

describe("withMember()", () => {
  it("sets and removes members in place, with the objects around them [G1]", () => {
    const before = { enabled: true, config: { a: { b: 1 } } };
    expect(Object.keys(withMember(before, ["enabled"], false))).toEqual(["enabled", "config"]);
    expect(withMember(before, ["config", "a", "c"], 2)).toEqual({ enabled: true, config: { a: { b: 1, c: 2 } } });
    expect(withMember(before, ["config", "a", "b"], undefined)).toEqual({ enabled: true });
    expect(before).toEqual({ enabled: true, config: { a: { b: 1 } } });
    expect(memberAt(before, ["config", "a", "b"])).toBe(1);
    expect(memberAt(before, ["config", "toString"])).toBeUndefined();
  });
});
