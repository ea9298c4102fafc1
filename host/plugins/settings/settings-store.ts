/**
 * The user's settings of plugins, kept in `.bascule/settings/<plugin>.json` (SPEC G1).
 *
 * A file is checked against the plugin's `settingsSchema`, which may change with each version: a file is read once, and checked against
 * each schema on request. An invalid edit leaves the last good one in force.
 */

import { checkPluginName, type JsonSchema, parseSettings, type PluginSettings, type Problem } from "../../../manifests/mod.ts";
import { createMutex } from "../../platform/mutex.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import { NOTHING_SET, readSettingsText, type SettingsText, unreadable } from "./settings-file.ts";
import type { Look } from "../../project/project-file.ts";

/** The settings of a plugin. Frozen, and the same object until the file changes. */
export interface SettingsState {
  /** The newest valid settings; absent if the file was never valid, because the user's intent is unknown. */
  readonly settings?: PluginSettings;
  /** Problems of the file as it is now. */
  readonly problems: readonly Problem[];
}

/** The settings of one project's plugins. */
export interface SettingsStore {
  /** Returns the absolute path of a plugin's file, which may not exist. */
  fileOf(plugin: string): string;
  /** Returns the state as of the last `refresh`, without reading files. */
  stateOf(plugin: string, schema: JsonSchema | undefined): SettingsState;
  /** Returns the file's text, and whether the file exists; undefined if it cannot be read. */
  textOf(plugin: string): { readonly text: string; readonly exists: boolean } | undefined;
  /** Reads changed files. @returns the plugins whose file changed, sorted. */
  refresh(look?: Look): Promise<readonly string[]>;
}

interface Entry {
  read: SettingsText;
  /** The last text that some schema accepted. */
  good: string | undefined;
  /** States by schema, since the last change of the text. */
  states: WeakMap<object, SettingsState>;
}

/** Files above this number are ignored. */
const MAX_FILES = 4_096;
/** Key for "no schema". */
const NO_SCHEMA: object = Object.freeze({});
const ENDING = ".json";

/** @param folder absolute; a missing folder counts as empty. */
export function createSettingsStore(platform: Pick<Platform, "files" | "clock">, folder: string): SettingsStore {
  const entries = new Map<string, Entry>();
  const unset = new WeakMap<object, SettingsState>();
  /** Why the folder cannot be used now. Links are not followed: their author must not control the settings. */
  let misplaced: string | undefined;
  /** Whether the folder was usable before: a plugin without a file then had no settings. */
  let wasUsable = false;
  const missed = new Set<string>();
  const inTurn = createMutex();

  const fileOf = (plugin: string): string => `${folder}/${plugin}${ENDING}`;

  async function read(look: Look): Promise<readonly string[]> {
    const names = await namesIn(platform, folder);
    misplaced = typeof names === "string" ? names : undefined;
    if (typeof names !== "string") wasUsable = true;
    const changed: string[] = [];
    for (const plugin of new Set([...(typeof names === "string" ? [] : names), ...entries.keys()])) {
      const before = entries.get(plugin);
      const now = misplaced === undefined ? await readSettingsText(platform, fileOf(plugin), before?.read) : unreadable(misplaced);
      if (now === before?.read || isPassing(plugin, now, look)) continue;
      const isSame = before !== undefined && isSameText(before.read, now);
      if (isSame) before.read = now;
      else {
        changed.push(plugin);
        entries.set(plugin, { read: now, good: before?.good, states: new WeakMap() });
      }
    }
    return changed.toSorted();
  }

  /** Returns true if the file is missing for the first time, as during a replacement. */
  function isPassing(plugin: string, now: SettingsText, look: Look): boolean {
    if (!now.ok || now.exists) missed.delete(plugin);
    else if (look === "passing" && !missed.has(plugin)) return missed.add(plugin).size > 0;
    return false;
  }

  function stateOf(plugin: string, schema: JsonSchema | undefined): SettingsState {
    const entry = entries.get(plugin);
    if (entry === undefined && misplaced !== undefined) {
      const { problems } = problemState(misplaced);
      return wasUsable ? { ...check(NOTHING_SET, schema), problems } : { problems };
    }
    const states = entry?.states ?? unset;
    const key = schema ?? NO_SCHEMA;
    const known = states.get(key);
    if (known !== undefined) return known;
    const state = Object.freeze(entry === undefined ? check(NOTHING_SET, schema) : judge(entry, schema));
    states.set(key, state);
    return state;
  }

  return {
    fileOf,
    stateOf,
    textOf(plugin) {
      const now = entries.get(plugin)?.read;
      if (now === undefined) return { text: NOTHING_SET, exists: false };
      return now.ok ? { text: now.text, exists: now.exists } : undefined;
    },
    // One refresh at a time: a slow read must not restore what a later one has replaced.
    refresh: (look = "firm") => inTurn(() => read(look)),
  };
}

/** Checks the newest text; if it is not valid, returns the last good settings with the problems of the newest. */
function judge(entry: Entry, schema: JsonSchema | undefined): SettingsState {
  const { read } = entry;
  const newest: SettingsState = read.ok ? check(read.text, schema) : problemState(read.message);
  if (newest.settings !== undefined) {
    if (read.ok) entry.good = read.text;
    return newest;
  }
  const { settings } = entry.good === undefined ? {} : check(entry.good, schema);
  return settings === undefined ? newest : { settings, problems: newest.problems };
}

function problemState(message: string): SettingsState {
  return Object.freeze({ problems: [{ severity: "error" as const, pointer: "", message }] });
}

function check(text: string, schema: JsonSchema | undefined): SettingsState {
  const parsed = parseSettings(text, schema);
  return parsed.ok ? { settings: parsed.value, problems: parsed.warnings } : { problems: parsed.problems };
}

function isSameText(before: SettingsText, now: SettingsText): boolean {
  return before.ok && now.ok
    ? before.text === now.text && before.exists === now.exists
    : !before.ok && !now.ok && before.message === now.message;
}

/** Returns names of plugins that have a file, or something in its place; or why the folder cannot be used. */
async function namesIn({ files }: Pick<Platform, "files">, folder: string): Promise<readonly string[] | string> {
  try {
    const kind = (await files.lstat(folder))?.kind;
    if (kind === undefined) return [];
    if (kind !== "directory") return `"${folder}" is a ${kind} (replace it by a folder)`;
    const names = (await files.list(folder)).flatMap(({ name }) => (name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : []));
    return names
      .filter((name) => checkPluginName(name) === undefined)
      .toSorted()
      .slice(0, MAX_FILES);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return error.code === "not_found" ? [] : `"${folder}" cannot be read: ${error.message}`;
  }
}
