import { describe, expect, it } from "vitest";
import { checkDependencies, type KnownPlugin, loadOrder } from "../../../../host/plugins/folder/dependencies.ts";

function known(plugins: Readonly<Record<string, Partial<KnownPlugin>>>): ReadonlyMap<string, KnownPlugin> {
  return new Map(Object.entries(plugins).map(([name, more]) => [name, { version: "1.2.0", dependencies: {}, state: "serving", ...more }]));
}

function messages(
  dependencies: Readonly<Record<string, string>>,
  plugins: Readonly<Record<string, Partial<KnownPlugin>>>,
): readonly string[] {
  return checkDependencies("app", dependencies, known(plugins)).map((problem) => problem.message);
}

describe("checkDependencies()", () => {
  it("accepts dependencies that are loaded and in range [M7]", () => {
    expect(messages({ a: "^1.0.0", b: "*", c: ">=1 <2 || 3.x" }, { a: {}, b: { version: "0.0.1" }, c: { version: "3.9.0" } })).toEqual([]);
  });

  it("reports the problem of every dependency [M7]", () => {
    const needs = { gone: "*", off: "*", bad: "*", held: "*", waits: "^1.0.0", old: "^2.0.0", fine: "*" };
    const plugins: Readonly<Record<string, Partial<KnownPlugin>>> = {
      off: { state: "disabled" },
      bad: { state: "failed" },
      held: { state: "quarantined" },
      waits: { state: "waiting" },
      old: {},
      fine: {},
    };
    expect(messages(needs, plugins)).toEqual([
      'Needs plugin "gone" *, which is not installed',
      'Needs plugin "off" *, which is disabled',
      'Needs plugin "bad" *, which failed',
      'Needs plugin "held" *, which waits to be accepted',
      'Needs plugin "waits" ^1.0.0, which is not loaded',
      'Needs plugin "old" ^2.0.0, but version 1.2.0 is loaded',
    ]);
  });

  it("reports a fix and the place in the manifest [M7]", () => {
    expect(checkDependencies("app", { off: "^1.0.0" }, known({ off: { state: "disabled" } }))).toEqual([
      {
        severity: "error",
        pointer: "/dependencies/off",
        message: 'Needs plugin "off" ^1.0.0, which is disabled',
        fix: 'set "enabled" to true in the manifest of "off"',
      },
    ]);
  });

  it("names the plugins of a cycle in order [M7]", () => {
    const plugins = { a: { dependencies: { b: "*" } }, b: { dependencies: { side: "*", app: "*" } }, side: {} } as const;
    expect(messages({ a: "*", missing: "*" }, plugins)).toEqual(["Depends on itself: app → a → b → app"]);
  });

  it("does not report a cycle that the plugin is not part of [M7]", () => {
    const plugins = { a: { dependencies: { b: "*" }, state: "waiting" }, b: { dependencies: { a: "*" }, state: "waiting" } } as const;
    expect(messages({ a: "*" }, plugins)).toEqual(['Needs plugin "a" *, which is not loaded']);
  });

  it("handles names of inherited object members [M7]", () => {
    const needs = JSON.parse('{"constructor": "*", "__proto__": "*"}') as Record<string, string>;
    expect(messages(needs, {})).toEqual([
      'Needs plugin "constructor" *, which is not installed',
      'Needs plugin "__proto__" *, which is not installed',
    ]);
  });
});

describe("loadOrder()", () => {
  it("sorts plugins after their dependencies, otherwise by name [M7]", () => {
    expect(loadOrder(known({ z: {}, a: { dependencies: { m: "*" } }, m: { dependencies: { z: "*", elsewhere: "*" } }, b: {} }))).toEqual([
      "b",
      "z",
      "m",
      "a",
    ]);
  });

  it("sorts the members of a cycle last [M7]", () => {
    expect(
      loadOrder(known({ a: { dependencies: { b: "*" } }, b: { dependencies: { a: "*" } }, c: { dependencies: { a: "*" } }, z: {} })),
    ).toEqual(["z", "a", "b", "c"]);
  });
});
