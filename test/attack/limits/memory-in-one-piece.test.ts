import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const WAYS: Readonly<Record<string, string>> = {
  buffer: "return new ArrayBuffer(2 ** 31).byteLength",
  shared: "return new SharedArrayBuffer(2 ** 31).byteLength",
  resizable: "return new ArrayBuffer(1, { maxByteLength: 2 ** 31 }).resize(2 ** 31)",
  typed: "return new Float64Array(2 ** 29).length",
  text: "return 'x'.repeat(2 ** 29).length",
  padding: "return ''.padEnd(2 ** 29, 'ab').length",
  joined: "return new Array(2 ** 26).join('xxxxxxxx').length",
  filled: "return new Array(1e9).fill(0).length",
  bigint: "return (1n << 2n ** 31n).toString().length",
  power: "return (2n ** 4000000000n).toString().length",
  json: "return JSON.stringify(new Array(2 ** 27).fill(0)).length",
  random: "return crypto.getRandomValues(new Uint8Array(2 ** 30)).length",
  encoded: "return new TextEncoder().encode('x'.repeat(2 ** 29)).length",
  cloned: "return structuredClone(new Uint8Array(2 ** 30)).length",
  apply: "return Math.max.apply(null, { length: 2 ** 31 })",
  keys: "return Object.keys('x'.repeat(2 ** 27)).length",
};
const EVIL = Object.entries(WAYS)
  .map(
    ([name, body]) =>
      `export function ${name}() { ${body} }\nexport function caught_${name}() { try { ${body} } catch (e) { return "caught" } }`,
  )
  .join("\n");

it("attack: allocating all of the memory at once, in every possible way [B3.memory] [B4.memory]", async () => {
  const { call } = await attacker(EVIL);
  const limits = { cpuMs: 50 };
  for (const name of Object.keys(WAYS)) {
    expect(await call(name, { limits }), name).toMatchObject({ kind: expect.stringMatching(/^(exhausted|threw|timeout)$/) });
    const caught = await call(`caught_${name}`, { limits });
    // The allocation either ends the call or throws an error that the guest can catch.
    if (typeof caught === "object") expect(caught, name).toMatchObject({ kind: expect.stringMatching(/^(exhausted|timeout|threw)$/) });
    else expect(caught, name).toBe("caught");
  }
});
