import { expect, it } from "vitest";
import { LAST_LINE_BYTES, LOG_LINE_BYTES } from "../../../sandbox/wire/log-lines.ts";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const empty = () => { for (;;) console.log("") };
export const caught = () => { for (;;) try { console.log("") } catch {} };
export const wide = () => { for (;;) console.table(Array.from({ length: 1000 }, (_, i) => ({ ["c" + i]: i }))) };
export const getters = () => { console.log({ get a() { for (;;); } }); return 1 };
export const formats = () => { console.log("%s%d%i%f%j%o%O%c%%%".repeat(5_000), ...new Array(5_000).fill({ a: { b: { c: {} } } })); return 1 };
export const groups = () => { for (let i = 0; i < 1e5; i++) console.group("g"); console.log("deep"); return 1 };
export const counters = () => { for (let i = 0; i < 1e6; i++) console.count("label" + i) };
`;

it("attack: log lines that are empty, endless, or cost more to format than to write [B3.logs]", async () => {
  const { call } = await attacker(EVIL);
  let bytes = 0;
  const onLog = (_level: string, text: string): void => void (bytes += text.length + LOG_LINE_BYTES);
  const limits = { logBytes: 10_000, cpuMs: 100 };
  for (const name of ["empty", "caught", "wide", "formats", "groups", "counters"]) {
    bytes = 0;
    expect(await call(name, { limits, onLog }), name).toMatchObject({ kind: "timeout" });
    expect(bytes, name).toBeLessThanOrEqual(10_000 + LAST_LINE_BYTES);
  }
  // A getter is shown without calling it.
  expect(await call("getters", { limits, onLog })).toBe(1);
});
