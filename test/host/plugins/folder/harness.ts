/** A plugin directory with a fake sandbox and the real registry, in memory or on disk, and a record of everything it did. */

import { onTestFinished } from "vitest";
import { createMemoryPlatform, type MemoryEntry, type MemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { createNodePlatform } from "../../../../host/platform/node.ts";
import type { Platform } from "../../../../host/platform/platform.ts";
import { createRegistry, type Registry } from "../../../../host/tools/registry.ts";
import { createPluginDirectory, type PluginDirectory, type PluginDirectoryOptions } from "../../../../host/plugins/folder/reload.ts";
import type { PluginEvent, PluginStatus } from "../../../../host/plugins/folder/status.ts";
import type { PluginVersion } from "../../../../host/tools/tool.ts";
import type { LoadOutcome, PluginSource, Sandbox } from "../../../../sandbox/mod.ts";

/** A sandbox that runs nothing: the text of `main.ts` decides how loading ends. */
export interface FakeSandbox extends Pick<Sandbox, "load" | "unload"> {
  /** Hashes that are loaded now. */
  readonly images: ReadonlySet<string>;
  /** Names of plugins in the order in which loading began. */
  readonly loads: readonly string[];
  /** Loading of plugins whose code contains `// slow` waits for this. */
  release(): void;
}

export function fakeSandbox(): FakeSandbox {
  const images = new Set<string>();
  const loads: string[] = [];
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  return {
    images,
    loads,
    release: () => open(),
    async load(source: PluginSource): Promise<LoadOutcome> {
      loads.push(source.name);
      const text = new TextDecoder().decode(source.files.get("main.ts"));
      if (text.includes("// slow")) await gate;
      if (text.includes("// crash")) throw new Error("The pool is gone");
      const broken = text.split("\n").findIndex((line) => line.includes("broken("));
      if (broken !== -1) {
        const fault = { kind: "syntax", message: "Unexpected end of input", file: "main.ts", line: broken + 1, column: 8 } as const;
        return { ok: false, fault };
      }
      if (text.includes("// endless")) return { ok: false, fault: { kind: "limit", message: "Loading took longer than 5000 ms" } };
      const [, needed] = /\/\/ needs (\d+)/u.exec(text) ?? [];
      if (Number(needed ?? 0) * 1024 * 1024 > source.memoryBytes)
        return { ok: false, fault: { kind: "limit", message: `Loading needs more than ${String(source.memoryBytes)} bytes of memory` } };
      images.add(source.digest);
      return { ok: true, loadMs: 1, imageBytes: 1 };
    },
    unload: (digest) => void images.delete(digest),
  };
}

export interface Bench {
  readonly directory: PluginDirectory;
  readonly registry: Registry;
  readonly sandbox: FakeSandbox;
  readonly events: readonly PluginEvent[];
  /** `type plugin` of every event, in order. */
  told(): readonly string[];
  /** Returns the version that a tool would run on, or why it cannot run. */
  callable(tool: string): PluginVersion | string | undefined;
  /** Returns the text of `main.ts` of the version that a tool would run on. */
  code(tool: string): string | undefined;
}

export type BenchOptions = Partial<Omit<PluginDirectoryOptions, "platform" | "sandbox" | "registry" | "emit">> & {
  readonly platform: PluginDirectoryOptions["platform"] & Pick<Platform, "log">;
};

/** Closed when the test ends. The default root is `/plugins`. */
export function openBench(options: BenchOptions): Bench {
  const sandbox = fakeSandbox();
  const events: PluginEvent[] = [];
  let ids = 0;
  const registry = createRegistry({ newId: () => `id-${++ids}` });
  const directory = createPluginDirectory({
    roots: ["/plugins"],
    bases: (_plugin, folder) => ({ base: folder, plugin: folder }),
    log: options.platform.log,
    ...options,
    sandbox,
    registry,
    emit: (event) => void events.push(event),
  });
  onTestFinished(async () => {
    sandbox.release();
    await directory.close();
  });
  function callable(tool: string): PluginVersion | string | undefined {
    const binding = registry.snapshot().find(tool)?.binding;
    if (binding?.kind === "plugin") return binding.version;
    return binding?.kind === "unavailable" ? binding.reason : undefined;
  }
  return {
    ...{ directory, registry, sandbox, events, callable },
    told: () => events.map((event) => `${event.type} ${event.plugin}`),
    code(tool) {
      const version = callable(tool);
      return typeof version === "object" ? new TextDecoder().decode(version.files.get("main.ts")) : undefined;
    },
  };
}

export type MemoryWorld = Bench & { readonly platform: MemoryPlatform; plant(files: Readonly<Record<string, MemoryEntry>>): void };

/** Creates a memory platform with these files in `/plugins`; nothing is scanned yet. */
export function memoryWorld(
  files: Readonly<Record<string, MemoryEntry>>,
  options: Partial<Omit<BenchOptions, "platform">> = {},
): MemoryWorld {
  const platform = createMemoryPlatform({ files: { "/plugins/.keep/x": "", ...inRoot(files) } });
  return {
    ...openBench({ platform, ...options }),
    platform,
    plant(more) {
      platform.advance(1_000);
      for (const [path, entry] of Object.entries(inRoot(more))) platform.plant(path, entry);
    },
  };
}

/** Returns the state of each folder, without the hidden one that `memoryWorld` creates. */
export function states(statuses: readonly PluginStatus[]): readonly string[] {
  return statuses
    .filter(({ folder }) => !folder.startsWith("."))
    .map(
      ({ folder, state, lastGood, reason }) =>
        `${folder}: ${state}${lastGood ? " (last good serves)" : ""}${reason === undefined ? "" : `: ${reason}`}`,
    );
}

/** Shared by all tests of a file, because it listens to the process's streams. */
const DISK = createNodePlatform();

/** The real platform without its log, which would write to the test's output. */
export function diskPlatform(lines: string[] = []): Platform {
  const log: Platform["log"] = { write: (level, message) => void lines.push(`${level} ${message}`), child: () => log };
  return { ...DISK, log };
}

/** Returns a manifest with one tool `<name>_run`, as text. */
export function manifest(name: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    schemaVersion: "1.0",
    name,
    version: "1.0.0",
    description: `The ${name} plugin`,
    tools: [tool(`${name.replaceAll("-", "_")}_run`)],
    ...more,
  });
}

/** A tool of a manifest. */
export function tool(name: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { name, description: `Runs ${name}`, inputSchema: { type: "object" }, sideEffects: [], ...more };
}

/** Returns the files of a plugin `name` in the folder of that name, by path in the root. */
export function pluginFiles(
  name: string,
  code = "export function run() {}",
  more: Readonly<Record<string, unknown>> = {},
): Record<string, string> {
  return { [`${name}/manifest.json`]: manifest(name, more), [`${name}/main.ts`]: code };
}

/** Prefixes every key with `/plugins/`. */
export function inRoot<T>(files: Readonly<Record<string, T>>, root = "/plugins"): Record<string, T> {
  return Object.fromEntries(Object.entries(files).map(([path, entry]) => [`${root}/${path}`, entry]));
}
