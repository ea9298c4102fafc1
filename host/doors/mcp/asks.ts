/** A host tool's questions as MCP asks them: elicitation, sampling and roots, as far as the client takes them. */

import {
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type InputRequests,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server";
import { printableLines } from "../../primitives/text.ts";
import { type Ask, type AskCaller, type Asks, CannotAsk } from "../../call/asks.ts";
import { checkValue, isJsonObject, type JsonObject } from "../../../manifests/mod.ts";
import type { CallSide } from "./open-call.ts";

const CAPABILITY = { form: "elicitation", model: "sampling", roots: "roots" } as const satisfies Record<
  Ask["kind"],
  keyof ClientCapabilities
>;

/** Which capabilities a call went without. */
export interface Missing {
  capabilities?: ClientCapabilities;
}

/** The client of a request, as far as questions need it. */
export interface Askable {
  readonly capabilities: ClientCapabilities | undefined;
  /** Answers that it gave in advance, to the first question, by names; names that the question does not have are not read. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Is told what a question would have needed. */
  readonly missing: Missing;
}

export function askThrough({ ask, signal }: Pick<CallSide, "ask" | "signal">, { capabilities, given, missing }: Askable): AskCaller {
  let early = given;
  return async (asks) => {
    const kinds = [...new Set(Object.values(asks).map(({ kind }) => kind))];
    const untaken = kinds.filter((kind) => capabilities?.[CAPABILITY[kind]] === undefined);
    if (untaken.length > 0) {
      missing.capabilities = { ...missing.capabilities, ...Object.fromEntries(untaken.map((kind) => [CAPABILITY[kind], {}])) };
      throw new CannotAsk(untaken);
    }
    const answered = readAnswers(asks, early);
    // Once: a tool that asks again is not answered the same for ever.
    early = {};
    if (answered !== undefined) return answered;
    return await new Promise<JsonObject>((resolve, reject) => {
      const over = new AbortController();
      const end = (settle: () => void): void => {
        signal.removeEventListener("abort", giveUp);
        over.abort();
        settle();
      };
      const giveUp = (): void => end(() => reject(new CannotAsk([])));
      signal.addEventListener("abort", giveUp, { once: true });
      if (signal.aborted) return giveUp();
      ask({
        inputs: toInputs(asks),
        answer(responses) {
          const answers = readAnswers(asks, responses);
          if (answers !== undefined) end(() => resolve(answers));
          return answers !== undefined;
        },
        giveUp,
        settled: over.signal,
      });
    });
  };
}

function toInputs(asks: Asks): InputRequests {
  return Object.fromEntries(Object.entries(asks).map(([name, ask]) => [name, toInput(ask)]));
}

function toInput(ask: Ask): InputRequests[string] {
  if (ask.kind === "roots") return inputRequired.listRoots();
  // What a host tool of the embedding program says is what it means; the SDK checks it on its way out.
  if (ask.kind === "form")
    return inputRequired.elicit({ mode: "form", message: printableLines(ask.message), requestedSchema: ask.schema as never });
  return inputRequired.createMessage({
    messages: ask.messages as unknown as CreateMessageRequestParams["messages"],
    maxTokens: ask.maxTokens,
  });
}

/** Undefined if one is missing, or is not what was asked for: then all are asked again. */
function readAnswers(asks: Asks, responses: Readonly<Record<string, unknown>>): JsonObject | undefined {
  const answers: Record<string, JsonObject> = {};
  for (const [name, ask] of Object.entries(asks)) {
    const { kind } = inputResponse({ ...responses }, name);
    const answer = responses[name];
    // What came through JSON.parse is JSON.
    if (kind !== KIND_OF_ANSWER[ask.kind] || !isJsonObject(answer)) return undefined;
    answers[name] = answer;
    if (ask.kind === "form" && !isAnswerTo(ask.schema, answer)) return undefined;
  }
  return answers;
}

const KIND_OF_ANSWER = { form: "elicit", model: "sampling", roots: "roots" } as const;

function isAnswerTo(schema: JsonObject, { action, content }: JsonObject): boolean {
  // The subset's checker leaves out what it does not know, and generates no code of a schema.
  return action !== "accept" || (content !== undefined && checkValue(schema, content).length === 0);
}
