/** The JSON Schema subset that tool schemas use (SPEC S1, S2). */

import type { JsonValue } from "../text/json.ts";

export const SCHEMA_TYPES = ["string", "number", "integer", "boolean", "null", "object", "array"] as const;
export type SchemaType = (typeof SCHEMA_TYPES)[number];

export interface JsonSchema {
  readonly type?: SchemaType | readonly SchemaType[];
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly title?: string;
  readonly description?: string;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly additionalProperties?: boolean;
  readonly $schema?: string;
  readonly $id?: string;
}
