/** An MCPB bundle (`.mcpb`, formerly `.dxt`): an MCP server in a zip file, and its launch command (SPEC M10). */

import { isJsonArray, isJsonObject, type JsonValue } from "../text/json.ts";

/** Supported versions of its manifest; later versions only add fields. */
export const BUNDLE_VERSIONS = ["0.1", "0.2", "0.3", "0.4"] as const;

/** Platforms, by Node's names. */
export const BUNDLE_PLATFORMS = ["darwin", "linux", "win32"] as const;
export type BundlePlatform = (typeof BUNDLE_PLATFORMS)[number];

/** Kinds of launch: a runtime on this machine, or the bundle's own program. */
export const BUNDLE_TYPES = ["node", "python", "binary"] as const;
export type BundleType = (typeof BUNDLE_TYPES)[number];

export const BUNDLE_OPTION_TYPES = ["string", "number", "boolean", "directory", "file"] as const;

/** `manifest.json` of a bundle, reduced to the members in use and to one platform. Its texts come from the bundle's author. */
export interface BundleManifest {
  readonly name: string;
  readonly displayName?: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly homepage?: string;
  readonly license?: string;
  readonly type: BundleType;
  readonly launch: BundleLaunch;
  /** Absent means all. */
  readonly platforms?: readonly BundlePlatform[];
  /** Version ranges by runtime, for display only. */
  readonly runtimes: Readonly<Record<string, string>>;
  /** Tools by the bundle's own account; the running server is authoritative. */
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
  /** Options that the user fills in, `user_config`, by key. */
  readonly options: Readonly<Record<string, BundleOption>>;
}

/** Launch command, with `${…}` not yet replaced. */
export interface BundleLaunch {
  /** Name of a runtime, or path of a file in the bundle. */
  readonly command: { readonly kind: "runtime"; readonly name: string } | { readonly kind: "file"; readonly path: string };
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** One option that the user fills in. */
export interface BundleOption {
  readonly type: (typeof BUNDLE_OPTION_TYPES)[number];
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly default?: BundlePlainValue;
  /** Whether the value is a list. */
  readonly multiple: boolean;
  /** Whether the value must come from a secret and is never stored. */
  readonly sensitive: boolean;
  readonly min?: number;
  readonly max?: number;
}

type BundlePlainValue = string | number | boolean | readonly string[];
/** A value as stored under `config` in `bascule.json`; a secret by its name. */
export type BundleValue = BundlePlainValue | { readonly secret: string };

const MAX_TEXT = 32_768;
const MAX_VALUES = 64;

/** Returns why a value does not fit an option. The reason does not contain the value, which may be secret. */
export function checkBundleValue(option: Omit<BundleOption, "default">, value: JsonValue): string | undefined {
  if (option.multiple && isJsonArray(value)) {
    if (value.length > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    return value.map((one) => checkOne(option, one)).find((reason) => reason !== undefined);
  }
  return checkOne(option, value);
}

function checkOne({ type, min, max }: Omit<BundleOption, "default">, value: JsonValue): string | undefined {
  switch (type) {
    case "number":
      if (typeof value !== "number") return "is not a number";
      if (min !== undefined && value < min) return `is less than ${min}`;
      return max !== undefined && value > max ? `is more than ${max}` : undefined;
    case "boolean":
      return typeof value === "boolean" ? undefined : "is neither true nor false";
    case "string":
    case "directory":
    case "file":
      if (typeof value !== "string") return type === "string" ? "is not a string" : "is not a path";
      return value.length > MAX_TEXT || value.includes("\0") ? "is too long, or contains NUL" : undefined;
  }
}

/** Returns whether a value can be stored in `bascule.json`. */
export function isBundleValue(value: JsonValue): value is BundleValue {
  if (isJsonArray(value)) return value.length <= MAX_VALUES && value.every((one) => typeof one === "string");
  if (isJsonObject(value))
    return Object.keys(value).join() === "secret" && typeof value["secret"] === "string" && SECRET.test(value["secret"]);
  return value !== null;
}

const SECRET = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Matches `${…}` in a launch command. */
export const BUNDLE_VARIABLE: RegExp = /\$\{([^}]*)\}/g;
/** Folders of the user that a bundle may refer to. */
export const BUNDLE_FOLDERS = ["HOME", "DESKTOP", "DOCUMENTS", "DOWNLOADS"] as const;
export const BUNDLE_SEPARATORS: readonly string[] = ["/", "pathSeparator"];
export const USER_CONFIG = "user_config.";
