/** Modules of `jsr:` packages in Deno's cache: finds them with `deno info`, and gives them to esbuild. */

import { readFile } from "node:fs/promises";
import type { Loader, OnLoadResult, OnResolveResult, Plugin } from "esbuild";
import { runGuarded } from "../processes/run-guarded.ts";
import type { ModuleGraph } from "./bundler-types.ts";

const GRAPH = "bascule-graph";

/** Creates the esbuild plugins that resolve the graph's modules. */
export function graphModules(graph: ModuleGraph | undefined): readonly Plugin[] {
  if (graph === undefined) return [];
  const setup: Plugin["setup"] = ({ onResolve, onLoad }) => {
    onResolve({ filter: /.*/ }, ({ path, importer }) => resolveInGraph(graph, path, importer));
    onLoad({ filter: /.*/, namespace: GRAPH }, ({ path }) => loadFromGraph(graph, path));
  };
  return [{ name: "bascule-graph", setup }];
}

function resolveInGraph(graph: ModuleGraph, path: string, importer: string): OnResolveResult | null {
  const asked = graph.modules.get(importer)?.imports.get(path) ?? path;
  const specifier = graph.redirects.get(asked) ?? asked;
  return graph.modules.has(specifier) ? { path: specifier, namespace: GRAPH } : null;
}

async function loadFromGraph(graph: ModuleGraph, specifier: string): Promise<OnLoadResult | null> {
  const module = graph.modules.get(specifier);
  if (module === undefined) return null;
  return { contents: await readFile(module.local, "utf8"), loader: loaderOf(specifier) };
}

function loaderOf(specifier: string): Loader {
  const extension = /\.([a-z]+)$/.exec(specifier.replace(/[?#].*$/s, ""))?.[1];
  if (extension === "ts" || extension === "mts") return "ts";
  if (extension === "tsx" || extension === "jsx" || extension === "json") return extension;
  return "js";
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const DENO_MS = 120_000;

/** Returns the module graph from `deno info`, which may fetch missing modules as `deno` always does. */
export async function denoGraph(specifier: string, directory: string): Promise<ModuleGraph | string> {
  const answer = await runDeno(["info", "--json", specifier], directory);
  if (answer === undefined) return "Deno is not installed";
  let document: unknown;
  try {
    document = JSON.parse(answer);
  } catch (error) {
    if (error instanceof SyntaxError) return "Deno's answer is not JSON";
    throw error;
  }
  return toGraph(document);
}

async function runDeno(args: readonly string[], cwd: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(DENO_MS);
  const ended = await runGuarded({ file: "deno", args, cwd, maxBytes: MAX_OUTPUT_BYTES, signal });
  if (ended.kind !== "ended" || (ended.exitCode !== 0 && ended.output.length === 0)) return undefined;
  return new TextDecoder().decode(ended.output);
}

/** Reads the output of https://docs.deno.com/runtime/reference/cli/info/ */
export function toGraph(document: unknown): ModuleGraph | string {
  const modules = new Map<string, { readonly local: string; readonly imports: ReadonlyMap<string, string> }>();
  for (const module of listAt(document, "modules")) {
    const specifier = textAt(module, "specifier");
    const error = textAt(module, "error");
    if (error !== "") return error;
    const imports = new Map(
      listAt(module, "dependencies").map((dependency) => [
        textAt(dependency, "specifier"),
        textAt(fieldAt(dependency, "code"), "specifier"),
      ]),
    );
    if (specifier !== "" && textAt(module, "local") !== "") modules.set(specifier, { local: textAt(module, "local"), imports });
  }
  const redirects = fieldAt(document, "redirects");
  const pairs = typeof redirects === "object" && redirects !== null ? Object.entries(redirects) : [];
  return { modules, redirects: new Map(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string")) };
}

function fieldAt(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = fieldAt(value, key);
  return Array.isArray(list) ? list : [];
}

function textAt(value: unknown, key: string): string {
  const text = fieldAt(value, key);
  return typeof text === "string" ? text : "";
}
