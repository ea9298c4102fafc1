import { checkValue, isJsonObject, type JsonSchema, type JsonValue } from "../../../manifests/mod.ts";
import { copyJson } from "../../primitives/json/json.ts";
import type { AiSdkTool, StandardSchema } from "./exported.ts";
import type { ToolFormat } from "./format.ts";
import { outputOf } from "./output-of.ts";
import { type SchemaRules, toObjectSchema, wholeRules } from "./schema-rules.ts";

/** The symbol by which the AI SDK recognizes a JSON Schema to use unchanged; in all other schemas it closes all objects. */
const SCHEMA_MARK = Symbol.for("vercel.ai.schema");
const BOUNDS = { maxBytes: 16 * 1024 * 1024, maxDepth: 512 } as const;

/** Objects that the SDK can execute. */
export const aiSdkFormat: ToolFormat<AiSdkTool> = {
  title: "AI SDK",
  says: ["outputSchema"],
  convert: ({ description, listing, call }) => ({
    description,
    inputSchema: toSchema(listing.inputSchema, (listing.checks ?? listing).inputSchema, wholeRules(listing)),
    ...(listing.outputSchema && {
      outputSchema: toSchema(listing.outputSchema, (listing.checks ?? listing).outputSchema ?? {}, wholeRules(listing)),
    }),
    execute: async (input, options) => outputOf(await call(input, options?.abortSignal)),
  }),
};

/** @param checked the part that is validated here, in the dialect of tool schemas */
function toSchema(schema: JsonSchema, checked: JsonSchema, rules: SchemaRules): StandardSchema {
  const jsonSchema = (): Record<string, unknown> =>
    schema.type === "object" ? toObjectSchema(schema, rules, () => {}) : structuredClone(schema as Record<string, unknown>);
  const standard: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "bascule",
      validate(value) {
        const found = check(checked, value);
        return found.ok ? { value: found.value } : { issues: found.messages.map((message) => ({ message })) };
      },
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
  return Object.assign(standard, {
    [SCHEMA_MARK]: true,
    jsonSchema: jsonSchema(),
    validate(value: unknown) {
      const found = check(checked, value);
      return found.ok ? { success: true, value: found.value } : { success: false, error: new TypeError(found.messages.join("; ")) };
    },
  });
}

type Checked = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly messages: readonly string[] };

function check(schema: JsonSchema, value: unknown): Checked {
  const copy = copyJson(value, BOUNDS);
  if (!copy.ok) return { ok: false, messages: [copy.problem.message] };
  const problems = checkValue(schema, copy.value);
  if (problems.length === 0) return { ok: true, value: copy.value };
  return {
    ok: false,
    messages: problems.map(({ pointer, message }) => `${pointer === "" && isJsonObject(copy.value) ? "/" : pointer}: ${message}`),
  };
}
