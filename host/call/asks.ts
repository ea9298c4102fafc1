/** Requests that a host tool can send to its caller in the middle of a call. Doors whose client cannot answer do not offer them. */

import type { JsonObject } from "../../manifests/mod.ts";
import type { RunTime } from "./run-time.ts";

/** One request to the caller. */
export type Ask =
  /** Input from the caller's user: `schema` is a flat JSON Schema of an object. The answer is `{ action, content? }`. */
  | { readonly kind: "form"; readonly message: string; readonly schema: JsonObject }
  /** A completion by the caller's model. The answer is its message: `{ role, content, model, … }`. */
  | { readonly kind: "model"; readonly messages: readonly JsonObject[]; readonly maxTokens: number }
  /** The folders that the caller works in. The answer is `{ roots: [{ uri, name? }] }`. */
  | { readonly kind: "roots" };

/** Requests that are sent together, by names that the tool chooses. */
export type Asks = Readonly<Record<string, Ask>>;

/**
 * Sends the requests and resolves to all answers, by the names of the requests.
 *
 * @throws {CannotAsk} if the caller does not support a kind of request, or does not answer
 */
export type AskCaller = (asks: Asks) => Promise<JsonObject>;

/** The caller does not support the requests, or did not answer. */
export class CannotAsk extends Error {
  override readonly name = "CannotAsk";
  /** Kinds of requests that this caller does not support; empty if it supports them and did not answer. */
  readonly kinds: readonly Ask["kind"][];
  constructor(kinds: readonly Ask["kind"][]) {
    super(kinds.length === 0 ? "The caller did not answer" : `The caller does not support these kinds of requests: ${kinds.join(", ")}`);
    this.kinds = kinds;
  }
}

/** Sends requests while the run is suspended: the wait takes neither its time nor its slot (SPEC D4). */
export function askInStandstill(ask: AskCaller, { standStill }: Pick<RunTime, "standStill">): AskCaller {
  return async (asks) => {
    const goOn = standStill();
    try {
      return await ask(asks);
    } finally {
      await goOn();
    }
  };
}
