import { expect, it } from "vitest";
import { attacker } from "../../support/attacker.ts";

const EVIL = `
const big = () => "x".repeat(2 << 20);
export const hundred = () => "x".repeat(100 << 20);
export const text = () => big();
export const list = () => new Array(3e5).fill("xxxx");
export const keys = () => Object.fromEntries(Array.from({ length: 2e4 }, (_, i) => ["key" + i, i]));
export const escapes = () => "\\u0001".repeat(1 << 18);
export const nested = () => [[[[big()]]]];
export const path = () => Deno.readTextFileSync(big());
export const log = () => { console.log(big()); return 1 };
export const progress = (args, context) => { context.progress({ big: big() }); return 1 };
export const file = () => Deno.writeTextFileSync("/work/a", big());
`;

it("attack: 100 MB outputs, on every way out of the sandbox [B3.output] [B3.logs] [B3.operationBytes]", async () => {
  const { call } = await attacker(EVIL);
  let largest = 0;
  const hostCall = async ({ args, bytes }: { readonly args: unknown; readonly bytes?: Uint8Array }) => {
    largest = Math.max(largest, (bytes?.length ?? 0) + JSON.stringify(args).length);
    return { ok: true as const, value: null };
  };
  const onLog = (_level: string, text: string): void => void (largest = Math.max(largest, text.length));
  const limits = { outputBytes: 100_000, operationBytes: 100_000, logBytes: 100_000 };
  for (const name of ["hundred", "text", "list", "keys", "escapes", "nested", "path", "progress"])
    expect(await call(name, { hostCall, limits }), name).toMatchObject({ kind: expect.stringMatching(/^(exhausted|threw)$/) });
  // The line is cut, and the call continues.
  expect(await call("log", { onLog, limits })).toBe(1);
  // A file may be written in pieces.
  await call("file", { hostCall, limits });
  expect(largest).toBeLessThanOrEqual(100_200);
});
