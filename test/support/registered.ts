/** Registered tools without a host. */

import { BUILTIN_OWNER, createRegistry } from "../../host/tools/registry.ts";
import type { RegisteredTool, ToolDeclaration } from "../../host/tools/tool.ts";
import { hostTool, pluginVersion, publishedTools, type TestPluginOptions, type TestPluginTool } from "./tools.ts";

const newId = (): string => "id";

/** Registers a function of the embedding program. */
export function functionOf(name: string, declaration: Partial<ToolDeclaration> = {}): RegisteredTool {
  return createRegistry({ newId }).register(hostTool(name, declaration));
}

export function builtinOf(name: string, declaration: Partial<ToolDeclaration> = {}): RegisteredTool {
  return createRegistry({ newId }).register(hostTool(name, declaration), { owner: BUILTIN_OWNER, source: "builtin" });
}

/** Registers a tool of a plugin. */
export function pluginToolOf(plugin: string, tool: TestPluginTool, options: Omit<TestPluginOptions, "tools"> = {}): RegisteredTool {
  const [registered] = createRegistry({ newId }).replaceOwner(plugin, publishedTools(pluginVersion(plugin, { ...options, tools: [tool] })));
  if (registered === undefined) throw new Error("nothing registered");
  return registered;
}
