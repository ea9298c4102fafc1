/** The built-in tools. They run on the host route, through the same guarded files as plugins (SPEC G2). */

import type { ToolContext } from "../call/context.ts";
import type { JsonSchema, JsonValue } from "../../manifests/mod.ts";
import type { KeptResults } from "../dispatch/results/kept-results.ts";
import { BUILTIN_OWNER, type Registry } from "../tools/registry.ts";
import { FsDenied, ToolFailed } from "../tools/tool-error.ts";
import type { ToolDeclaration, ToolFactory } from "../tools/tool.ts";
import { shell } from "./builtin-shell.ts";
import { listMatching } from "./list-matching.ts";

interface BuiltinOptions {
  /** Reloads new and changed plugins, and returns their number. If absent, `reload_plugins` is not registered. */
  readonly reload?: () => Promise<number>;
  /** Reads the omitted parts of a session's results. If absent, `read_result` is not registered. */
  readonly readResult?: KeptResults["read"];
}

/** Alternative names, for look-ups only. */
export const BUILTIN_ALIASES: Readonly<Record<string, string>> = {
  Read: "read_file",
  Write: "write_file",
  Echo: "echo",
  list_directory: "list_dir",
  run_shell: "shell",
  Shell: "shell",
};

/** Registers the built-in tools and their aliases. `createHost` calls it unless `builtins: false`. */
export function registerBuiltins(registry: Registry, options: BuiltinOptions = {}): void {
  const { reload, readResult } = options;
  const more = [...(reload === undefined ? [] : [reloadPlugins(reload)]), ...(readResult === undefined ? [] : [readKept(readResult)])];
  registry.registerMany([echo, readFile, writeFile, patchFile, listDir, shell, ...more], { owner: BUILTIN_OWNER, source: "builtin" });
  for (const [alias, name] of Object.entries(BUILTIN_ALIASES)) registry.alias(alias, name);
}

const TEXT: JsonSchema = { type: "string" };
const COUNT: JsonSchema = { type: "integer", minimum: 0 };

const echo = tool<{ text: string }>(
  {
    name: "echo",
    description: "Returns the text it is given",
    inputSchema: object({ text: TEXT }, ["text"]),
    outputSchema: object({ text: TEXT }, ["text"]),
    sideEffects: [],
    determinism: "deterministic",
  },
  ({ text }) => ({ text }),
);

const readFile = tool<{ path: string; offset?: number; length?: number }>(
  {
    name: "read_file",
    description: "Reads a text file of the workspace; a file above 1 MiB by offset and length in bytes",
    inputSchema: object({ path: TEXT, offset: COUNT, length: COUNT }, ["path"]),
    outputSchema: object({ content: TEXT, size: COUNT }, ["content", "size"]),
    sideEffects: ["read"],
    requires: [{ capability: "read", arg: "path" }],
  },
  async ({ path, offset, length }, { workspace }) => {
    const range = offset === undefined && length === undefined ? undefined : { offset: offset ?? 0, length: length ?? RANGE_BYTES };
    const bytes = await workspace.readBytes(path, range);
    return { content: new TextDecoder().decode(bytes), size: bytes.length };
  },
);

const RANGE_BYTES = 1024 * 1024;

const writeFile = tool<{ path: string; content: string; append?: boolean }>(
  {
    name: "write_file",
    description: "Writes a text file of the workspace, replacing what it holds, or adds to its end",
    inputSchema: object({ path: TEXT, content: TEXT, append: { type: "boolean", default: false } }, ["path", "content"]),
    outputSchema: object({ size: COUNT }, ["size"]),
    sideEffects: ["write"],
    requires: [{ capability: "write", arg: "path" }],
  },
  async ({ path, content, append = false }, { workspace }) => {
    const bytes = new TextEncoder().encode(content);
    if (append) await workspace.append(path, content);
    else await workspace.writeBytes(path, bytes);
    return { size: bytes.length };
  },
);

const patchFile = tool<{ path: string; old: string; new: string }>(
  {
    name: "patch_file",
    description: "Replaces the only occurrence of a text in a text file of the workspace",
    inputSchema: object({ path: TEXT, old: { type: "string", minLength: 1 }, new: TEXT }, ["path", "old", "new"]),
    outputSchema: object({ path: TEXT }, ["path"]),
    sideEffects: ["read", "write"],
    requires: [
      { capability: "read", arg: "path" },
      { capability: "write", arg: "path" },
    ],
  },
  async ({ path, old, new: replacement }, { workspace }) => {
    await workspace.patch(path, old, replacement);
    return { path };
  },
);

const listDir = tool<{ path?: string; glob?: string }>(
  {
    name: "list_dir",
    description: "Lists a folder of the workspace, or everything below it that a glob matches (*, ** and ?)",
    inputSchema: object({ path: { type: "string", default: "." }, glob: TEXT }, []),
    outputSchema: object({ entries: { type: "array", items: object({ name: TEXT, kind: TEXT }, ["name", "kind"]) } }, ["entries"]),
    sideEffects: ["read"],
    requires: [{ capability: "read", arg: "path" }],
  },
  async ({ path = ".", glob }, { workspace, signal }) => {
    const entries = glob === undefined ? await workspace.list(path) : await listMatching(workspace, path, glob, signal);
    return { entries: entries.map(({ name, kind }) => ({ name, kind })) };
  },
);

function reloadPlugins(reload: () => Promise<number>): ToolFactory {
  const reloading = tool(
    {
      name: "reload_plugins",
      description: "Loads new and changed plugins",
      inputSchema: object({}, []),
      outputSchema: object({ reloaded: COUNT }, ["reloaded"]),
      sideEffects: ["read"],
      callers: ["direct"],
    },
    async () => ({ reloaded: await reload() }),
  );
  // A reload changes no workspace file, but it has an effect, so it refuses dry runs.
  return () => ({ ...reloading(), changesByContext: false });
}

function readKept(read: KeptResults["read"]): ToolFactory {
  return tool<{ handle: string; offset?: number; length?: number }>(
    {
      name: "read_result",
      description: "Reads the omitted part of an earlier result of this session by its handle, in byte ranges",
      inputSchema: object({ handle: { type: "string", maxLength: 64 }, offset: COUNT, length: { type: "integer", minimum: 1 } }, [
        "handle",
      ]),
      outputSchema: object({ text: TEXT, offset: COUNT, totalBytes: COUNT, nextOffset: COUNT }, ["text", "offset", "totalBytes"]),
      sideEffects: [],
      callers: ["direct"],
    },
    ({ handle, ...range }, { sessionId }) => {
      const found = read(sessionId, handle, { ...range, asResult: true });
      if (found === undefined) throw new ToolFailed("Result not found in this session, or dropped already (call the tool again)");
      return { ...found };
    },
  );
}

/** Declares a tool. `run` gets arguments that passed the input schema, so they are of type `Args`. */
function tool<Args>(definition: ToolDeclaration, run: (args: Args, context: ToolContext) => JsonValue | Promise<JsonValue>): ToolFactory {
  return () => ({
    definition,
    async execute(args, context) {
      try {
        return await run(args as Args, context);
      } catch (error) {
        throw inOwnWords(error);
      }
    },
  });
}

/** Converts failures of workspace files, which are named as in `Deno.errors` and have messages for the caller. Other errors are bugs. */
function inOwnWords(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "NotCapable") return new FsDenied(error.message);
  const isFileFailure = "code" in error || FILE_FAILURES.has(error.name);
  return isFileFailure ? new ToolFailed(error.message) : error;
}

const FILE_FAILURES: ReadonlySet<string> = new Set([
  "NotFound",
  "AlreadyExists",
  "InvalidData",
  "NotADirectory",
  "IsADirectory",
  "PermissionDenied",
  "FilesystemLoop",
  "Busy",
  "NotSupported",
]);

function object(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}
