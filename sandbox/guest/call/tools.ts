/** `context.tools`: calls other tools; each call passes every check of the host (SPEC C9). */

import { request } from "./channel.ts";
import { quoteJson } from "../language/json-text.ts";
import { refuseLost } from "./lost-values.ts";
import {
  define,
  jsonStringify,
  objectHasOwn,
  PrimordialPromise,
  PrimordialTypeError,
  promiseReject,
  promiseThen,
} from "../language/primordials.ts";
import { toDomString } from "../web/webidl.ts";
import { plainError } from "../inspect/stack.ts";

/** Answer of the host when the call ended, with a result or an error. */
type StepAnswer =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string; readonly tool: string } };

/** Answer of the host when the call waits for a confirmation. */
interface StepAsks {
  readonly asks: number;
}

/** Resolves to the tool's output, or rejects with an error whose `code` names the failure. */
export function callTool(name: unknown, args: unknown = {}): Promise<unknown> {
  try {
    const text = jsonStringify(args);
    if (text === undefined) throw new PrimordialTypeError("The arguments of a tool must be a JSON object");
    refuseLost(args, text, "arguments");
    const json = `{"name":${quoteJson(toDomString(name))},"args":${text}}`;
    return follow(request({ __proto__: null, operation: "tools.call", args: { __proto__: null }, json, convert: asItIs }));
  } catch (error) {
    return promiseReject(error);
  }
}

/** Stops the call's clock only while the user is asked for a confirmation. */
function follow(begun: Promise<unknown>): Promise<unknown> {
  return new PrimordialPromise((resolve, reject) => {
    const take = (value: unknown): void => {
      try {
        // The host's answer has one of these shapes.
        const answer = value as StepAnswer | StepAsks;
        if (!objectHasOwn(answer, "asks")) return resolve(outputOf(answer as StepAnswer));
        const args = { __proto__: null, step: (answer as StepAsks).asks };
        const goOn = (): unknown =>
          promiseThen(request({ __proto__: null, operation: "tools.result", args, convert: asItIs }), take, reject);
        promiseThen(request({ __proto__: null, operation: "tools.asked", args, convert: asItIs }), goOn, reject);
      } catch (error) {
        reject(error);
      }
    };
    promiseThen(begun, take, reject);
  });
}

function asItIs(value: unknown): unknown {
  return value;
}

function outputOf(answer: StepAnswer): unknown {
  if (answer.ok) return answer.output;
  const { code, message, tool } = answer.error;
  const error = plainError(message);
  // If the plugin does not catch it, the caller sees its message (SPEC X4).
  define(error, "name", "ToolError");
  define(error, "code", code, true);
  define(error, "tool", tool, true);
  throw error;
}
