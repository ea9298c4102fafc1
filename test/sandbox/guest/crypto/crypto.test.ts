import { describe, expect, it } from "vitest";
import { evaluateInGuest, startGuest } from "../engine.ts";

describe("crypto", () => {
  it("fills every integer array in place with the host's random bytes [PB1.crypto] [B6]", async () => {
    const code = `(() => {
      const bytes = new Uint8Array(8); const part = bytes.subarray(2, 6);
      const same = crypto.getRandomValues(part) === part;
      const big = crypto.getRandomValues(new BigUint64Array(1))[0] > 0n;
      return [same, bytes[0], bytes[1], bytes.slice(2, 6).some((b) => b !== 0), bytes[6], big, crypto.getRandomValues(new Int32Array(0)).length];
    })()`;
    expect(await evaluateInGuest(code)).toEqual([true, 0, 0, true, 0, true, 0]);
  });

  it("takes its bytes from the environment passed in, so that they can be replayed [B6] [B8]", async () => {
    const draw = `[...crypto.getRandomValues(new Uint8Array(4)), crypto.randomUUID()]`;
    expect(await evaluateInGuest(draw)).toEqual(await evaluateInGuest(draw));
  });

  it("enforces the quota and the types of the standard [PB1.crypto]", async () => {
    const attempts = ["new Uint8Array(65537)", "new Float32Array(1)", "new DataView(new ArrayBuffer(1))", "[]", "undefined"];
    const code = `[${attempts.map((text) => `(() => { try { crypto.getRandomValues(${text}); return "filled" } catch (error) { return [error.name, error.code] } })()`).join(",")}]`;
    expect(await evaluateInGuest(code)).toEqual([
      ["QuotaExceededError", 22],
      ["TypeMismatchError", 17],
      ["TypeMismatchError", 17],
      ["TypeMismatchError", 17],
      ["TypeMismatchError", 17],
    ]);
    expect(await evaluateInGuest(`crypto.getRandomValues(new Uint8Array(65536)).length`)).toBe(65_536);
  });

  it("creates distinct version 4 UUIDs [PB1.crypto]", async () => {
    const ids = (await evaluateInGuest(`Array.from({ length: 50 }, () => crypto.randomUUID())`)) as string[];
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
  });

  it("cannot be constructed, and its methods refuse another this [PB1.crypto]", async () => {
    const guest = await startGuest({
      source: `export function tool() { const names = []; for (const f of [() => new Crypto(), () => crypto.randomUUID.call({}), () => crypto.getRandomValues()]) try { f() } catch (error) { names.push(error.name) } return [names, Object.prototype.toString.call(crypto)] }`,
    });
    expect(guest.output()).toEqual([["TypeError", "TypeError", "TypeError"], "[object Crypto]"]);
    guest.dispose();
  });
});
