/** Settings of a plugin as a form generated from its schema; each setting is saved separately (SPEC G1). */

import { useEffect, useState } from "preact/hooks";
import type { VNode } from "preact";
import { Section } from "../../components/layout.tsx";
import { Skeleton } from "../../components/states.tsx";
import { ask } from "../../data/api.ts";
import { type Draft, draftOf, firstDraft, readDraft } from "../../forms/draft.ts";
import { Field, Flag } from "../../forms/schema-form.tsx";
import { attempt, loadPlugins } from "../../data/state.ts";
import type { Json, PluginSettings, Schema, SettingField, Tool } from "../../data/types.ts";

export function Settings({ plugin, tools }: { readonly plugin: string; readonly tools: readonly Tool[] }): VNode {
  const [settings, show] = useState<PluginSettings | undefined>(undefined);
  const place = `/v1/plugins/${encodeURIComponent(plugin)}/settings`;
  const ofPlugin = (body?: object): Promise<void> =>
    attempt(async () => {
      show(await ask<PluginSettings>(place, body));
      if (body !== undefined) await loadPlugins();
    });
  useEffect(() => void ofPlugin(), [place]);
  if (settings === undefined) return <Skeleton rows={5} label="Reading the settings" />;
  const { enabled, disabledTools, fields, file, exists, problems } = settings;
  const set = (key: string, text?: string): Promise<void> => ofPlugin({ key, ...(text !== undefined && { text }) });
  // Disabled tools are not in the plugin's list of tools.
  const names = [...new Set([...tools.map(({ name }) => name), ...disabledTools])].toSorted();
  return (
    <>
      {problems.map(({ message }, index) => (
        <p key={index} class="trouble">
          {message}
        </p>
      ))}
      <Section title="Enabled">
        <Flag label="Plugin enabled" isOn={enabled} onChange={(isOn) => void set("enabled", String(isOn))} />
        {names.map((name) => (
          <Flag
            key={name}
            label={`Tool ${name} enabled`}
            isOn={!disabledTools.includes(name)}
            onChange={(isOn) => void set(`tools.${name}.enabled`, String(isOn))}
          />
        ))}
      </Section>
      {fields.length > 0 && (
        <Section title="Settings" count={fields.length}>
          {fields.map((field) => (
            <SettingForm key={`${field.key} ${JSON.stringify(field.value ?? null)}`} field={field} set={set} />
          ))}
        </Section>
      )}
      <p class="soft small spaced">
        {exists ? "Stored in" : "Nothing is set yet. Settings will be stored in"} <code>{file}</code>
      </p>
    </>
  );
}

function SettingForm({
  field: { key, schema, value, isSet },
  set,
}: {
  readonly field: SettingField;
  readonly set: (key: string, text?: string) => Promise<void>;
}): VNode {
  const [draft, change] = useState<Draft>(() => (value === undefined ? firstDraft(schema, false) : draftOf(schema, value)));
  // The prefix `config.` always means the plugin's own setting, whatever its name.
  const name = `config.${key}`;
  function save(event: SubmitEvent): void {
    event.preventDefault();
    void attempt(async () => {
      const given = readDraft(draft, `"${key}"`);
      await (given === undefined ? set(name) : set(name, textOf(schema, given)));
    });
  }
  return (
    <form class="setting" onSubmit={save}>
      <Field label={key} schema={schema} isRequired={false} draft={draft} onChange={change} />
      <div class="line">
        <button class="button" type="submit" aria-label={`Save ${key}`}>
          Save
        </button>
        {isSet && (
          <button class="button" type="button" aria-label={`Reset ${key}`} onClick={() => void set(name)}>
            Reset
          </button>
        )}
        <span class="soft">{isSet ? "set here" : "default"}</span>
      </div>
    </form>
  );
}

/** Converts a value to the text that the server reads: a plain string if the schema allows only strings, else JSON. */
function textOf(schema: Schema, value: Json): string {
  return typeof value === "string" && [schema.type].flat().join() === "string" ? value : JSON.stringify(value);
}
