/** A test262 file as a plugin: the harness as global scripts, the test as a module that goes through the loader. */

import { RESULT_MARK, WHOLE_FILE } from "./suite.ts";
import { asSharedScript } from "./wpt-program.ts";

export interface Test262Program {
  /** Path of the test in the plugin. */
  readonly path: string;
  readonly harness: readonly string[];
  /** True if the test ends by calling `$DONE`. */
  readonly isAsync: boolean;
  /** Name of the error that loading or running the test has to throw. */
  readonly throws: string | undefined;
}

/** Returns the plugin's `main.js`. */
export function test262Program({ path, harness, isAsync, throws }: Test262Program): string {
  return `const { log } = console;
const { stringify } = JSON;
const evaluate = eval;
export async function run() {
  const report = (passed, message) => log(${JSON.stringify(RESULT_MARK)} + stringify([${JSON.stringify(WHOLE_FILE)}, passed, passed ? undefined : String(message)]));
  let done;
  const ended = new Promise((resolve) => { done = resolve; });
  globalThis.$DONE = (error) => done(error ? { error } : {});
  globalThis.print = () => {};
  globalThis.$262 = { global: globalThis, gc() {}, evalScript: (text) => evaluate(text), detachArrayBuffer: (buffer) => void buffer.transfer() };
  let found;
  try {
    ${harness.map((script) => `evaluate(${JSON.stringify(asSharedScript(script))});`).join("\n    ")}
    await import(${JSON.stringify(`./${path}`)});
    found = ${isAsync ? "await ended" : "{}"};
  } catch (error) {
    found = { error };
  }
  const wanted = ${JSON.stringify(throws)};
  const text = "error" in found ? (found.error?.name ?? "") + ": " + (found.error?.message ?? found.error) + "\\n" + (found.error?.stack ?? "") : "nothing was thrown";
  if (wanted === undefined) report(!("error" in found), text);
  else report("error" in found && found.error?.constructor?.name === wanted, "Wanted " + wanted + ", not " + text);
}
`;
}
