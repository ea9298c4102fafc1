import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const MAIN = `
import data from "./data.json" with { type: "json" };
export const look = () => [Object.getPrototypeOf(data) === Object.prototype, {}.polluted ?? null, Object.keys(data)];
export const change = () => { data.a = "changed"; return data.a };
export const see = () => data.a;
export const asCode = async () => { try { return Object.keys(await import("./code.json")) } catch (e) { return e.name } };
`;

it("attack: JSON modules that set prototypes, run code, or keep what a call wrote [B7.json] [B2]", async () => {
  const { call, refusal } = await attacker({
    "main.js": MAIN,
    "data.json": `{"__proto__": {"polluted": 1}, "a": "as written"}`,
    "code.json": `globalThis.ran = true; export const a = 1`,
  });
  expect(await call("look")).toEqual([true, null, ["__proto__", "a"]]);
  expect(await call("change")).toBe("changed");
  expect(await call("see")).toBe("as written");
  expect(await call("asCode")).toMatch(/Error$/);
  const importing = `import d from "./d.json" with { type: "json" }; export const a = d;`;
  expect(await refusal({ "main.js": importing, "d.json": `${"[".repeat(200_000)}${"]".repeat(200_000)}` })).toEqual(expect.any(String));
  expect(await refusal({ "main.js": importing, "d.json": `{"a": 1,}` })).toEqual(expect.any(String));
});
