/** What a host tool can ask of whoever calls it, in the middle of its call. Doors that have nobody to ask offer none of it. */

import type { JsonObject } from "../../manifests/mod.ts";
import type { RunTime } from "./run-time.ts";

/** One question. */
export type Ask =
  /** To the caller's person: `schema` is a flat JSON Schema of an object. Answered by `{ action, content? }`. */
  | { readonly kind: "form"; readonly message: string; readonly schema: JsonObject }
  /** To the caller's model. Answered by its message: `{ role, content, model, … }`. */
  | { readonly kind: "model"; readonly messages: readonly JsonObject[]; readonly maxTokens: number }
  /** Which folders the caller works in. Answered by `{ roots: [{ uri, name? }] }`. */
  | { readonly kind: "roots" };

/** Questions that are asked at once, by names of the tool's own. */
export type Asks = Readonly<Record<string, Ask>>;

/**
 * Asks, and resolves to all answers, by the names of the questions.
 *
 * @throws {CannotAsk} where the caller takes no questions of some kind, or nobody answered
 */
export type AskCaller = (asks: Asks) => Promise<JsonObject>;

/** The caller was not asked, or did not answer. */
export class CannotAsk extends Error {
  override readonly name = "CannotAsk";
  /** Kinds of questions that this caller does not take; empty if it takes them and did not answer. */
  readonly kinds: readonly Ask["kind"][];
  constructor(kinds: readonly Ask["kind"][]) {
    super(kinds.length === 0 ? "The caller did not answer" : `The caller does not take questions of these kinds: ${kinds.join(", ")}`);
    this.kinds = kinds;
  }
}

/** Asks while the run stands still: waiting for a person takes neither its time nor its slot (SPEC D4). */
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
