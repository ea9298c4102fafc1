/** Registry of the export formats (SPEC R5). To add one, write its file, its type in `exported.ts` and its line here. */

import type { ToolResult } from "../../call/call.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { ToolListing } from "../listing.ts";
import { nearestName } from "../nearest.ts";
import { aiSdkFormat } from "./ai-sdk.ts";
import { anthropicFormat } from "./anthropic.ts";
import type { Exported, ExportedTools, ExportFormat, Lossy } from "./exported.ts";
import type { ToolFormat } from "./format.ts";
import { geminiFormat } from "./gemini.ts";
import { langChainFormat } from "./langchain.ts";
import { mcpFormat } from "./mcp.ts";
import { notExported } from "./names.ts";
import { openAiFormat, openAiResponsesFormat } from "./openai.ts";

export type * from "./exported.ts";

type ToolOf<F extends ExportFormat> = ExportedTools[F] extends readonly (infer T)[] ? T : ExportedTools[F][keyof ExportedTools[F]];

const FORMATS: { readonly [F in ExportFormat]: ToolFormat<ToolOf<F>> } = {
  mcp: mcpFormat,
  openai: openAiFormat,
  "openai-responses": openAiResponsesFormat,
  anthropic: anthropicFormat,
  gemini: geminiFormat,
  "ai-sdk": aiSdkFormat,
  langchain: langChainFormat,
};

/** Names of the formats, in the order of `bascule export --help`. */
export const EXPORT_FORMATS: readonly ExportFormat[] = ["mcp", "openai", "openai-responses", "anthropic", "gemini", "ai-sdk", "langchain"];

/** Calls an exported tool by its qualified name. Never rejects. */
type CallExported = (qualifiedName: string, args: JsonValue | string, signal?: AbortSignal) => Promise<ToolResult>;

/**
 * Converts tools to one format.
 *
 * @param tools by exported name
 * @param names of the tools to export: bare, qualified or exported; absent: all
 * @throws {TypeError} if the format or a tool is unknown
 */
export function exportTools<F extends ExportFormat>(
  format: F,
  {
    tools,
    names,
    call,
  }: { readonly tools: ReadonlyMap<string, ToolListing>; readonly names?: readonly string[]; readonly call: CallExported },
): Exported<F> {
  if (!Object.hasOwn(FORMATS, format)) throw new TypeError(`Cannot export to "${format}" (write one of ${EXPORT_FORMATS.join(", ")})`);
  const target: ToolFormat<ToolOf<F>> = FORMATS[format];
  const lossy: Lossy[] = [];
  const qualified = new Map<string, string>();
  const made: [string, ToolOf<F>][] = [];
  const chosen = choose(tools, names);
  for (const [name, listing] of chosen) {
    const tool = listing.qualifiedName;
    const lose = (pointer: string, message: string): void => void lossy.push({ tool, pointer, message });
    for (const part of ["outputSchema", "title"] as const)
      if (listing[part] !== undefined && target.says?.includes(part) !== true) lose(`/${part}`, `${target.title} has no place for it`);
    const description = cut(listing.description, target, lose);
    made.push([name, target.convert({ name, listing, lose, description, call: (args, signal) => call(tool, args, signal) })]);
    qualified.set(name, tool);
  }
  if (target.maxTools !== undefined && made.length > target.maxTools)
    lossy.push({ tool: "", pointer: "", message: `${target.title} allows at most ${target.maxTools} tools, not ${made.length}` });

  // The format's converter determines the element type.
  const shaped = (format === "ai-sdk" ? Object.fromEntries(made) : made.map(([, tool]) => tool)) as unknown as ExportedTools[F];
  return {
    tools: shaped,
    lossy,
    names: qualified,
    // Only exported tools can be called, even if the session may see others.
    call: (name, args, options) => call(qualified.get(name) ?? notExported(name), args, options?.signal),
  };
}

function choose(all: ReadonlyMap<string, ToolListing>, names: readonly string[] | undefined): ReadonlyMap<string, ToolListing> {
  if (names === undefined) return all;
  const entries = [...all];
  return new Map(
    names.map((wanted) => {
      const found =
        entries.find(([name, tool]) => name === wanted || tool.qualifiedName === wanted) ??
        entries.find(([, tool]) => tool.name === wanted);
      if (found !== undefined) return found;
      const near = nearestName(
        wanted,
        entries.map(([, tool]) => tool.name),
      );
      throw new TypeError(`Tool "${wanted}" not found${near === undefined ? "" : ` (did you mean "${near}"?)`}`);
    }),
  );
}

function cut(
  description: string,
  { descriptionLength, title }: Pick<ToolFormat<unknown>, "descriptionLength" | "title">,
  lose: (pointer: string, message: string) => void,
): string {
  if (descriptionLength === undefined || description.length <= descriptionLength) return description;
  lose("/description", `${title} allows ${descriptionLength} characters: the rest is cut`);
  return `${description.slice(0, descriptionLength - 1).replace(/\p{Surrogate}$/u, "")}…`;
}
