/** Helpers that declare tools and plugins. */

import type { RegisteredToolInput } from "../../host/tools/registry.ts";
import type { PluginVersion, Tool, ToolDeclaration, ToolFactory } from "../../host/tools/tool.ts";
import { type Manifest, parseManifest, type Permissions, type SideEffect, type ToolDefinition } from "../../manifests/mod.ts";

/** Declares a host tool. By default it returns its arguments. */
export function hostTool(
  name: string,
  declaration: Partial<ToolDeclaration> = {},
  execute: Tool["execute"] = (args) => args,
  cancel?: Tool["cancel"],
): ToolFactory {
  return () => ({
    definition: { name, description: `Does ${name}`, inputSchema: { type: "object" }, sideEffects: [], ...declaration },
    execute,
    ...(cancel && { cancel }),
  });
}

export interface TestPluginOptions {
  readonly permissions?: Permissions;
  readonly tools?: readonly TestPluginTool[];
  readonly digest?: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

export type TestPluginTool = { readonly name: string; readonly sideEffects?: readonly SideEffect[] } & Partial<ToolDefinition>;

/** Creates a version as the plugin directory loads it from `/plugins/<name>`. */
export function pluginVersion(name: string, options: TestPluginOptions = {}): PluginVersion {
  const { permissions, tools = [{ name: "run" }], digest = `digest-of-${name}` } = options;
  const document = {
    schemaVersion: "1.0",
    name,
    version: "1.0.0",
    description: `Plugin ${name}`,
    ...(permissions && { permissions }),
    tools: tools.map((tool) => ({ description: `Does ${tool.name}`, inputSchema: { type: "object" }, sideEffects: [], ...tool })),
    ...options.manifest,
  };
  const parsed = parseManifest(JSON.stringify(document));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const manifest: Manifest = parsed.value;
  const directory = `/plugins/${name}`;
  return {
    name,
    digest,
    manifest,
    directory,
    bases: { base: directory, plugin: directory },
    files: new Map([["main.ts", new TextEncoder().encode("export {}")]]),
  };
}

/** Returns the tools that the plugin directory publishes for a version. */
export function publishedTools(version: PluginVersion): readonly RegisteredToolInput[] {
  return version.manifest.tools.map((definition) => ({ definition, binding: { kind: "plugin" as const, version } }));
}
