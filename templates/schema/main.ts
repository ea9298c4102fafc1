/** Describes arguments by a schema instead of types. JSON Schema here; zod, ArkType, valibot and TypeBox work too. */

import { defineTool } from "./bascule.js";

/** Rolls dice and adds their numbers. */
export const my_plugin_roll = defineTool({
  input: {
    type: "object",
    properties: {
      dice: { type: "integer", minimum: 1, maximum: 20, default: 1, description: "Number of dice" },
      sides: { type: "integer", enum: [4, 6, 8, 10, 12, 20], default: 6 },
    },
    additionalProperties: false,
  },
  output: {
    type: "object",
    properties: { rolls: { type: "array", items: { type: "integer" } }, sum: { type: "integer" } },
    required: ["rolls", "sum"],
  },
  determinism: "nondeterministic",
  run({ dice, sides }) {
    const rolls = Array.from({ length: dice }, () => 1 + Math.floor(Math.random() * sides));
    return { rolls, sum: rolls.reduce((sum, roll) => sum + roll, 0) };
  },
});
