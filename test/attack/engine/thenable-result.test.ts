import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const self = () => { const t = { then(resolve) { resolve(t) } }; return t; };
export const never = () => ({ then() {} });
export const twice = () => ({ then(resolve, reject) { resolve("first"); resolve("second"); reject(new Error("third")); throw new Error("fourth") } });
export const throwing = () => ({ get then() { throw new Error("no then") } });
export const noFunction = () => ({ then: "text" });
export const chain = () => { let t = { then: (r) => r("end") }; for (let i = 0; i < 5_000; i++) { const inner = t; t = { then: (r) => r(inner) } } return t; };
export const inList = async () => [{ then: (r) => r("followed") }];
`;

it("attack: a result with a `then` of its own [B4.thenable] [B5]", async () => {
  const { call } = await attacker(EVIL);
  expect(await call("self", { limits: { cpuMs: 100 } })).toMatchObject({ kind: "timeout" });
  expect(await call("never")).toEqual({ kind: "never_settles" });
  expect(await call("twice")).toBe("first");
  expect(await call("throwing")).toMatchObject({ kind: "threw", message: "no then" });
  expect(await call("noFunction")).toEqual(JSON.parse('{"then":"text"}'));
  expect(await call("chain")).toBe("end");
  // Only the result itself is awaited.
  expect(await call("inList")).toEqual([{}]);
});
