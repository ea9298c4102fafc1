import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { copyJson } from "../../primitives/json/json.ts";
import { ToolError } from "../tool-error.ts";
import type { LangChainTool } from "./exported.ts";
import type { ToolFormat } from "./format.ts";
import { outputOf } from "./output-of.ts";
import { toObjectSchema, wholeRules } from "./schema-rules.ts";

const BOUNDS = { maxBytes: 16 * 1024 * 1024, maxDepth: 512 } as const;

/** Objects that can be invoked, and passed to LangChain's own classes. They return text: JSON if the output is not a string. */
export const langChainFormat: ToolFormat<LangChainTool> = {
  title: "LangChain",
  convert({ name, description, listing, call }) {
    const run = async (input: unknown, signal: AbortSignal | undefined): Promise<string> => {
      const output = outputOf(await call(toArguments(input), signal));
      return typeof output === "string" ? output : JSON.stringify(output);
    };
    return {
      name,
      description,
      schema: toObjectSchema(listing.inputSchema, wholeRules(listing), () => {}),
      lc_namespace: ["bascule", "tools"],
      invoke: (input, config) => run(input, config?.signal),
      func: (input, _runManager, config) => run(input, config?.signal),
    };
  },
};

/** Returns the arguments, or those of a model's tool call. */
function toArguments(input: unknown): JsonValue {
  const copy = copyJson(input ?? {}, BOUNDS);
  if (!copy.ok) throw new ToolError("invalid_args", `The arguments are not JSON: ${copy.problem.message}`);
  const { value } = copy;
  return isJsonObject(value) && value["type"] === "tool_call" ? (value["args"] ?? {}) : value;
}
