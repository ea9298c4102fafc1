/** Tools as the code of a plugin declares them. */

import type { JsonObject } from "../../../manifests/mod.ts";
import type { CodePlace, CodeProblem } from "./syntax.ts";

/** Fields of one tool that the code declares, under their names in the manifest. */
export interface CodeTool {
  readonly export: string;
  /** Name of the tool, if the code gives it another one than the export's. */
  readonly name?: string;
  readonly fields: JsonObject;
  /** Places by pointer in the tool: `/inputSchema/properties/path`; `""` for the tool. */
  readonly places: ReadonlyMap<string, CodePlace>;
}

/** An export whose value only the loaded module shows: it may be a tool by `defineTool`. */
export interface Candidate {
  readonly export: string;
  /** Description in the doc comment, for a tool that declares none itself. */
  readonly description: string;
  readonly places: ReadonlyMap<string, CodePlace>;
}

export interface CodeReading {
  /** Names of the main module's exports, in the order of the code. */
  readonly order: readonly string[];
  readonly tools: readonly CodeTool[];
  readonly candidates: readonly Candidate[];
  readonly problems: readonly CodeProblem[];
  /** True if the main module imports `./bascule.js`, which provides `defineTool`. */
  readonly usesDefineTool: boolean;
}

/** Members of `defineTool`'s record that have another name in the manifest. */
export const RECORD_FIELDS: ReadonlyMap<string, string> = new Map([
  ["input", "inputSchema"],
  ["output", "outputSchema"],
]);
