import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const endlessList = () => new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 32 : k === "toJSON" ? undefined : 1) });
export const endlessKeys = () => new Proxy({}, { ownKeys: () => Array.from({ length: 1e6 }, (_, i) => "k" + i), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: () => undefined });
export const endlessDepth = () => { const p = new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: p }), get: (t, k) => (k === "a" ? p : undefined) }); return p; };
export const throwing = () => new Proxy({}, { ownKeys() { throw new Error("no keys") }, get: () => undefined });
export const revoked = () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; };
export const changing = () => { let n = 0; return { get a() { return n++ === 0 ? 1 : { then() {} } } } };
`;

it("attack: a proxy as a result, endless or different on each read [B5.proxy] [B4]", async () => {
  const { call } = await attacker(EVIL);
  const limits = { cpuMs: 50 };
  for (const name of ["endlessList", "endlessKeys", "endlessDepth"])
    expect(await call(name, { limits }), name).toMatchObject({ kind: expect.stringMatching(/^(timeout|exhausted|not_json)$/) });
  expect(await call("throwing")).toEqual({ kind: "not_json", message: "no keys" });
  expect(await call("revoked")).toMatchObject({ kind: expect.stringMatching(/^(not_json|threw)$/) });
  expect(await call("changing")).toEqual({ a: 1 });
});
