import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const look = (args) => [Object.getPrototypeOf(args) === Object.prototype, {}.polluted ?? null, Object.keys(args), args.a?.polluted ?? null];
export const change = (args) => { args.list.push("changed"); args.added = true; delete args.list; Object.setPrototypeOf(args, { polluted: 1 }); return 1 };
`;

it("attack: arguments that set prototypes in the guest, and a tool that changes its arguments [B5.proto] [S3.frozen]", async () => {
  const { call } = await attacker(EVIL);
  const args = JSON.parse(
    '{"__proto__": {"polluted": 1}, "a": {"__proto__": {"polluted": 2}}, "constructor": {"prototype": {"polluted": 3}}}',
  );
  expect(await call("look", { args })).toEqual([true, null, ["__proto__", "a", "constructor"], null]);
  const own = { list: ["kept"] };
  expect(await call("change", { args: own })).toBe(1);
  expect(own).toEqual({ list: ["kept"] });
});
