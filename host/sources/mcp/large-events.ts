/** A stream of server-sent events in which large data is replaced (SPEC LV2; WHATWG HTML, 9.2.6). */

import { piecesOf } from "../../primitives/json/json-bytes.ts";
import { LARGE_TEXT } from "../../primitives/json/read-slices.ts";

/** @param shorten returns the replacement for a large event's data, or undefined to drop the event */
export function shortEvents(shorten: (data: string) => Promise<string | undefined>): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let line = "";
  let isAfterReturn = false;
  let data: string | undefined;
  let fields = "";

  /** @returns the event that the line ends; a promise if it is large */
  function endLine(): string | Promise<string> {
    const ended = line;
    line = "";
    if (ended !== "") {
      const [, value] = /^data(?:: ?|$)(.*)$/s.exec(ended) ?? [];
      if (value === undefined) fields += `${ended}\n`;
      else data = data === undefined ? value : `${data}\n${value}`;
      return "";
    }
    const [its, others] = [data, fields];
    data = undefined;
    fields = "";
    if (its === undefined) return others === "" ? "" : eventOf(others);
    return its.length <= LARGE_TEXT
      ? eventOf(others, its)
      : shorten(its).then((short) => (short === undefined ? "" : eventOf(others, short)));
  }

  return new TransformStream({
    async transform(chunk, controller) {
      for (const piece of piecesOf(chunk)) {
        let text = decoder.decode(piece, { stream: true });
        if (text === "") continue;
        // CR and LF may arrive in two chunks.
        if (isAfterReturn && text.startsWith("\n")) text = text.slice(1);
        isAfterReturn = text.endsWith("\r");
        const lines = text.split(/\r\n|\n|\r/);
        let events = "";
        for (const [index, part] of lines.entries()) {
          line += part;
          if (index === lines.length - 1) break;
          const event = endLine();
          events += typeof event === "string" ? event : await event;
        }
        if (events !== "") controller.enqueue(encoder.encode(events));
      }
    },
  });
}

/** An event with only comments or unknown fields carries nothing, so an oversized one is dropped. */
function eventOf(fields: string, data?: string): string {
  if (fields.length > LARGE_TEXT) return "";
  return `${fields}${data === undefined ? "" : `data: ${data.replaceAll("\n", "\ndata: ")}\n`}\n`;
}
