import { expect, it } from "vitest";
import { faultToError } from "../../../host/routes/fault-to-error.ts";
import type { Fault } from "../../../sandbox/mod.ts";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
const big = (n) => "x".repeat(n);
export const message = () => { throw new Error(big(2 << 20)) };
export const name = () => { const e = new Error("n"); e.name = big(2 << 20); throw e };
export const stack = () => { const e = new Error("s"); e.stack = (big(100) + "\\n").repeat(1 << 16); throw e };
export const lines = () => { throw new Error("\\n".repeat(1 << 20)) };
export const details = () => { throw Object.assign(new Error("d"), { name: "ToolError", details: { a: big(1 << 20) } }) };
export const later = () => { setTimeout(() => { throw new Error(big(2 << 20)) }); return new Promise(() => {}) };
`;

it("attack: errors of many megabytes fill logs and contexts [B5.errors] [X4]", async () => {
  const { call } = await attacker(EVIL);
  for (const name of ["message", "name", "stack", "lines", "details", "later"]) {
    const fault = (await call(name)) as Fault;
    expect(fault.kind, name).toMatch(/^(threw|unhandled|exhausted)$/);
    expect(JSON.stringify(faultToError(fault)).length, name).toBeLessThan(100_000);
  }
});
