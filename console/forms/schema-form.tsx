/** Form fields for a schema: texts, numbers, flags, choices, lists and objects; any other value is entered as JSON. */

import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { choicesOf, type Draft, emptyDraft, isNullable, kindOf, memberSchema, NONE } from "./draft.ts";
import type { Json, Schema } from "../data/types.ts";

export interface FieldProps {
  /** Label of the field: a name, or a position in a list. */
  readonly label: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly depth?: number;
}

/** Form with a field per member of an object; any other value gets a single field. */
export function SchemaForm({ schema, draft, onChange }: Pick<FieldProps, "schema" | "draft" | "onChange">): VNode {
  if (draft.kind === "object") return <Members schema={schema} draft={draft} onChange={onChange} depth={0} />;
  return <JsonField label="Arguments" schema={schema} isRequired={false} draft={draft} onChange={onChange} />;
}

export function Field(props: FieldProps): VNode {
  const { label, schema, draft, onChange, isRequired, depth = 0 } = props;
  if (!isNullable(schema)) return <Plain {...props} />;
  const isNull = draft.kind === "value" && draft.value === null;
  return (
    <div class="nullable">
      <Plain {...props} draft={isNull ? NONE : draft} isRequired={isRequired && !isNull} />
      <Flag
        label={`${label} is null`}
        isOn={isNull}
        onChange={(isOn) => onChange(isOn ? { kind: "value", value: null } : isRequired ? emptyDraft(schema, depth) : NONE)}
      />
    </div>
  );
}

function Plain(props: FieldProps): VNode {
  const { schema, draft, depth = 0 } = props;
  // A default or setting that does not match its schema is shown as JSON.
  if (draft.kind === "json") return <JsonField {...props} />;
  switch (kindOf(schema, depth)) {
    case "text":
      return <TextField {...props} />;
    case "number":
      return <NumberField {...props} />;
    case "flag":
      return <FlagField {...props} />;
    case "choice":
      return <ChoiceField {...props} />;
    case "list":
      return <ListField {...props} />;
    case "object":
      return <ObjectField {...props} />;
    case "json":
      return <JsonField {...props} />;
  }
}

/** A label with its control and the schema's description. */
function Labelled({
  label,
  schema,
  isRequired,
  control,
}: Pick<FieldProps, "label" | "schema" | "isRequired"> & {
  readonly control: (given: { readonly id: string; readonly "aria-describedby"?: string }) => VNode;
}): VNode {
  const id = useId();
  const about = schema.description === undefined ? {} : { "aria-describedby": `${id}-about` };
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isRequired && " (required)"}
      </label>
      {control({ id, ...about })}
      {schema.description !== undefined && (
        <p id={`${id}-about`} class="soft">
          {schema.description}
        </p>
      )}
    </div>
  );
}

function TextField({ label, schema, isRequired, draft, onChange }: FieldProps): VNode {
  const text = draft.kind === "value" && typeof draft.value === "string" ? draft.value : "";
  // An empty optional field omits the member.
  const change = (value: string): void => onChange(value === "" && !isRequired ? NONE : { kind: "value", value });
  return (
    <Labelled
      {...{ label: schema.title ?? label, schema, isRequired }}
      control={(given) => <textarea {...given} rows={1} value={text} onInput={({ currentTarget }) => change(currentTarget.value)} />}
    />
  );
}

function NumberField({ label, schema, isRequired, draft, onChange }: FieldProps): VNode {
  const { minimum, maximum, type } = schema;
  const step = [type].flat().includes("integer") ? "1" : "any";
  const change = (text: string): void => onChange(text === "" ? NONE : { kind: "number", text });
  return (
    <Labelled
      {...{ label: schema.title ?? label, schema, isRequired }}
      control={(given) => (
        <input
          {...given}
          {...{ type: "number", step, required: isRequired, value: draft.kind === "number" ? draft.text : "" }}
          {...(minimum !== undefined && { min: minimum })}
          {...(maximum !== undefined && { max: maximum })}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    />
  );
}

function FlagField({ label, schema, isRequired, draft, onChange }: FieldProps): VNode {
  const name = `${schema.title ?? label}${isRequired ? " (required)" : ""}`;
  return (
    <div class="field">
      <Flag label={name} isOn={draft.kind === "value" && draft.value === true} onChange={(value) => onChange({ kind: "value", value })} />
      {schema.description !== undefined && <p class="soft">{schema.description}</p>}
    </div>
  );
}

export function Flag({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}): VNode {
  return (
    <label class="flag">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} /> {label}
    </label>
  );
}

function ChoiceField({ label, schema, isRequired, draft, onChange }: FieldProps): VNode {
  const choices = choicesOf(schema);
  const chosen = draft.kind === "value" ? choices.findIndex((choice) => isSame(choice, draft.value)) : -1;
  function change(index: string): void {
    const value = index === "" ? undefined : choices[Number(index)];
    onChange(value === undefined ? NONE : { kind: "value", value });
  }
  return (
    <Labelled
      {...{ label: schema.title ?? label, schema, isRequired }}
      control={(given) => (
        <select {...given} value={chosen === -1 ? "" : String(chosen)} onChange={({ currentTarget }) => change(currentTarget.value)}>
          {(!isRequired || chosen === -1) && <option value="">(none)</option>}
          {choices.map((choice, index) => (
            <option key={index} value={String(index)}>
              {typeof choice === "string" ? choice : JSON.stringify(choice)}
            </option>
          ))}
        </select>
      )}
    />
  );
}

function ListField({ label, schema, draft, onChange, depth = 0 }: FieldProps): VNode {
  const name = schema.title ?? label;
  const item = schema.items ?? {};
  const items = draft.kind === "list" ? draft.items : [];
  const { minItems = 0, maxItems = Infinity } = schema;
  const change = (next: readonly Draft[]): void => onChange({ kind: "list", items: next });
  return (
    <fieldset>
      <legend>{name}</legend>
      {schema.description !== undefined && <p class="soft">{schema.description}</p>}
      {items.map((one, index) => (
        <div key={index} class="item">
          <Field
            {...{ label: `${name} ${index + 1}`, schema: item, isRequired: true, draft: one, depth: depth + 1 }}
            onChange={(made) => change(items.with(index, made))}
          />
          {items.length > minItems && (
            <button
              class="button"
              type="button"
              aria-label={`Remove ${name} ${index + 1}`}
              onClick={() => change(items.toSpliced(index, 1))}
            >
              Remove
            </button>
          )}
        </div>
      ))}
      <div class="line">
        {items.length < maxItems && (
          <button class="button" type="button" onClick={() => change([...items, emptyDraft(item, depth + 1)])}>
            Add to {name}
          </button>
        )}
        {draft.kind === "none" && <span class="soft">not set</span>}
      </div>
    </fieldset>
  );
}

function ObjectField({ label, schema, isRequired, draft, onChange, depth = 0 }: FieldProps): VNode {
  const name = schema.title ?? label;
  return (
    <fieldset>
      <legend>{name}</legend>
      {schema.description !== undefined && <p class="soft">{schema.description}</p>}
      {!isRequired && (
        <Flag
          label={`Include ${name}`}
          isOn={draft.kind === "object"}
          onChange={(isOn) => onChange(isOn ? emptyDraft(schema, depth) : NONE)}
        />
      )}
      {draft.kind === "object" && <Members {...{ schema, draft, onChange, depth }} />}
    </fieldset>
  );
}

function Members({
  schema,
  draft,
  onChange,
  depth,
}: {
  readonly schema: Schema;
  readonly draft: Draft & { readonly kind: "object" };
  readonly onChange: (draft: Draft) => void;
  readonly depth: number;
}): VNode {
  return (
    <>
      {Array.from(draft.members, ([name, member]) => (
        <Field
          key={name}
          {...{ label: name, schema: memberSchema(schema, name), isRequired: schema.required?.includes(name) ?? false, draft: member }}
          depth={depth + 1}
          onChange={(made) => onChange({ kind: "object", members: new Map(draft.members).set(name, made) })}
        />
      ))}
    </>
  );
}

function JsonField({ label, schema, isRequired, draft, onChange }: FieldProps): VNode {
  const text = draft.kind === "json" ? draft.text : draft.kind === "value" ? JSON.stringify(draft.value) : "";
  return (
    <Labelled
      {...{ label: `${schema.title ?? label} as JSON`, schema, isRequired }}
      control={(given) => (
        <textarea
          {...given}
          {...{ rows: 3, spellcheck: false, required: isRequired, value: text }}
          onInput={({ currentTarget }) => onChange({ kind: "json", text: currentTarget.value })}
        />
      )}
    />
  );
}

function isSame(left: Json, right: Json): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
