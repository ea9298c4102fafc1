/** Host tools that ask their caller during a call, as the suite expects for elicitation, sampling and roots. */

import { type Ask, type Asks, CannotAsk } from "../../../host/call/asks.ts";
import type { ToolContext } from "../../../host/call/context.ts";
import type { ToolFactory } from "../../../host/tools/tool.ts";
import type { JsonObject, JsonValue } from "../../../manifests/mod.ts";

type Asker = (ask: NonNullable<ToolContext["ask"]>, args: JsonObject) => Promise<string>;

const NAME = form("What is your name?", { name: { type: "string" } }, ["name"]);

const ASKERS: Readonly<Record<string, Asker>> = {
  test_sampling: async (ask, { prompt }) => `LLM response: ${JSON.stringify(await ask({ answer: model(JSON.stringify(prompt)) }))}`,
  test_missing_capability: async (ask) => JSON.stringify(await ask({ llm_answer: model("Reply with the single word: pong") })),
  test_elicitation: async (ask, { message }) => {
    const { response } = await ask({
      response: form(JSON.stringify(message), { response: { type: "string", description: "User's response" } }, ["response"]),
    });
    return `User response: ${JSON.stringify(response)}`;
  },
  test_elicitation_sep1034_defaults: async (ask) => {
    const properties: JsonObject = {
      name: { type: "string", description: "User name", default: "John Doe" },
      age: { type: "integer", description: "User age", default: 30 },
      score: { type: "number", description: "User score", default: 95.5 },
      status: { type: "string", description: "User status", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", description: "Verification status", default: true },
    };
    return `Elicitation completed: ${JSON.stringify(await ask({ fields: form("Please review and update the form fields with defaults", properties) }))}`;
  },
  test_elicitation_sep1330_enums: async (ask) => {
    const titled = (word: string): JsonValue =>
      ["First", "Second", "Third"].map((nth, index) => ({ const: `value${String(index + 1)}`, title: `${nth} ${word}` }));
    const options = ["option1", "option2", "option3"];
    const properties: JsonObject = {
      untitledSingle: { type: "string", description: "Select one option", enum: options },
      titledSingle: { type: "string", description: "Select one option with titles", oneOf: titled("Option") },
      legacyEnum: {
        type: "string",
        description: "Select one option (legacy)",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: {
        type: "array",
        description: "Select multiple options",
        minItems: 1,
        maxItems: 3,
        items: { type: "string", enum: options },
      },
      titledMulti: {
        type: "array",
        description: "Select multiple options with titles",
        minItems: 1,
        maxItems: 3,
        items: { anyOf: titled("Choice") },
      },
    };
    return `Elicitation completed: ${JSON.stringify(await ask({ fields: form("Please select options from the enum fields", properties) }))}`;
  },
  test_input_required_result_elicitation: async (ask) => `Hello, ${JSON.stringify(await ask({ user_name: NAME }))}!`,
  test_input_required_result_sampling: async (ask) =>
    `Sampling response: ${JSON.stringify(await ask({ capital_question: model("What is the capital of France?") }))}`,
  test_input_required_result_list_roots: async (ask) => `Client exposed: ${JSON.stringify(await ask({ client_roots: { kind: "roots" } }))}`,
  test_input_required_result_request_state: async (ask) => {
    await ask({ confirm: form("Please confirm", { ok: { type: "boolean" } }, ["ok"]) });
    return "state-ok: requestState verified and confirmation received";
  },
  test_input_required_result_tampered_state: async (ask) => {
    await ask({ confirm: form("Please confirm", { ok: { type: "boolean" } }, ["ok"]) });
    return "integrity-ok: requestState verified";
  },
  test_input_required_result_multiple_inputs: async (ask) =>
    JSON.stringify(await ask({ user_name: NAME, greeting: model("Generate a greeting"), client_roots: { kind: "roots" } })),
  test_input_required_result_multi_round: async (ask) => {
    const { step1 } = await ask({ step1: form("Step 1: What is your name?", { name: { type: "string" } }, ["name"]) });
    const { step2 } = await ask({ step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }, ["color"]) });
    return `Multi-round complete: ${JSON.stringify([step1, step2])}`;
  },
  test_input_required_result_capabilities: async (ask) => {
    const all: Asks = { user_name: NAME, greeting: model("Generate a short greeting"), client_roots: { kind: "roots" } };
    try {
      return JSON.stringify(await ask(all));
    } catch (error) {
      if (!(error instanceof CannotAsk)) throw error;
      const taken = Object.entries(all).filter(([, { kind }]) => !error.kinds.includes(kind));
      return taken.length === 0 ? "Nothing can be asked" : JSON.stringify(await ask(Object.fromEntries(taken)));
    }
  },
};

/** All tools of this file. */
export const ASKING_TOOLS: readonly ToolFactory[] = Object.entries(ASKERS).map(([name, run]) => () => ({
  definition: {
    name,
    description: "Asks its caller",
    inputSchema: { type: "object", properties: { prompt: { type: "string" }, message: { type: "string" } } },
    sideEffects: [],
  },
  async execute(args, { ask }) {
    if (ask === undefined) throw new Error("The caller cannot be asked");
    return await run(ask, args as JsonObject);
  },
}));

function form(message: string, properties: JsonObject, required: readonly string[] = []): Ask {
  return { kind: "form", message, schema: { type: "object", properties, required } };
}

function model(text: string): Ask {
  return { kind: "model", messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 };
}
