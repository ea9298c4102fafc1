import { expect, it } from "vitest";
import { copyJson } from "../../../host/primitives/json/json.ts";
import { attacker } from "../../support/attacker.ts";

const KEYS = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__", "valueOf"];
const EVIL = `export const keys = () => JSON.parse(${JSON.stringify(`{${KEYS.map((key) => `"${key}":{"polluted":true}`).join(",")}}`)});`;

it("attack: results with keys that have a meaning in the host [B5.proto]", async () => {
  const { call } = await attacker(EVIL);
  const output = await call("keys");
  expect(Object.keys(output as object)).toEqual(KEYS);
  expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
  // The host's copy contains no key that could set a prototype elsewhere.
  const copied = copyJson(output, { maxBytes: 10_000, maxDepth: 10 });
  expect(copied).toMatchObject({ ok: true });
  if (copied.ok) expect(Object.keys(copied.value as object)).not.toContain("__proto__");
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
