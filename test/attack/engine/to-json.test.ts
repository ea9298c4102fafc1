import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const nested = () => { let n = 0; const o = { toJSON: () => (n++ < 1e5 ? { o } : 1) }; return o };
export const itself = () => { const o = { toJSON: () => o, a: 1 }; return o };
export const nothing = () => ({ toJSON() {} });
export const promise = () => ({ toJSON: async () => 1 });
export const everywhere = () => { Object.prototype.toJSON = () => "forged"; String.prototype.toJSON = () => "forged"; return { a: ["b"] } };
export const bigint = () => { BigInt.prototype.toJSON = function () { return this.toString() }; return [1n] };
export const grows = () => { const list = [1]; list.toJSON = function () { this.push({ toJSON: () => this.push(1) }); return this }; return list };
export const raw = () => (JSON.rawJSON ? JSON.rawJSON('1') : 1);
`;

it("attack: toJSON on results and on every built-in object [B5.toJSON] [B5.primordials]", async () => {
  const { call } = await attacker(EVIL);
  expect(await call("nested", { limits: { cpuMs: 50 } })).toMatchObject({ kind: expect.stringMatching(/^(exhausted|timeout)$/) });
  expect(await call("itself")).toEqual({ a: 1 });
  expect(await call("nothing")).toMatchObject({ kind: "not_json" });
  expect(await call("promise")).toEqual({});
  expect(await call("bigint")).toEqual(["1"]);
  expect(await call("grows")).toEqual([1, 3]);
  expect(await call("raw")).toBe(1);
  const everywhere = await call("everywhere");
  expect(JSON.stringify(everywhere)).toMatch(/^("forged"|\{"a":\["b"\]\}|"\\"forged\\"")$/);
});
