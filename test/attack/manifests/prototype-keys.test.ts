import { describe, expect, it } from "vitest";
import { manifest, tool } from "../../host/plugins/folder/harness.ts";
import { hostileRoot, refusalOf } from "./hostile-root.ts";

describe("names that every object inherits", () => {
  it.each([
    ["at the top", '"__proto__": { "enabled": true }'],
    ["written with an escape", '"__pro\\u0074o__": { "enabled": true }'],
    ["in permissions", '"permissions": { "__proto__": { "read": true } }'],
    ["in dependencies", '"dependencies": { "__proto__": "*" }'],
    ["in imports", '"imports": { "__proto__": "./x.js" }'],
    ["in limits", '"limits": { "__proto__": { "memoryBytes": 1 } }'],
    ["in a tool's schema", '"settingsSchema": { "type": "object", "properties": { "__proto__": { "type": "string" } } }'],
  ])("are refused as keys %s, and no object gets a prototype [M4.proto]", async (_where, member) => {
    const text = manifest("evil").replace(/}$/, `,${member}}`);
    const [message] = await refusalOf({ "evil/manifest.json": text, "evil/main.ts": "" });
    expect(message).toMatch(/__proto__/);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["enabled"]).toBeUndefined();
  });

  it.each(["constructor", "prototype", "toString", "hasOwnProperty", "valueOf"])(
    'are refused as a tool\'s name: "%s" [M5]',
    async (name) => {
      const { statusOf, callable } = await hostileRoot({ "p/manifest.json": manifest("p", { tools: [tool(name)] }), "p/main.ts": "" });
      expect(await statusOf("p")).toMatchObject({ state: "loaded" });
      expect(callable(name)).toMatchObject({ name: "p" });
      expect(callable("isPrototypeOf")).toBeUndefined();
    },
  );

  it("are refused as a plugin's name [M5]", async () => {
    const { statusOf, callable } = await hostileRoot({ "p/manifest.json": manifest("constructor"), "p/main.ts": "" });
    expect(await statusOf("p")).toMatchObject({ state: "loaded", name: "constructor" });
    expect(callable("constructor_run")).toMatchObject({ name: "constructor" });
  });

  it("are refused as names of files, modules and dependencies [M7]", async () => {
    const more = { dependencies: { constructor: "*" }, tools: [tool("x", { module: "constructor.ts" })] };
    expect(
      await refusalOf({ "p/manifest.json": manifest("p", more), "p/constructor.ts": "", "p/__proto__": "", "p/toString": "" }, "p"),
    ).toEqual(['Needs plugin "constructor" *, which is not installed']);
  });
});
