/** Signatures only, for the first minutes; replaced file by file. Do not import this file: import mod.ts. */
import type { JsonSchema } from "./json-schema.ts";
import type { JsonObject } from "./json.ts";
import type { Manifest } from "./manifest.ts";
import type { Parsed } from "./problem.ts";
import type { ProjectConfig } from "./project.ts";

function pending(): never {
  throw new Error("Not written yet");
}
export interface PluginSettings {
  readonly enabled?: boolean;
  readonly toolOverrides: ReadonlyMap<string, { readonly enabled: boolean }>;
  /** Merged over the schema's defaults and checked. */
  readonly config: JsonObject;
}
export function parseManifest(_text: string, _options?: { readonly files?: ReadonlySet<string> }): Parsed<Manifest> { return pending(); }
export function manifestToJson(_manifest: Manifest): string { return pending(); }
export function legacyModuleCandidates(_dotted: string): readonly string[] { return pending(); }
export function manifestJsonSchema(): JsonObject { return pending(); }
export function parseProject(_text: string): Parsed<ProjectConfig> { return pending(); }
export function parseSettings(_text: string, _schema: JsonSchema | undefined): Parsed<PluginSettings> { return pending(); }
