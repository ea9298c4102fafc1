/** `atob` and `btoa` (https://infra.spec.whatwg.org/#forgiving-base64). */

import { askWorker } from "../call/channel.ts";
import { quoteJson } from "../language/json-text.ts";
import { stringIncludes } from "../language/primordials.ts";
import { exposeFunction, requireArguments, toUsvString } from "./webidl.ts";

function atob(data: unknown): string {
  requireArguments(arguments.length, 1, "execute 'atob'");
  return send("text.atob", toUsvString(data));
}

function btoa(data: unknown): string {
  requireArguments(arguments.length, 1, "execute 'btoa'");
  return send("text.btoa", toUsvString(data));
}

/** Text with U+0000 is sent as JSON, because raw text would be cut there. */
function send(operation: string, text: string): string {
  const isJson = stringIncludes(text, "\0");
  return `${askWorker(isJson ? `${operation}Json` : operation, isJson ? quoteJson(text) : text) as string}`;
}

export function installBase64(global: object): void {
  exposeFunction(global, "atob", atob);
  exposeFunction(global, "btoa", btoa);
}
