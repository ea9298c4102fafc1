/** Tools that `bascule.json` declares: of a remote host, or exports of the project's own modules (SPEC R10). */

import { createMutex } from "../platform/mutex.ts";
import { isToolListedIn } from "../policy/trust.ts";
import { isBelow, parseManifest, type Problem, problemToText, type ProjectConfig, type ProjectTool } from "../../manifests/mod.ts";
import { FileError, type Files, type Platform } from "../platform/platform.ts";
import type { Places } from "../project/places.ts";
import { PROJECT_OWNER, type RegisteredToolInput, type Registry } from "../tools/registry.ts";
import type { PluginVersion, ToolBinding } from "../tools/tool.ts";
import { digestFiles } from "../primitives/digest.ts";

interface ProjectToolsOptions {
  readonly platform: Pick<Platform, "files">;
  readonly places: Pick<Places, "root" | "project" | "folders">;
  readonly registry: Pick<Registry, "replaceOwner">;
}

/** The project's own tools in the registry. */
export interface ProjectTools {
  /** Reads the file and the modules, and publishes the tools if they changed. */
  refresh(): Promise<void>;
}

/** Bounds of a module: the files that it imports by path, directly or indirectly. */
const MAX_FILES = 256;
const MAX_BYTES = 8 * 1024 * 1024;

export function createProjectTools({ platform: { files }, places, registry }: ProjectToolsOptions): ProjectTools {
  let published = "[]";
  const inTurn = createMutex();

  async function publish(): Promise<void> {
    const config = places.project.config();
    const inputs = await Promise.all(config.tools.map((tool) => toInput(tool, config)));
    const text = JSON.stringify(
      inputs.map(({ definition, binding }) => [definition, binding.kind === "plugin" ? binding.version.digest : binding]),
    );
    if (text === published) return;
    published = text;
    registry.replaceOwner(PROJECT_OWNER, inputs);
  }

  async function toInput(tool: ProjectTool, { trusted }: ProjectConfig): Promise<RegisteredToolInput> {
    const { definition, remote } = tool;
    if (remote !== undefined) return { definition, source: "remote", binding: { kind: "remote", ...remote } };
    if (!isToolListedIn(trusted, definition.name)) return { definition, source: "function", binding: unavailableFor(definition.name) };
    return { definition, source: "function", binding: await bindModule(tool) };
  }

  async function bindModule({ definition }: ProjectTool): Promise<ToolBinding> {
    const { module = "" } = definition;
    const found = await readModules(files, places.root, module);
    if (typeof found === "string") return { kind: "unavailable", reason: found };
    return { kind: "plugin", version: await versionOf(definition, found, places) };
  }

  return {
    refresh: () => inTurn(publish),
  };
}

function unavailableFor(name: string): ToolBinding {
  return {
    kind: "unavailable",
    reason: `it runs a module of the project natively, and "trusted" of bascule.json does not list "${name}" (add it)`,
  };
}

/** Returns the module and every file that it imports by path, keyed by path relative to the root, or why they cannot be read. */
async function readModules(files: Files, root: string, module: string): Promise<ReadonlyMap<string, Uint8Array> | string> {
  const found = new Map<string, Uint8Array>();
  const waiting = [module];
  let left = MAX_BYTES;
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (found.has(path)) continue;
    if (found.size === MAX_FILES) return `its module "${module}" imports more than ${MAX_FILES} files`;
    const bytes = await readInside(files, { root, path, left });
    if (bytes === "too_large") return `its module "${module}" and what it imports are larger than ${MAX_BYTES} bytes`;
    if (bytes === undefined) {
      // A match that is not an import names no file. A real missing import fails when the tool runs, with its name.
      if (path === module) return `its module "${module}" is not a file of the project`;
      continue;
    }
    left -= bytes.length;
    found.set(path, bytes);
    waiting.push(...importsOf(path, new TextDecoder().decode(bytes)));
  }
  return found;
}

interface Reading {
  readonly root: string;
  readonly path: string;
  readonly left: number;
}

/** Follows links only within the project. */
async function readInside(files: Files, { root, path, left }: Reading): Promise<Uint8Array | "too_large" | undefined> {
  try {
    const real = await files.realPath(`${root === "/" ? "" : root}/${path}`);
    if (!isBelow(real, root)) return undefined;
    return await files.readBytes(real, left);
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    return thrown.code === "too_large" ? "too_large" : undefined;
  }
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"'\n?#]{1,500})["']/g;

function importsOf(importer: string, text: string): readonly string[] {
  const base = new URL(`file:///${importer.split("/").map(encodeURIComponent).join("/")}`);
  return [...text.matchAll(IMPORT)].flatMap(([, specifier = ""]) => {
    try {
      return [decodeURIComponent(new URL(specifier, base).pathname.slice(1))];
    } catch (error) {
      // A malformed escape names no file.
      if (error instanceof URIError || error instanceof TypeError) return [];
      throw error;
    }
  });
}

/** Builds a plugin version with this one tool; its owner is the user who wrote the file. */
async function versionOf(
  definition: ProjectTool["definition"],
  files: ReadonlyMap<string, Uint8Array>,
  places: ProjectToolsOptions["places"],
): Promise<PluginVersion> {
  const { name, description, permissions = {} } = definition;
  const document = { schemaVersion: "1.0", name: "project", version: "0.0.0", description, permissions, tools: [{ ...definition }] };
  const parsed = parseManifest(JSON.stringify(document satisfies Readonly<Record<string, unknown>>));
  if (!parsed.ok) throw new Error(`The definition of "${name}" cannot be read back: ${textOf(parsed.problems)}`);
  const directory = places.root;
  return Object.freeze({
    name: "project",
    digest: await digestFiles(files),
    manifest: parsed.value,
    directory,
    bases: { ...places.folders, base: directory, plugin: directory },
    files,
  });
}

function textOf(problems: readonly Problem[]): string {
  return problems.map(problemToText).join("; ");
}
