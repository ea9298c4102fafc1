import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
export const many = () => { for (let i = 0; i < 2e3; i++) setTimeout(() => {}, 1e6) };
export const intervals = () => { for (let i = 0; i < 2e3; i++) setInterval(() => {}, 1e6) };
export const replaced = () => { for (let i = 0; i < 1_500; i++) clearTimeout(setTimeout(() => {}, 1e6)); return "freed" };
export const doubling = () => { const f = () => { setTimeout(f, 0); setTimeout(f, 0) }; f(); return new Promise(() => {}) };
export const oddDelays = async () => { for (const d of [-1, NaN, Infinity, 2 ** 31, 2 ** 53, "x", {}, null, -0, 1e-9]) { const id = setTimeout(() => {}, d); clearTimeout(id) } clearTimeout({}); clearInterval("1"); clearTimeout(-1); clearTimeout(2 ** 40); return "odd" };
`;

it("attack: more timers than a call may have [B3.timers]", async () => {
  const { call } = await attacker(EVIL);
  for (const name of ["many", "intervals", "doubling"])
    expect(await call(name), name).toEqual({ kind: "exhausted", limit: "timers", allowed: 1_000 });
  expect(await call("replaced")).toBe("freed");
  expect(await call("oddDelays")).toBe("odd");
});
