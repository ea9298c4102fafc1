import { describe, expect, it } from "vitest";

import {
  permissionsForClass,
  permissionsForEffects,
  sideEffectClass,
  sideEffectClassOf,
  type Permissions,
  type SideEffect,
} from "../../../manifests/mod.ts";

describe("sideEffectClass()", () => {
  it.each<[readonly SideEffect[], string]>([
    [[], "none"],
    [["read"], "read"],
    [["write"], "write"],
    [["network"], "network"],
    [["llm"], "network"],
    [["execute"], "execute"],
    [["system"], "execute"],
    [["network", "read", "write"], "network"],
    [["write", "system", "llm"], "execute"],
  ])("of %j is %s [P8.class]", (effects, expected) => {
    expect(sideEffectClass(effects)).toBe(expected);
  });
});

describe("sideEffectClassOf()", () => {
  const get = { host: "a.com", methods: ["get", "HEAD"] };

  it.each<[readonly SideEffect[], Permissions, string]>([
    [["network"], { net: [get] }, "read"],
    [["network"], { net: { allow: [get], deny: ["b.com"] } }, "read"],
    [["network"], { net: [get, "b.com"] }, "network"],
    [["network"], { net: [get, { host: "b.com", methods: ["POST"] }] }, "network"],
    [["network"], { net: true }, "network"],
    [["network"], { net: [] }, "network"],
    [["network"], {}, "network"],
    [["network", "llm"], { net: [get] }, "network"],
    [["network", "write"], { net: [get] }, "write"],
    [["llm"], { net: [get] }, "network"],
  ])("of %j with %j is %s [P8.fetch]", (sideEffects, permissions, expected) => {
    expect(sideEffectClassOf({ sideEffects }, permissions)).toBe(expected);
    expect(sideEffectClassOf({ sideEffects, permissions }, { net: true })).toBe(expected);
  });
});

describe("permissionsForEffects()", () => {
  const base = { read: true, env: true, tools: true, mcp: true };

  it.each<[readonly SideEffect[], Permissions]>([
    [[], base],
    [["read"], base],
    [["write"], { ...base, write: true }],
    [["network"], { ...base, net: true, import: true }],
    [["llm"], { ...base, net: true, import: true }],
    [["execute"], { ...base, run: true, ffi: true, sys: true }],
    [["write", "system"], { ...base, write: true, run: true, ffi: true, sys: true }],
  ])("returns for %j write, net and run only if declared [P8.grants]", (effects, expected) => {
    expect(permissionsForEffects(effects)).toEqual(expected);
  });

  it("returns for a class the permissions of its own and lower side effects [P8.grants]", () => {
    expect(permissionsForClass("none")).toEqual(base);
    expect(permissionsForClass("write")).toEqual({ ...base, write: true });
    expect(permissionsForClass("network")).toEqual({ ...base, write: true, net: true, import: true });
    expect(permissionsForClass("execute")).toEqual({ ...base, write: true, net: true, import: true, run: true, ffi: true, sys: true });
  });
});
