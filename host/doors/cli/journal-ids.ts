/** Finds ids in the audit journal by their beginning. */

import type { KeptEvent } from "../../audit/search.ts";
import type { AuditPlace } from "../../audit/audit.ts";
import { openAudit } from "./audit-record.ts";
import type { CommandContext } from "./command.ts";
import { type Named, idMeant } from "./id-meant.ts";

/** Newest events that are searched for a beginning. */
const MOST_SEARCHED = 10_000;
/** Characters of a whole id (RFC 9562). */
const WHOLE = 36;

/** Events that have the ids. */
interface IdSource {
  readonly type: string;
  /** Returns the id; undefined if the event has none. */
  readonly idOf: (event: KeptEvent["event"]) => unknown;
  /** Noun for messages. */
  readonly what: string;
  readonly advice: string;
}

/** Returns a whole id as it is, and otherwise the only id that begins like this. @throws {CliError} `not_found` or `ambiguous` */
export async function journalIdMeant(
  written: string,
  context: CommandContext,
  place: AuditPlace,
  { type, idOf, what, advice }: IdSource,
): Promise<string> {
  if (written.length === WHOLE) return written;
  const events = await openAudit(context, place).search({ type }, MOST_SEARCHED, () => {});
  const named = events.flatMap(({ event }): readonly Named[] => {
    const id = idOf(event);
    const { tool, role } = Object(event["payload"]) as Record<string, unknown>; // The payload may have any members.
    const about = [tool, role, type].find((text) => typeof text === "string");
    return typeof id === "string" ? [{ id, atMs: Number(event["time"]), about: String(about) }] : [];
  });
  return idMeant(written, named, what, advice);
}
