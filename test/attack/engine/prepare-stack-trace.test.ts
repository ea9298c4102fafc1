import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
const fail = () => { throw new Error("plain") };
export const callback = () => { Error.prepareStackTrace = (error, sites) => { globalThis.sites = sites; return { forged: true } }; fail(); };
export const throwing = () => { Error.prepareStackTrace = () => { throw new Error("from the trace") }; fail(); };
export const endless = () => { Error.prepareStackTrace = () => { for (;;); }; fail(); };
export const deep = () => { Error.stackTraceLimit = Infinity; const f = (n) => (n === 0 ? fail() : f(n - 1)); f(500); };
export const getter = () => { Object.defineProperty(Error.prototype, "stack", { get: () => "    at host (file:///etc/passwd:1:1)" }); throw Object.create(Error.prototype) };
export const forged = () => { const e = new Error("plain"); e.stack = "    at dispatch (/bascule/host/dispatch.ts:1:1)\\n    at evil (main.ts:1:1)"; throw e };
`;

it("attack: hooks into stack traces, to see or forge the host's own frames [B7.positions] [B4]", async () => {
  const { call } = await attacker(EVIL);
  for (const name of ["callback", "throwing", "deep", "getter", "forged"]) {
    const fault = await call(name, { limits: { cpuMs: 10_000 } });
    expect(fault, name).toMatchObject({ kind: "threw", stack: expect.any(String) });
    expect(JSON.stringify(fault), name).not.toMatch(/bascule:|prelude|node:|\/work\/|\.gen\./);
  }
  expect(await call("endless", { limits: { cpuMs: 100 } })).toMatchObject({
    kind: expect.stringMatching(/^(threw|timeout)$/),
  });
});
