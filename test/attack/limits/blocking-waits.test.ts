import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const wait = () => { const words = new Int32Array(typeof SharedArrayBuffer === "function" ? new SharedArrayBuffer(8) : 8); try { return Atomics.wait(words, 0, 0) } catch (e) { return e.name } };
export const waitAsync = async () => { const words = new Int32Array(new SharedArrayBuffer(8)); try { return await Atomics.waitAsync(words, 0, 0).value } catch (e) { return e.name } };
export const spin = () => { const end = Date.now() + 1e6; while (Date.now() < end); };
export const clock = () => { const end = performance.now() + 1e6; while (performance.now() < end); };
`;

it("attack: blocking the worker's thread without computing [B3.wall] [B3.cpu]", async () => {
  const { call } = await attacker(EVIL);
  const limits = { cpuMs: 50, wallMs: 5_000 };
  for (const name of ["wait", "waitAsync"]) {
    const outcome = await call(name, { limits });
    if (typeof outcome === "object")
      expect(outcome, name).toMatchObject({ kind: expect.stringMatching(/^(timeout|never_settles|threw)$/) });
    else expect(outcome, name).toMatch(/Error$|^timed-out$/);
  }
  for (const name of ["spin", "clock"]) expect(await call(name, { limits }), name).toMatchObject({ kind: "timeout" });
});
