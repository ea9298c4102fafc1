/** What a format is: one file here, and one line in `mod.ts`. */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { ToolListing } from "../listing.ts";
import type { ToolResult } from "../../call/call.ts";

/** One tool on its way out; its input is an object, as every tool's is. */
export interface ToolToExport {
  /** As models see it. */
  readonly name: string;
  readonly listing: ToolListing;
  /** Says what is lost, at a place below the tool. */
  readonly lose: (pointer: string, message: string) => void;
  /** Calls it. Never rejects. */
  readonly call: (args: JsonValue, signal?: AbortSignal) => Promise<ToolResult>;
}

/** Makes one tool of the target's. */
export interface ToolFormat<T> {
  /** As errors and help call it. */
  readonly title: string;
  /** Longest description it takes, in UTF-16 units; what is longer is cut. */
  readonly descriptionLength?: number;
  /** Most tools in one request. */
  readonly maxTools?: number;
  /** What of a tool it has a place for, besides name, description and input. */
  readonly says?: readonly ("outputSchema" | "title")[];
  convert(tool: ToolToExport & { readonly description: string }): T;
}
