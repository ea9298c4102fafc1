/** Interface of an export format. A format is one file in this folder and one line in `mod.ts`. */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { ToolListing } from "../listing.ts";
import type { ToolResult } from "../../call/call.ts";

/** A tool to export; its input is an object, as for every tool. */
export interface ToolToExport {
  /** Name for models. */
  readonly name: string;
  readonly listing: ToolListing;
  /** Reports a lost part, with its place in the tool. */
  readonly lose: (pointer: string, message: string) => void;
  /** Calls the tool. Never rejects. */
  readonly call: (args: JsonValue, signal?: AbortSignal) => Promise<ToolResult>;
}

/** Converts tools to the target format. */
export interface ToolFormat<T> {
  /** Title in errors and help. */
  readonly title: string;
  /** Maximum length of a description in UTF-16 units; longer ones are cut. */
  readonly descriptionLength?: number;
  /** Maximum number of tools in one request. */
  readonly maxTools?: number;
  /** Parts of a tool that the format supports, beside name, description and input. */
  readonly says?: readonly ("outputSchema" | "title")[];
  convert(tool: ToolToExport & { readonly description: string }): T;
}
