/**
 * Reads a bundle's launch command for one platform: the runtime of its type, or a file of its own, without references to other
 * places (SPEC M10).
 */

import type { DocumentReader, Fields } from "../text/document.ts";
import { type JsonValue, pointerToken } from "../text/json.ts";
import {
  BUNDLE_FOLDERS,
  BUNDLE_SEPARATORS,
  BUNDLE_TYPES,
  BUNDLE_VARIABLE,
  type BundleLaunch,
  type BundleManifest,
  type BundlePlatform,
  type BundleType,
  USER_CONFIG,
} from "./mcpb.ts";
import { printable } from "../text/names.ts";

interface LaunchContext {
  readonly files: { has(path: string): boolean };
  readonly platform: BundlePlatform;
  readonly options: BundleManifest["options"];
}

const RUNTIMES: Readonly<Record<BundleType, readonly string[]>> = { node: ["node"], python: ["python", "python3"], binary: [] };
const CONFIG_FIELDS = ["command", "args", "env"];
const MAX_ARGS = 256;
const MAX_VARIABLES = 128;
const MAX_TEXT = 32_768;

/** Undefined if it was refused. */
export function readLaunch(
  reader: DocumentReader,
  parent: Fields,
  context: LaunchContext,
): Pick<BundleManifest, "type" | "launch"> | undefined {
  const at = parent.at("server");
  if (!parent.has("server")) return undefined;
  const known = ["type", "entry_point", "mcp_config"];
  const server = reader.fields(parent.get("server"), at, { what: "Server", known, required: ["type", "entry_point"] });
  if (server === undefined) return undefined;
  if (server.get("type") === "uv") {
    const fix = "build it as a python bundle, or list the command under mcpServers yourself";
    reader.refuse(
      server.at("type"),
      "A server of the type uv downloads its packages at start, so the bundle does not contain what would run",
      fix,
    );
    return undefined;
  }
  const type = server.choice("type", BUNDLE_TYPES);
  const entry = server.text("entry_point");
  if (entry !== undefined && fileOf(entry, context) === undefined)
    reader.refuse(server.at("entry_point"), `"${printable(entry)}" is not a file of the bundle`, "name a file that is in it");
  if (!server.has("mcp_config")) {
    reader.refuse(at, 'Server has no "mcp_config"', 'add "mcp_config": { "command": …, "args": [ … ] }');
    return undefined;
  }
  const config = reader.fields(server.get("mcp_config"), server.at("mcp_config"), {
    what: "Configuration",
    known: [...CONFIG_FIELDS, "platform_overrides"],
    required: ["command"],
  });
  if (config === undefined || type === undefined) return undefined;
  const overrides = readOverrides(reader, config);
  const own = overrides.get(context.platform);
  const from = (key: string): Fields => (own?.has(key) === true ? own : config);
  const command = readCommand(reader, from("command"), type, context);
  const args = readArgs(reader, from("args"), context);
  const env = readEnv(reader, from("env"), context);
  return command === undefined ? undefined : { type, launch: { command, args, env } };
}

/** Reads the overrides of every platform; the caller applies those of its own. */
function readOverrides(reader: DocumentReader, config: Fields): ReadonlyMap<string, Fields> {
  const overrides = new Map<string, Fields>();
  for (const [platform, value] of Object.entries(config.object("platform_overrides") ?? {})) {
    const pointer = `${config.at("platform_overrides")}/${pointerToken(platform)}`;
    const fields = reader.fields(value, pointer, { what: "Override", known: CONFIG_FIELDS });
    if (fields !== undefined) overrides.set(platform, fields);
  }
  return overrides;
}

function readCommand(
  reader: DocumentReader,
  config: Fields,
  type: BundleType,
  context: LaunchContext,
): BundleLaunch["command"] | undefined {
  const command = config.text("command");
  if (command === undefined) return undefined;
  if (RUNTIMES[type].includes(command)) return { kind: "runtime", name: command };
  const path = fileOf(command, context);
  if (path !== undefined) return { kind: "file", path };
  const wanted = [...RUNTIMES[type].map((name) => `"${name}"`), 'a file of the bundle such as "${__dirname}/server/run"'].join(" or ");
  reader.refuse(
    config.at("command"),
    `"${printable(command)}" is neither the runtime of a ${type} server nor a file of the bundle`,
    `write ${wanted}; a bundle cannot start programs of this machine or programs that download others`,
  );
  return undefined;
}

function readArgs(reader: DocumentReader, config: Fields, context: LaunchContext): readonly string[] {
  const read = (item: JsonValue, pointer: string): string | undefined => {
    if (typeof item === "string" && item.length <= MAX_TEXT && !item.includes("\0")) {
      checkVariables(reader, pointer, item, context);
      warnOfSecrets(reader, pointer, item, context);
      return item;
    }
    reader.refuse(pointer, "Is not an argument", "write a string");
    return undefined;
  };
  return config.list("args", read, MAX_ARGS) ?? [];
}

function readEnv(reader: DocumentReader, config: Fields, context: LaunchContext): Readonly<Record<string, string>> {
  const env = config.record("env", (value, pointer, name) => {
    const reason = checkVariable(name, value, context);
    if (reason === undefined && typeof value === "string") {
      checkVariables(reader, pointer, value, context);
      return value;
    }
    reader.refuse(pointer, reason ?? "Is not a string", "remove it", "key");
    return undefined;
  });
  if (Object.keys(env ?? {}).length > MAX_VARIABLES) reader.refuse(config.at("env"), `Sets more than ${MAX_VARIABLES} variables`);
  return env ?? {};
}

/** Variables that choose which code runs instead of, or inside, the program that the user is shown. */
const LOADERS: ReadonlySet<string> = new Set([
  ...["PATH", "PATHEXT", "COMSPEC", "SHELL", "IFS", "ENV", "BASH_ENV", "NODE_OPTIONS", "NODE_REPL_EXTERNAL_MODULE", "ELECTRON_RUN_AS_NODE"],
  ...["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GCONV_PATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONBREAKPOINT"],
  ...["PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "GIT_SSH_COMMAND", "LD_CONFIG", "GLIBC_TUNABLES"],
  ...["OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES", "NODE_COMPILE_CACHE", "SHELLOPTS", "BASHOPTS", "PS4"],
  ...["PYTHONUSERBASE", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX", "PYTHONEXECUTABLE", "PYTHONWARNINGS"],
]);
/** Search paths, which may only refer to folders of the bundle. */
const SEARCH_PATHS: ReadonlySet<string> = new Set([
  ...[
    "PYTHONPATH",
    "NODE_PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "DYLD_FRAMEWORK_PATH",
    "PERL5LIB",
    "RUBYLIB",
  ],
]);

function checkVariable(name: string, value: JsonValue, { platform }: LaunchContext): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return `"${printable(name)}" is not a valid variable name`;
  if (typeof value !== "string" || value.length > MAX_TEXT || value.includes("\0")) return `"${name}" is not a string`;
  const upper = name.toUpperCase();
  if (LOADERS.has(upper)) return `"${name}" would choose which programs run`;
  if (!SEARCH_PATHS.has(upper)) return undefined;
  const parts = value.split(platform === "win32" ? ";" : ":");
  return parts.every((part) => part === "${__dirname}" || insidePath(part) !== undefined)
    ? undefined
    : `"${name}" would load code from outside the bundle`;
}

/** Refuses unknown variables. */
export function checkVariables(
  reader: DocumentReader,
  pointer: string,
  text: string,
  { options, isDefault = false }: { readonly options: BundleManifest["options"]; readonly isDefault?: boolean },
): void {
  for (const [whole, name = ""] of text.matchAll(BUNDLE_VARIABLE)) {
    const isFolder = BUNDLE_FOLDERS.some((folder) => folder === name) || BUNDLE_SEPARATORS.includes(name);
    const isOption = name.startsWith(USER_CONFIG) && Object.hasOwn(options, name.slice(USER_CONFIG.length));
    if (isFolder || (!isDefault && (isOption || name === "__dirname"))) continue;
    reader.refuse(
      pointer,
      `"${printable(whole)}" is an unknown variable`,
      "name a value of user_config, __dirname, or a folder such as HOME",
    );
  }
}

/** Warns about secrets in arguments, because every program of the machine can see them. */
function warnOfSecrets(reader: DocumentReader, pointer: string, text: string, { options }: LaunchContext): void {
  for (const [, name = ""] of text.matchAll(BUNDLE_VARIABLE)) {
    const key = name.startsWith(USER_CONFIG) ? name.slice(USER_CONFIG.length) : "";
    if (Object.hasOwn(options, key) && options[key]?.sensitive === true)
      reader.warn(pointer, `The sensitive value "${key}" becomes an argument, which other users of the machine can see while it runs`);
  }
}

/** Returns the bundle's file that a text names; on Windows also without its `.exe`. */
function fileOf(text: string, { files, platform }: LaunchContext): string | undefined {
  const path = insidePath(text);
  if (path === undefined) return undefined;
  return [path, ...(platform === "win32" ? [`${path}.exe`] : [])].find((name) => files.has(name));
}

/** Returns a path relative to the bundle, or undefined if it is outside. */
function insidePath(text: string): string | undefined {
  const path = text
    .replaceAll(/\$\{(?:\/|pathSeparator)\}/g, "/")
    .replace(/^\$\{__dirname\}\//, "")
    .replace(/^(?:\.\/)+/, "");
  if (/[\\$]|^[/~]|^[A-Za-z]:/.test(path)) return undefined;
  return path.split("/").some((step) => step === "" || step === "." || step === "..") ? undefined : path;
}
