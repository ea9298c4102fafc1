import { Ajv } from "ajv";
import addFormats from "ajv-formats";

const ajv = new Ajv({ allErrors: true });
addFormats(ajv);
const validate = ajv.compile({
  type: "object",
  properties: { a: { type: "integer", minimum: 2 }, b: { type: "string", format: "date" } },
  required: ["a"],
  additionalProperties: false,
});

export const accepts = () => validate({ a: 2, b: "2024-01-31" });
export const refuses = () => (validate({ b: "x", c: 1 }), validate.errors);
