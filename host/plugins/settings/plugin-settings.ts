/** Settings of a host's plugins: the values in force, the view for users, and changes (SPEC G1). */

import type { EmitEvent } from "../../audit/events.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Manifest,
  parseJson,
  parseSettings,
  type Problem,
  problemToText,
  schemaObject,
} from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Look } from "../../project/project-file.ts";
import { type Meant, findSetting, memberAt, readSettingText, withMember } from "./setting-path.ts";
import { MAX_SETTINGS_BYTES } from "./settings-file.ts";
import { createSettingsStore, type SettingsState } from "./settings-store.ts";

/** One plugin's settings, as shown to the user. Plain JSON. */
export interface SettingsView {
  readonly plugin: string;
  /** Absolute path; the file may not exist. */
  readonly file: string;
  readonly exists: boolean;
  /** Whether the plugin is enabled by its settings, else by its manifest. */
  readonly enabled: boolean;
  /** Tools that the settings disable. */
  readonly disabledTools: readonly string[];
  /** The value of `context.settings` in the plugin. */
  readonly config: JsonObject;
  /** Every setting that the plugin declares. */
  readonly fields: readonly SettingField[];
  /** Problems of the file. While there are any, the last good settings stay in force, if there were any. */
  readonly problems: readonly Problem[];
}

/** One setting of the schema's first level. */
export interface SettingField {
  readonly key: string;
  readonly value?: JsonValue;
  /** False if the value is the schema's default. */
  readonly isSet: boolean;
  readonly type?: string;
  readonly description?: string;
  /** As the plugin declares it. */
  readonly schema: JsonSchema;
}

/** A key and its value as text, as on a command line; without text the member is removed and the default applies. */
export interface SettingChange {
  readonly key: string;
  readonly text?: string;
}

/** The change was refused and nothing was written. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly suggestion: string | undefined;
  constructor(message: string, suggestion?: string) {
    super(message);
    this.suggestion = suggestion;
  }
}

/** The settings of one host's plugins. */
export interface PluginSettingsSource {
  /** Returns why the plugin's settings keep it from running; empty if they do not. */
  problemsOf(manifest: Manifest): readonly Problem[];
  isEnabled(manifest: Manifest): boolean;
  /** Returns why the tool may not be called although its plugin is loaded; undefined if it may. */
  disabledTool(manifest: Manifest, tool: string): string | undefined;
  /** Frozen; the same object until something changes. Returns the defaults if the file does not fit the schema. */
  configOf(manifest: Manifest): JsonObject;
  /** Returns warnings about invalid edits while previous settings are in force. */
  warningsOf(manifest: Manifest): readonly Problem[];
  view(manifest: Manifest): SettingsView;
  /** @throws {SettingsError} if the key, the value or the file is not valid: a broken file is never overwritten. */
  change(manifest: Manifest, change: SettingChange): Promise<SettingsView>;
  /** Reads changed files and reports the changes. */
  refresh(look?: Look): Promise<void>;
  /** Refreshes every second until the returned function is called. */
  watch(): () => void;
  /** Reports changes to the plugins. Until it is called no plugin is known: plugins are loaded with their settings, so settings exist first. */
  follow(plugins: ConfiguredPlugins): void;
}

interface PluginSettingsOptions {
  readonly platform: Pick<Platform, "files" | "clock" | "log">;
  /** Absolute path. */
  readonly folder: string;
  readonly emit: EmitEvent;
}

/** The plugins whose settings these are. */
interface ConfiguredPlugins {
  /** Returns the manifest of a known plugin. */
  readonly manifestOf: (plugin: string) => Manifest | undefined;
  /** Called when a plugin's settings have changed. */
  readonly onChange: (plugin: string) => Promise<void>;
}

const WATCH_MS = 1_000;
const OWNER_ONLY = 0o600;
const NO_SETTINGS: JsonObject = Object.freeze({});

export function createPluginSettings(options: PluginSettingsOptions): PluginSettingsSource {
  const { platform, emit } = options;
  const { files, clock, log } = platform;
  const store = createSettingsStore(platform, options.folder);
  const stateOf = ({ name, settingsSchema }: Manifest): SettingsState => store.stateOf(name, settingsSchema);
  let plugins: ConfiguredPlugins = { manifestOf: () => undefined, onChange: async () => {} };
  /** The first refresh is not a change, so it is not reported. */
  let hasLooked = false;

  async function refresh(look?: Look): Promise<void> {
    const changed = await store.refresh(look);
    const isFirst = !hasLooked;
    hasLooked = true;
    for (const plugin of isFirst ? [] : changed) {
      tell(plugin);
      await plugins.onChange(plugin);
    }
  }

  /** Without the manifest, the settings cannot be checked. */
  function tell(plugin: string): void {
    const manifest = plugins.manifestOf(plugin);
    if (manifest === undefined) return;
    const { settings, problems } = stateOf(manifest);
    const texts = problems.map(problemToText);
    const path = store.fileOf(plugin);
    const inForce = settings === undefined ? "the plugin does not run" : "the last good ones stay in force";
    if (texts.length > 0) log.write("error", `Settings of plugin "${plugin}" are not valid; ${inForce}`, { path, problems: texts });
    emit({ type: "settings.changed", plugin, payload: { path, ok: texts.length === 0, ...(texts.length > 0 && { problems: texts }) } });
  }

  function view(manifest: Manifest): SettingsView {
    const { name, settingsSchema, enabled } = manifest;
    const { settings, problems } = stateOf(manifest);
    const own = documentOf(store.textOf(name)?.text);
    const config = settings?.config ?? NO_SETTINGS;
    const overrides = Object.entries(settings?.toolOverrides ?? {});
    return {
      plugin: name,
      file: store.fileOf(name),
      exists: store.textOf(name)?.exists ?? true,
      enabled: settings?.enabled ?? enabled,
      disabledTools: overrides.flatMap(([tool, override]) => (override.enabled === false ? [tool] : [])),
      config,
      fields: Object.entries(settingsSchema?.properties ?? {}).map(([key, schema]) => fieldOf(key, schemaObject(schema), config, own)),
      problems,
    };
  }

  async function change(manifest: Manifest, { key, text }: SettingChange): Promise<SettingsView> {
    const { name, settingsSchema } = manifest;
    await refresh();
    const found = orRefuse(findSetting(key, manifest));
    const value = text === undefined ? undefined : orRefuse(readSettingText(key, text, found.schema));
    const path = store.fileOf(name);
    const before = store.textOf(name);
    const document = before === undefined ? undefined : documentOf(before.text);
    if (document === undefined) throw new SettingsError(`Cannot change "${path}": ${firstOf(stateOf(manifest).problems)}`);
    const after = `${JSON.stringify(withMember(document, found.path, value), null, 2)}\n`;
    const checked = parseSettings(after, settingsSchema);
    if (!checked.ok) throw new SettingsError(`Cannot set "${key}": ${firstOf(checked.problems)}`);
    if (after.length > MAX_SETTINGS_BYTES)
      throw new SettingsError(`Cannot set "${key}": the file would be larger than ${MAX_SETTINGS_BYTES} bytes`);
    await files.makeDirectory(options.folder);
    await files.writeAtomic(path, after, OWNER_ONLY);
    await refresh();
    return view(manifest);
  }

  return {
    problemsOf(manifest) {
      const { settings, problems } = stateOf(manifest);
      return settings === undefined ? problems.map((problem) => inSettings(problem, store.fileOf(manifest.name))) : [];
    },
    isEnabled: (manifest) => stateOf(manifest).settings?.enabled ?? manifest.enabled,
    disabledTool(manifest, tool) {
      const overrides = stateOf(manifest).settings?.toolOverrides ?? {};
      if (!Object.hasOwn(overrides, tool) || overrides[tool]?.enabled !== false) return undefined;
      return `disabled in the plugin's settings (bascule settings ${manifest.name} tools.${tool}.enabled true)`;
    },
    configOf: (manifest) =>
      stateOf(manifest).settings?.config ?? store.stateOf("", manifest.settingsSchema).settings?.config ?? NO_SETTINGS,
    warningsOf(manifest) {
      const { settings, problems } = stateOf(manifest);
      if (settings === undefined) return [];
      const unknown = Object.keys(settings.toolOverrides).filter((tool) => !hasTool(manifest, tool));
      return [
        ...problems.map((problem) => asWarning(inSettings(problem, store.fileOf(manifest.name)))),
        ...unknown.map((tool) => unknownTool(manifest, tool)),
      ];
    },
    view,
    change,
    refresh,
    follow: (configured) => void (plugins = configured),
    watch() {
      let isOver = false;
      let stopTimer = (): void => {};
      const tick = (): void => {
        stopTimer = clock.after(WATCH_MS, () => {
          void refresh("passing")
            .catch((error: unknown) => log.write("error", "Cannot refresh the plugins' settings", { error: String(error) }))
            .then(() => isOver || tick());
        });
      };
      tick();
      return () => {
        isOver = true;
        stopTimer();
      };
    },
  };
}

/** Parses the document, with canonical names; undefined if it is not an object. */
function documentOf(text: string | undefined): JsonObject | undefined {
  const parsed = text === undefined ? undefined : parseJson(text, { maxBytes: MAX_SETTINGS_BYTES, maxDepth: 64 });
  if (parsed === undefined || !parsed.ok || !isJsonObject(parsed.value.value)) return undefined;
  const newer: Readonly<Record<string, string>> = { tool_overrides: "toolOverrides", custom_config: "config" };
  return Object.fromEntries(Object.entries(parsed.value.value).map(([key, value]) => [newer[key] ?? key, value]));
}

function fieldOf(key: string, schema: JsonSchema, config: JsonObject, own: JsonObject | undefined): SettingField {
  const value = memberAt(config, [key]);
  const type =
    schema.enum === undefined ? [schema.type ?? []].flat().join(" | ") : schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  return {
    key,
    ...(value !== undefined && { value }),
    isSet: own !== undefined && memberAt(own, ["config", key]) !== undefined,
    ...(type !== "" && { type }),
    ...(schema.description !== undefined && { description: schema.description }),
    schema,
  };
}

function orRefuse<T>(meant: Meant<T>): T {
  if (meant.ok) return meant.value;
  throw new SettingsError(meant.message, meant.suggestion);
}

function firstOf(problems: readonly Problem[]): string {
  const [first] = problems;
  return first === undefined ? "it is not valid" : problemToText(first);
}

/** Names the file in the message, because it is not the manifest. */
function inSettings({ severity, message, fix, ...place }: Problem, file: string): Problem {
  const text = `${problemToText({ severity, message, ...place })}`;
  return { severity, pointer: "", message: `Settings in "${file}": ${text}`, ...(fix !== undefined && { fix }) };
}

function asWarning(problem: Problem): Problem {
  return { ...problem, severity: "warning" };
}

function hasTool({ tools, skills }: Manifest, name: string): boolean {
  return tools.some((tool) => tool.name === name) || skills.some((skill) => skill.name === name);
}

function unknownTool({ name }: Manifest, tool: string): Problem {
  return {
    severity: "warning",
    pointer: "",
    message: `The settings name "${tool}", which is not a tool of plugin "${name}"`,
    fix: "correct the name",
  };
}
