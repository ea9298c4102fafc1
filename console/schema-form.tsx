/** A form for what a tool's schema asks for; what has no field of its own is written as JSON. */

import type { VNode } from "preact";
import type { Json, Schema } from "./types.ts";

type FieldKind = "text" | "number" | "flag" | "choice" | "json";

export function SchemaForm({ schema }: { readonly schema: Schema }): VNode {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return <JsonField name="" schema={schema} isRequired={false} />;
  return (
    <>
      {fields.map(([name, field]) => (
        <Field key={name} name={name} schema={field} isRequired={schema.required?.includes(name) ?? false} />
      ))}
    </>
  );
}

/** What a filled form says. @throws {Error} if a field's JSON is none. */
export function readArguments(schema: Schema, form: FormData): Json {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return parse("The arguments", textIn(form, "") || "{}");
  const args: Record<string, Json> = {};
  for (const [name, field] of fields) {
    const kind = kindOf(field);
    const text = textIn(form, name);
    if (kind === "flag") {
      if (text === "" && field.default === undefined && !(schema.required?.includes(name) ?? false)) continue;
      args[name] = text === "on";
    } else if (text !== "") {
      args[name] = kind === "text" ? text : kind === "number" ? Number(text) : parse(`"${name}"`, text);
    } else if (kind === "text" && (schema.required?.includes(name) ?? false)) {
      args[name] = "";
    }
  }
  return args;
}

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

function Field({ name, schema, isRequired }: FieldProps): VNode {
  const id = `field-${name}`;
  const about = schema.description === undefined ? {} : { "aria-describedby": `${id}-about` };
  const kind = kindOf(schema);
  if (kind === "json") return <JsonField name={name} schema={schema} isRequired={isRequired} />;
  const first = schema.default;
  return (
    <div class="field">
      <label for={id}>
        {schema.title ?? name}
        {isRequired && " (required)"}
      </label>
      {kind === "flag" && <input id={id} name={name} type="checkbox" defaultChecked={first === true} {...about} />}
      {kind === "number" && <input id={id} name={name} type="number" step="any" required={isRequired} {...withDefault(first)} {...about} />}
      {kind === "text" && <input id={id} name={name} {...withDefault(first)} {...about} />}
      {kind === "choice" && (
        <select id={id} name={name} {...about}>
          {!isRequired && <option value="">(none)</option>}
          {schema.enum?.map((value) => (
            <option key={JSON.stringify(value)} value={JSON.stringify(value)} selected={value === first}>
              {typeof value === "string" ? value : JSON.stringify(value)}
            </option>
          ))}
        </select>
      )}
      {schema.description !== undefined && (
        <p id={`${id}-about`} class="soft">
          {schema.description}
        </p>
      )}
    </div>
  );
}

function JsonField({ name, schema, isRequired }: FieldProps): VNode {
  const id = `field-${name}`;
  return (
    <div class="field">
      <label for={id}>
        {name === "" ? "Arguments" : (schema.title ?? name)} as JSON{isRequired && " (required)"}
      </label>
      <textarea id={id} name={name} rows={4} spellcheck={false} required={isRequired}>
        {schema.default === undefined ? "" : JSON.stringify(schema.default, null, 2)}
      </textarea>
      {schema.description !== undefined && <p class="soft">{schema.description}</p>}
    </div>
  );
}

function withDefault(value: Json | undefined): { readonly defaultValue?: string } {
  return typeof value === "string" || typeof value === "number" ? { defaultValue: String(value) } : {};
}

function kindOf({ type, enum: values }: Schema): FieldKind {
  if (values !== undefined) return "choice";
  if (type === "string") return "text";
  if (type === "integer" || type === "number") return "number";
  return type === "boolean" ? "flag" : "json";
}

function textIn(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}

function parse(what: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Error(`${what} is not JSON: write texts in quotes`);
  }
}
