import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
const thrown = {
  null: () => null, undefined: () => undefined, symbol: () => Symbol("s"), bigint: () => 1n, callable: () => () => 1,
  bare: () => Object.create(null),
  revoked: () => { const { proxy, revoke } = Proxy.revocable(new Error("r"), {}); revoke(); return proxy },
  getters: () => ({ get name() { throw 1 }, get message() { throw 2 }, get stack() { throw 3 }, toString() { throw 4 } }),
  wrongTypes: () => Object.assign(new Error(), { name: {}, message: 7n, stack: [] }),
  cause: () => { const e = new Error("cyclic"); e.cause = e; return e },
  deepCause: () => { let e = new Error("deep"); for (let i = 0; i < 20_000; i++) e = new Error("deep", { cause: e }); return e },
  aggregate: () => { const e = new AggregateError([], "cyclic"); e.errors.push(e, e); return e },
  promise: () => Promise.reject(new Error("inner")).catch(() => {}) && new Promise(() => {}),
};
export const names = () => Object.keys(thrown);
export const sync = ({ kind }) => { throw thrown[kind]() };
export const async = async ({ kind }) => { await 0; throw thrown[kind]() };
`;

it("attack: throwing values that a host does not expect: non-errors, hostile getters, cyclic causes [B4.throw]", async () => {
  const { call } = await attacker(EVIL);
  for (const kind of (await call("names")) as string[])
    for (const way of ["sync", "async"])
      expect(await call(way, { args: { kind } }), `${way} ${kind}`).toMatchObject({
        kind: "threw",
        name: expect.any(String),
        message: expect.any(String),
        stack: expect.any(String),
      });
});
