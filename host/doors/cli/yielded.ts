/** Writes what a tool yields to stdout as it comes (SPEC AX4): texts as they are, other values as JSON, one on a line. */

import type { ToolResult } from "../../call/call.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { CallListener } from "../operations.ts";
import { printableJson } from "../../primitives/text.ts";
import type { Output } from "./output.ts";

/** The values of one call. */
interface Yielded {
  readonly onYield: NonNullable<CallListener["onYield"]>;
  /** Returns whether a value was written. */
  isWritten(): boolean;
  /** Ends the last line. Returns whether the result only repeats the values, because the tool returned nothing else. */
  end(result: ToolResult): boolean;
}

/** @param drained resolves when little of the text is waiting to be written */
export function showYielded(output: Output, drained: () => Promise<void>): Yielded {
  const written: string[] = [];
  let isLineOpen = false;

  return {
    async onYield(value: JsonValue) {
      const json = JSON.stringify(value);
      written.push(json);
      if (typeof value === "string") {
        output.part(value);
        if (value !== "") isLineOpen = !value.endsWith("\n");
      } else {
        output.line(`${isLineOpen ? "\n" : ""}${printableJson(json)}`);
        isLineOpen = false;
      }
      await drained();
    },
    isWritten: () => written.length > 0,
    end(result) {
      if (isLineOpen) output.line();
      return written.length > 0 && result.ok && JSON.stringify(result.output) === `[${written.join(",")}]`;
    },
  };
}
