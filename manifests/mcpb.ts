/** A bundle of the MCPB kind (`.mcpb`, before that `.dxt`): an MCP server in a zip file, and how it is started (SPEC M10). */

import { isJsonArray, isJsonObject, type JsonValue } from "./json.ts";

/** Versions of its manifest; what differs between them is more fields. */
export const BUNDLE_VERSIONS = ["0.1", "0.2", "0.3", "0.4"] as const;

/** As Node names them. */
export const BUNDLE_PLATFORMS = ["darwin", "linux", "win32"] as const;
export type BundlePlatform = (typeof BUNDLE_PLATFORMS)[number];

/** What starts a server: a runtime that is on this machine, or the bundle's own program. */
export const BUNDLE_TYPES = ["node", "python", "binary"] as const;
export type BundleType = (typeof BUNDLE_TYPES)[number];

export const BUNDLE_OPTION_TYPES = ["string", "number", "boolean", "directory", "file"] as const;

/** `manifest.json` of a bundle, as far as it is used, for one platform. Its texts are its author's. */
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
  /** Absent is all. */
  readonly platforms?: readonly BundlePlatform[];
  /** Ranges of versions, by runtime: for people, nothing is chosen by them. */
  readonly runtimes: Readonly<Record<string, string>>;
  /** What it says its tools are; what they are, the server says. */
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
  /** What is asked of the person, `user_config`, by key. */
  readonly options: Readonly<Record<string, BundleOption>>;
}

/** What is started, with `${…}` in it as it was written. */
export interface BundleLaunch {
  /** A runtime's name, or a file of the bundle, relative to it. */
  readonly command: { readonly kind: "runtime"; readonly name: string } | { readonly kind: "file"; readonly path: string };
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** One thing that the person says. */
export interface BundleOption {
  readonly type: (typeof BUNDLE_OPTION_TYPES)[number];
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly default?: BundlePlainValue;
  /** A list of them. */
  readonly multiple: boolean;
  /** Never written down: it comes from a secret. */
  readonly sensitive: boolean;
  readonly min?: number;
  readonly max?: number;
}

export type BundlePlainValue = string | number | boolean | readonly string[];
/** As `config` in `bascule.json` has it; a secret by its name. */
export type BundleValue = BundlePlainValue | { readonly secret: string };

const MAX_TEXT = 32_768;
const MAX_VALUES = 64;

/** Why a value does not fit an option. Not repeated in the reason: it may be meant to be secret. */
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
      if (typeof value !== "number") return "is no number";
      if (min !== undefined && value < min) return `is less than ${min}`;
      return max !== undefined && value > max ? `is more than ${max}` : undefined;
    case "boolean":
      return typeof value === "boolean" ? undefined : "is neither true nor false";
    case "string":
    case "directory":
    case "file":
      if (typeof value !== "string") return type === "string" ? "is no text" : "is no path";
      return value.length > MAX_TEXT || value.includes("\0") ? "is too long, or holds NUL" : undefined;
  }
}

/** A value as it can stand in `bascule.json`. */
export function isBundleValue(value: JsonValue): value is BundleValue {
  if (isJsonArray(value)) return value.length <= MAX_VALUES && value.every((one) => typeof one === "string");
  if (isJsonObject(value))
    return Object.keys(value).join() === "secret" && typeof value["secret"] === "string" && SECRET.test(value["secret"]);
  return value !== null;
}

const SECRET = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** `${…}` in what a bundle starts. */
export const BUNDLE_VARIABLE: RegExp = /\$\{([^}]*)\}/g;
/** Folders of the person's that it may name. */
export const BUNDLE_FOLDERS = ["HOME", "DESKTOP", "DOCUMENTS", "DOWNLOADS"] as const;
export const BUNDLE_SEPARATORS: readonly string[] = ["/", "pathSeparator"];
export const USER_CONFIG = "user_config.";
