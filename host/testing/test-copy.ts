/** Copies of a plugin in a separate folder: unchanged, and with a single tool that runs its tests. */

import { type Manifest, manifestToJson, type Permissions, type SideEffect, toEntry, type ToolDefinition } from "../../manifests/mod.ts";
import type { Platform } from "../platform/platform.ts";
import { readFolder } from "../plugins/folder/read.ts";
import { MANIFEST_FILE } from "../plugins/folder/walk.ts";

/** Bytes of a plugin at one moment. */
export interface PluginBytes {
  readonly manifest: Manifest;
  /** All files that its hash covers, by "/"-separated relative path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Tool of the copy that runs tests. */
export const TEST_TOOL = "run_tests";
const ENTRY = "bascule-test-entry.js";

/** Imports the file during the call: the top-level code of a test has the permissions of the run, as in Deno. */
const ENTRY_SOURCE = `import { runTests } from "bascule:prelude/test-run.ts";
export const ${TEST_TOOL} = (wish) => runTests(wish, (file) => import(file));
`;

const MINUTE = 60_000;

/** @returns the plugin's files; undefined if the folder cannot be read completely. */
export async function readBytes(
  platform: Pick<Platform, "files" | "guarded">,
  directory: string,
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const end = directory.lastIndexOf("/");
  const place = { root: directory.slice(0, end), rootIndex: 0, folder: directory.slice(end + 1) };
  for (let attempt = 0; attempt < READS; attempt++) {
    const read = await readFolder(platform, place);
    if (read.kind === "read") return read.files;
    if (read.kind !== "changing") return undefined;
  }
  return undefined;
}

const READS = 5;

/** Writes the plugin below `root`, which serves as a plugin root. */
export async function writeCopy({ files }: Pick<Platform, "files">, root: string, plugin: PluginBytes): Promise<void> {
  const folder = `${root}/${plugin.manifest.name}`;
  for (const [path, bytes] of plugin.files) {
    const file = `${folder}/${path}`;
    await files.makeDirectory(file.slice(0, file.lastIndexOf("/")));
    await files.writeAtomic(file, bytes);
  }
}

/**
 * Returns the plugin with a single tool that imports and runs a test file, with the permissions and memory that the manifest requests.
 *
 * @param grants of the run: a tool that declares an effect without any grant for it is refused
 */
export function toTestPlugin({ manifest, files }: PluginBytes, grants: Permissions): PluginBytes {
  const tool: ToolDefinition = {
    ...TOOL_DEFAULTS,
    name: TEST_TOOL,
    description: `Runs tests of ${manifest.name}`,
    module: ENTRY,
    export: TEST_TOOL,
    inputSchema: { type: "object" },
    sideEffects: sideEffectsFor(manifest.permissions, grants),
  };
  const made: Manifest = {
    ...manifest,
    enabled: true,
    main: ENTRY,
    dependencies: {},
    state: "call",
    limits: { ...manifest.limits, wallMs: 10 * MINUTE, cpuMs: 2 * MINUTE, logBytes: 4 << 20, operations: 1_000_000, outputBytes: 1 << 20 },
    tools: [tool],
    skills: [],
  };
  const encoder = new TextEncoder();
  return {
    manifest: made,
    files: new Map([...files, [ENTRY, encoder.encode(ENTRY_SOURCE)], [MANIFEST_FILE, encoder.encode(manifestToJson(made))]]),
  };
}

/** Returns the side effects that the tests can have. */
function sideEffectsFor(requested: Permissions, grants: Permissions): readonly SideEffect[] {
  const isHeld = (kind: "write" | "net"): boolean =>
    [requested, grants].every((permissions) => {
      const { allow = false } = toEntry(permissions[kind] ?? false);
      return allow === true || (Array.isArray(allow) && allow.length > 0);
    });
  return ["read", ...(isHeld("write") ? ["write" as const] : []), ...(isHeld("net") ? ["network" as const] : [])];
}

const TOOL_DEFAULTS = {
  tags: [],
  destructive: false,
  determinism: "nondeterministic",
  requires: [],
  callers: ["direct"],
  visibility: {},
  annotations: {},
} as const;
