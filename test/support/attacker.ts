/** One hostile plugin in a real sandbox. At the end of the test, another plugin must still work and the sandbox must have no defects. */

import { expect, onTestFinished } from "vitest";
import { outputOf, startSandbox, type TestCall } from "./sandbox.ts";

export interface Attacker {
  /** Calls an export. @returns the plain output, or the fault */
  call(name: string, call?: TestCall): Promise<unknown>;
  /** Loads another plugin. @returns why it was refused; undefined if it loads */
  refusal(files: Readonly<Record<string, string>> | string): Promise<string | undefined>;
}

export async function attacker(source: Readonly<Record<string, string>> | string): Promise<Attacker> {
  const box = startSandbox({ maximumWorkers: 1 });
  onTestFinished(async () => {
    expect(outputOf(await box.call("canary", "sing"))).toBe("alive");
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });
  expect(await box.load("canary", `export const sing = () => "alive";`)).toMatchObject({ ok: true });
  expect(await box.load("evil", source)).toMatchObject({ ok: true });
  const main = typeof source === "string" ? undefined : Object.keys(source)[0];
  let others = 0;
  return {
    call: async (name, call) => outputOf(await box.call("evil", name, { ...(main !== undefined && { module: main }), ...call })),
    async refusal(files) {
      const loaded = await box.load(`other-${++others}`, files);
      return loaded.ok ? undefined : loaded.fault.message;
    },
  };
}
