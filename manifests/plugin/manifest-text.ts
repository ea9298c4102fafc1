/** Writes a manifest as a file that reads back to an equal manifest (SPEC M9). */

import { deriveAnnotations } from "./annotations.ts";
import type { JsonValue } from "../text/json.ts";
import type { Manifest, Skill } from "./manifest.ts";
import type { ToolDefinition } from "./tool.ts";

/**
 * Returns the canonical text of a manifest: fields in the order of the documentation, defaults left out, two spaces, final
 * newline.
 *
 * `parseManifest` reads it back to an equal manifest, except for `assumed`: assumed side effects become declared ones.
 */
export function manifestToJson(manifest: Manifest): string {
  const document = {
    schemaVersion: manifest.schemaVersion,
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    ...(!manifest.enabled && { enabled: false }),
    author: manifest.author,
    license: manifest.license,
    homepage: manifest.homepage,
    keywords: unlessEmpty(manifest.keywords),
    ...(manifest.main !== "main.ts" && { main: manifest.main }),
    ...(manifest.state !== "call" && { state: manifest.state }),
    dependencies: unlessEmpty(manifest.dependencies),
    imports: unlessEmpty(manifest.imports),
    settingsSchema: manifest.settingsSchema,
    permissions: unlessEmpty(manifest.permissions),
    limits: unlessEmpty(manifest.limits),
    toolsFrom: manifest.toolsFrom,
    // At least one of the two is required.
    tools:
      manifest.tools.length === 0 && manifest.skills.length > 0 ? undefined : manifest.tools.map((tool) => toolToJson(tool, manifest.main)),
    skills: unlessEmpty(manifest.skills.map((skill) => skillToJson(skill, manifest.main))),
    notes: manifest.notes,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function toolToJson(tool: ToolDefinition, main: string): object {
  const derived = deriveAnnotations(tool);
  const annotations = Object.entries(tool.annotations).filter(
    ([key, value]) => value !== new Map<string, JsonValue>(Object.entries(derived)).get(key),
  );
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    ...(tool.module !== main && { module: tool.module }),
    ...(tool.export !== tool.name && { export: tool.export }),
    category: tool.category,
    tags: unlessEmpty(tool.tags),
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    sideEffects: tool.sideEffects,
    ...(tool.destructive && { destructive: true }),
    ...(tool.determinism !== "nondeterministic" && { determinism: tool.determinism }),
    ...(tool.idempotent === true && { idempotent: true }),
    permissions: tool.permissions,
    native: tool.native,
    requires: unlessEmpty(tool.requires),
    timeoutMs: tool.timeoutMs,
    ...(tool.callers.join() !== "direct" && { callers: tool.callers }),
    visibility: unlessEmpty(tool.visibility),
    annotations: unlessEmpty(Object.fromEntries(annotations)),
  };
}

function skillToJson(skill: Skill, main: string): object {
  return {
    name: skill.name,
    description: skill.description,
    tools: skill.tools,
    ...(skill.module !== main && { module: skill.module }),
    ...(skill.export !== skill.name && { export: skill.export }),
    inputSchema: skill.inputSchema,
    outputSchema: skill.outputSchema,
    tags: unlessEmpty(skill.tags),
  };
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
