/** Substitutes the user's values into a bundle's command (SPEC M10). Pure. */

import {
  BUNDLE_SEPARATORS,
  BUNDLE_VARIABLE,
  type BundleManifest,
  type BundleOption,
  type BundleValue,
  checkBundleValue,
  isJsonArray,
  normalizePath,
  USER_CONFIG,
} from "../../../manifests/mod.ts";
import { nearestName } from "../../tools/nearest.ts";

/** Values of the environment to substitute. */
export interface BundleEnvironment {
  /** The bundle's folder, absolute. */
  readonly directory: string;
  /** By the names used in manifests: `HOME`, … */
  readonly folders: Readonly<Record<string, string>>;
  readonly separator: string;
  /** Returns the command that starts a runtime, with its first arguments. */
  readonly runtime: (name: string) => readonly [program: string, ...args: string[]];
  /** Folder that the user's relative paths resolve against. */
  readonly root: string;
  /** Returns a secret's value; undefined if it has none. */
  readonly secret: (name: string) => string | undefined;
}

/** The final command, without placeholders. */
export interface FilledBundle {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type Filling = { readonly ok: true; readonly value: FilledBundle } | { readonly ok: false; readonly problems: readonly string[] };

type Config = Readonly<Record<string, BundleValue>>;

/** Returns every problem of the user's values that is visible without the secrets' values. */
export function checkBundleConfig(options: BundleManifest["options"], config: Config): readonly string[] {
  const unknown = Object.keys(config).filter((key) => !Object.hasOwn(options, key));
  return [
    ...unknown.map((key) => {
      const near = nearestName(key, Object.keys(options));
      return `"${key}" is unknown${near === undefined ? "" : ` (did you mean "${near}"?)`}`;
    }),
    ...Object.entries(options).flatMap(([key, option]) => {
      const reason = wrongWith(option, Object.hasOwn(config, key) ? config[key] : undefined);
      return reason === undefined ? [] : [`"${key}" ${reason}`];
    }),
  ];
}

function wrongWith(option: BundleOption, given: BundleValue | undefined): string | undefined {
  if (isSecret(given)) return undefined;
  if (given === undefined) return option.required && isUnset(option.default) ? "needs a value" : undefined;
  if (option.sensitive) return 'is sensitive: write { "secret": "NAME" }, and define NAME under "secrets"';
  return checkBundleValue(option, given) ?? (option.required && isUnset(given) ? "needs a value" : undefined);
}

/** Substitutes everything, or returns every problem. */
export function fillBundle({ launch, options }: BundleManifest, config: Config, environment: BundleEnvironment): Filling {
  const problems = [...checkBundleConfig(options, config)];
  if (problems.length > 0) return { ok: false, problems };
  const values = new Map(
    Object.entries(options).map(([key, option]) => [key, valuesOf(key, option, Object.hasOwn(config, key) ? config[key] : undefined)]),
  );

  /** Returns the values as text; empty if neither the user nor the bundle sets one. */
  function valuesOf(key: string, option: BundleOption, given: BundleValue | undefined): readonly string[] {
    if (isSecret(given)) {
      const value = environment.secret(given.secret);
      if (value === undefined) problems.push(`"${key}" is the secret ${given.secret}, which has no value here`);
      return value === undefined ? [] : [value];
    }
    // Placeholders are substituted in defaults only, not in the user's text.
    const said = given ?? option.default;
    const texts = (isList(said) ? said : said === undefined ? [] : [said]).map(String).filter((text) => text !== "");
    const whole = given === undefined ? texts.map((text) => put(text, () => undefined)) : texts;
    if (option.type !== "directory" && option.type !== "file") return whole;
    return whole.map((path) => normalizePath(path, environment.root) ?? path);
  }

  function put(text: string, valueOf: (key: string) => string | undefined): string {
    return text.replaceAll(BUNDLE_VARIABLE, (whole, name: string) => {
      if (name === "__dirname") return environment.directory;
      if (BUNDLE_SEPARATORS.includes(name)) return environment.separator;
      return (name.startsWith(USER_CONFIG) ? valueOf(name.slice(USER_CONFIG.length)) : environment.folders[name]) ?? whole;
    });
  }

  /** A placeholder inside a text takes a single value. */
  function one(key: string): string {
    const all = values.get(key) ?? [];
    if (all.length > 1) problems.push(`"${key}" has ${all.length} values, but the bundle takes only one there`);
    return all[0] ?? "";
  }

  const args = launch.args.flatMap((arg) => {
    const alone = optionAlone(arg);
    return alone === undefined ? [put(arg, one)] : (values.get(alone) ?? []);
  });
  const env = Object.entries(launch.env).flatMap(([name, text]): readonly (readonly [string, string])[] => {
    const alone = optionAlone(text);
    // A variable without a value stays unset instead of empty.
    return alone !== undefined && (values.get(alone) ?? []).length === 0 ? [] : [[name, put(text, one)]];
  });
  const [command, ...first] =
    launch.command.kind === "runtime" ? environment.runtime(launch.command.name) : [`${environment.directory}/${launch.command.path}`];
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, value: { command, args: [...first, ...args], env: Object.fromEntries(env) } };
}

/** Returns the key if the whole text is one placeholder. */
function optionAlone(text: string): string | undefined {
  return /^\$\{user_config\.([^}]+)\}$/.exec(text)?.[1];
}

function isList(value: BundleValue | undefined): value is readonly string[] {
  return isJsonArray(value);
}

function isSecret(value: BundleValue | undefined): value is { readonly secret: string } {
  return typeof value === "object" && !isList(value);
}

function isUnset(value: BundleValue | undefined): boolean {
  return value === undefined || value === "" || (isList(value) && value.every((text) => text === ""));
}
