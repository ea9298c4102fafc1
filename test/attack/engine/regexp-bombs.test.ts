import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const compile = ({ source, flags, text }) => { try { return new RegExp(source, flags).test(text) } catch (e) { return e.name } };
export const sticky = () => { const r = /a*?$/gy; const s = "a".repeat(1e6); let n = 0; while (r.exec(s) && n++ < 1e9) r.lastIndex = 0; return n };
export const lastIndex = () => { const r = /a/g; r.lastIndex = { valueOf() { return 2 ** 53 } }; return r.test("a") };
`;
const nested = (depth: number): string => `${"(".repeat(depth)}a*${")*".repeat(depth)}b`;

const BOMBS: readonly (readonly [what: string, source: string, flags: string, text: string])[] = [
  ["counted groups that multiply", "((a{1,1000}){1,1000}){1,1000}", "", "a".repeat(50)],
  ["huge counts", "(?:a{0,2147483647}){2147483647}$", "", "aab"],
  ["stars in stars", nested(12), "", "a".repeat(30)],
  ["many alternatives", `^(?:${Array.from({ length: 5_000 }, (_, i) => `a${i}`).join("|")})*$`, "", "a1".repeat(500)],
  ["many names", Array.from({ length: 5_000 }, (_, i) => `(?<n${i}>a)?`).join(""), "", "b"],
  ["classes of everything", `[${"\\p{L}\\P{L}".repeat(500)}]+$`, "u", "x".repeat(5_000)],
  ["sets of strings", "[\\p{RGI_Emoji}--\\q{a|b}]+$", "v", "a"],
  ["case folding", "(?:ſ|K|İ)+x", "iu", "ſ".repeat(5_000)],
  ["back references", "(a+)+\\1\\1\\1$", "", `${"a".repeat(40)}b`],
];

it("attack: regular expressions that explode, backtrack or never end, when compiled and when run [B3.regexp]", async () => {
  const { call } = await attacker(EVIL);
  for (const [what, source, flags, text] of BOMBS) {
    const outcome = await call("compile", { args: { source, flags, text }, limits: { cpuMs: 50 } });
    if (typeof outcome === "object") expect(outcome, what).toMatchObject({ kind: expect.stringMatching(/^(timeout|exhausted)$/) });
    else expect([true, false, "SyntaxError", "InternalError"], what).toContain(outcome);
  }
  for (const name of ["sticky", "lastIndex"])
    expect(["number", "boolean", "object"], name).toContain(typeof (await call(name, { limits: { cpuMs: 50 } })));
});
