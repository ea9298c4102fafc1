/** Converts a host tool's input requests to MCP: elicitation, sampling and roots, if the client supports them. */

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

/** Client capabilities that a call needed and the client lacks. */
export interface Missing {
  capabilities?: ClientCapabilities;
}

/** Client of a request. */
interface Askable {
  readonly capabilities: ClientCapabilities | undefined;
  /** Answers that the client sent in advance to the first input request, by name; unknown names are ignored. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Collects the capabilities that an input request needs and the client lacks. */
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
    // Use them once: a tool that asks again needs a new answer.
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
  // The schema comes from the embedding program; the SDK checks it when sending.
  if (ask.kind === "form")
    return inputRequired.elicit({ mode: "form", message: printableLines(ask.message), requestedSchema: ask.schema as never });
  return inputRequired.createMessage({
    messages: ask.messages as unknown as CreateMessageRequestParams["messages"],
    maxTokens: ask.maxTokens,
  });
}

/** Reads the answers. Returns undefined if one is missing or of the wrong kind; then all inputs are requested again. */
function readAnswers(asks: Asks, responses: Readonly<Record<string, unknown>>): JsonObject | undefined {
  const answers: Record<string, JsonObject> = {};
  for (const [name, ask] of Object.entries(asks)) {
    const { kind } = inputResponse({ ...responses }, name);
    const answer = responses[name];
    // The answer came from JSON.parse, so it is JSON.
    if (kind !== KIND_OF_ANSWER[ask.kind] || !isJsonObject(answer)) return undefined;
    answers[name] = answer;
    if (ask.kind === "form" && !isAnswerTo(ask.schema, answer)) return undefined;
  }
  return answers;
}

const KIND_OF_ANSWER = { form: "elicit", model: "sampling", roots: "roots" } as const;

function isAnswerTo(schema: JsonObject, { action, content }: JsonObject): boolean {
  // The subset's checker ignores unknown keywords and does not compile schemas to code.
  return action !== "accept" || (content !== undefined && checkValue(schema, content).length === 0);
}
