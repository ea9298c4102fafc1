import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const compile = ({ source, flags, text }) => { try { return new RegExp(source, flags).test(text) } catch (e) { return e.name } };
export const sticky = () => { const r = /a*?$/gy; const s = "a".repeat(1e6); let n = 0; while (r.exec(s) && n++ < 1e9) r.lastIndex = 0; return n };
export const lastIndex = () => { const r = /a/g; r.lastIndex = { valueOf() { return 2 ** 53 } }; return r.test("a") };
`;
const nested = (depth: number): string => `${"(".repeat(depth)}a*${")*".repeat(depth)}b`;

it.each([
  ["counted groups that multiply", "((a{1,1000}){1,1000}){1,1000}", "", "a".repeat(50)],
  ["huge counts", "(?:a{0,2147483647}){2147483647}$", "", "aab"],
  ["stars in stars", nested(12), "", "a".repeat(30)],
  ["many alternatives", `^(?:${Array.from({ length: 5_000 }, (_, i) => `a${i}`).join("|")})*$`, "", "a1".repeat(500)],
  ["many names", Array.from({ length: 5_000 }, (_, i) => `(?<n${i}>a)?`).join(""), "", "b"],
  ["classes of everything", `[${"\\p{L}\\P{L}".repeat(500)}]+$`, "u", "x".repeat(5_000)],
  ["sets of strings", "[\\p{RGI_Emoji}--\\q{a|b}]+$", "v", "a"],
  ["case folding", "(?:ſ|K|İ)+x", "iu", "ſ".repeat(5_000)],
  ["back references", "(a+)+\\1\\1\\1$", "", `${"a".repeat(40)}b`],
])("attack: a regular expression of %s [B3.regexp]", async (_what, source, flags, text) => {
  const { call } = await attacker(EVIL);
  const limits = { cpuMs: 100 };
  const outcome = await call("compile", { args: { source, flags, text }, limits });
  if (typeof outcome === "object") expect(outcome).toMatchObject({ kind: expect.stringMatching(/^(timeout|exhausted)$/) });
  else expect([true, false, "SyntaxError", "InternalError"]).toContain(outcome);
});
