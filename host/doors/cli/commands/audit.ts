/** `bascule audit`: the durable record of calls, acts, grants and answers (SPEC AU3). */

import type { AuditPlace } from "../../../audit/audit.ts";
import type { EventFilter, KeptEvent } from "../../../audit/search.ts";
import type { JsonValue } from "../../../../manifests/mod.ts";
import { openPlaces } from "../../../project/places.ts";
import { readTime } from "../age.ts";
import { endWith, exportRecord, openAudit, verifyExport, verifyRecord } from "../audit-record.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { nearestName } from "../../../tools/nearest.ts";
import { printable, shorten } from "../../../primitives/text.ts";

const FILTERS = ["limit", "type", "tool", "plugin", "call", "since", "until"] as const;
const ACTS = ["tail", "search", "verify", "export", "session"] as const;
type Act = (typeof ACTS)[number];

export const auditCommand: Command = {
  name: "audit",
  summary: "Show, search and verify the record of what happened",
  usage: "audit <tail | search [text] | verify [export] | export | session <id>>",
  words: [["tail", "search", "verify", "export", "session"], []],
  details: [
    "The record is in .bascule/audit/: every event is sealed together with all before it, so that verify finds what was changed, moved or taken out. A host also notes the newest seal in your own configuration folder, signed: with it verify finds an end that was cut off, an older copy, or a folder that is gone, up to one second before the host ended. What was meant so (a restored backup, a folder moved away because it was damaged) is taken with verify --accept. An export ends with a signature; verify <file> checks all of it, elsewhere with --key and the key that verify prints here.",
    "A damaged record is read as far as it can be: tail, search and export show the rest, say what is missing, and end with exit code 1.",
    "Times are ISO 8601, or an age such as 90s, 15m, 12h or 7d.",
  ],
  examples: [
    "audit tail",
    "audit search --type=tool.denied --since=7d",
    "audit search README.md",
    "audit verify",
    "audit export --out=audit.jsonl",
    "audit verify audit.jsonl",
  ],
  positionals: { min: 1, max: 2 },
  options: [
    { name: "limit", short: "n", value: "count", about: "At most so many events, the newest; 20 for tail, 100 for search" },
    { name: "type", value: "type", about: "Events of this type, such as tool.denied, or tool for all of its kind" },
    { name: "tool", value: "name", about: "Events of calls of this tool" },
    { name: "plugin", value: "name", about: "Events of this plugin" },
    { name: "call", value: "id", about: "Events of this call" },
    { name: "since", value: "time", about: "Not before" },
    { name: "until", value: "time", about: "Not after" },
    { name: "head", value: "seal", about: "verify: a seal that must still be in the record" },
    { name: "key", value: "key", about: "verify <export>: the key that must have signed it; by default this project's" },
    { name: "accept", about: "verify: take the record as it is now; what was noted of it before no longer counts" },
    { name: "out", value: "file", about: "export: write into this file instead of to standard output" },
  ],
  run: audit,
};

async function audit(context: CommandContext): Promise<number> {
  const { platform, project, positionals } = context;
  const [word = "", subject] = positionals;
  const act = ACTS.find((known) => known === word);
  if (act === undefined) {
    const near = nearestName(word, ACTS);
    throw usageError(`There is no "audit ${word}"`, [near === undefined ? `There are ${ACTS.join(", ")}` : `Did you mean audit ${near}?`]);
  }
  const filter = act === "tail" || act === "search" ? undefined : FILTERS.find((name) => context.options.value(name) !== undefined);
  if (filter !== undefined)
    throw usageError(`--${filter} chooses events for tail and search; audit ${act} takes the whole record`, [
      `Write audit search --${filter}=… --json for a part of it`,
    ]);
  const places = await openPlaces(platform, { config: project.configFile ?? false });
  // To verify, it counts what was there once.
  if (act !== "verify" && (await platform.files.stat(places.auditFolder)) === undefined) return nothingYet(context);
  return await RUN[act](context, places, subject);
}

const RUN: Readonly<Record<Act, (context: CommandContext, place: AuditPlace, subject: string | undefined) => Promise<number>>> = {
  tail: (context, place) => show(context, place, { limit: 20 }),
  search: (context, place, text) => show(context, place, { limit: 100, ...(text !== undefined && { text }) }),
  verify: (context, place, file) => (file === undefined ? verifyRecord(context, place) : verifyExport(context, place, file)),
  export: exportRecord,
  session,
};

function nothingYet({ output }: CommandContext): number {
  output.line("Nothing has been recorded yet");
  output.document({ ok: true, events: [] });
  return EXIT.ok;
}

async function show(
  context: CommandContext,
  place: AuditPlace,
  { limit, text }: { readonly limit: number; readonly text?: string },
): Promise<number> {
  const { output, options } = context;
  const damage: string[] = [];
  const limited = readLimit(options.value("limit")) ?? limit;
  const events = await openAudit(context, place).search(readFilter(context, text), limited, (found) => damage.push(found));
  for (const event of events) output.line(eventLine(event, context));
  if (events.length === 0) output.line("No such event was recorded");
  return endWith(context, { events }, damage);
}

async function session(context: CommandContext, place: AuditPlace, id: string | undefined): Promise<number> {
  const { output } = context;
  if (id === undefined) throw usageError("Which session? Events name theirs", [`Like this: ${output.program} audit session <id>`]);
  const state = await openAudit(context, place).session(id);
  if (state.openedAt === undefined && state.calls.length === 0)
    throw new CliError("not_found", `No event of session "${id}" was recorded`, { exitCode: EXIT.notFound });
  output.line(
    `session ${printable(id)}${state.role === undefined ? "" : `  role ${printable(state.role)}`}  ${printable(state.workspace ?? "")}`,
  );
  for (const { callId, tool = "?", status, dryRun, code, granted, refused } of state.calls) {
    const acts = granted + refused === 0 ? "" : `  ${granted} acts granted, ${refused} refused`;
    output.line(
      `  ${printable(callId)}  ${printable(tool)}${dryRun ? "  dry run" : ""}  ${status}${code === undefined ? "" : ` ${printable(code)}`}${acts}`,
    );
  }
  return endWith(context, { session: state }, state.damage ?? []);
}

/** One line; everything in it may be a guest's. */
function eventLine({ number, event }: KeptEvent, { output }: CommandContext): string {
  const { style, columns } = output;
  const text = (value: JsonValue | undefined): string => (typeof value === "string" ? printable(value) : "");
  const time = typeof event["time"] === "number" ? new Date(event["time"]).toISOString() : "";
  const { tool, dryRun, code, permission, value, message, decision } = Object(event["payload"]) as Record<string, JsonValue | undefined>; // Any members, or none.
  // A session is asked about by its id.
  const about = tool ?? event["plugin"] ?? event["sessionId"];
  const facts = [
    about,
    dryRun === true ? "dry run" : undefined,
    code,
    permission,
    value,
    typeof decision === "string" ? decision : undefined,
    message,
  ].map(text);
  const line = facts.filter((fact) => fact !== "").join("  ");
  return `${style.dim(`${number} ${time}`)} ${style.bold(text(event["type"]))}  ${shorten(line, columns * 2)}`;
}

function readFilter({ options, platform }: CommandContext, text: string | undefined): EventFilter {
  const filter: { -readonly [K in keyof EventFilter]: EventFilter[K] } = {};
  const [type, tool, plugin, callId] = ["type", "tool", "plugin", "call"].map((name) => options.value(name));
  if (text !== undefined) filter.text = text;
  if (type !== undefined) filter.type = type;
  if (tool !== undefined) filter.tool = tool;
  if (plugin !== undefined) filter.plugin = plugin;
  if (callId !== undefined) filter.callId = callId;
  for (const name of ["since", "until"] as const) {
    const written = options.value(name);
    if (written !== undefined) filter[name] = readTime(name, written, platform.clock.now());
  }
  return filter;
}

function readLimit(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const limit = Number(written);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000)
    throw usageError(`Option "--limit" wants a whole number from 1, not "${written}"`);
  return limit;
}
