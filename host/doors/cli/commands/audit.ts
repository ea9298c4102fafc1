/** `bascule audit`: the journal of calls, acts, grants and confirmations (SPEC AU3). */

import type { AuditPlace } from "../../../audit/audit.ts";
import type { EventFilter, KeptEvent } from "../../../audit/search.ts";
import type { JsonValue } from "../../../../manifests/mod.ts";
import { openPlaces } from "../../../project/places.ts";
import { readTime } from "../age.ts";
import { endWith, exportRecord, openAudit, verifyExport, verifyRecord } from "../audit-record.ts";
import { notFoundError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { integerOption } from "../integer-option.ts";
import { journalIdMeant } from "../journal-ids.ts";
import { withProgress } from "../long-work.ts";
import { table } from "../table.ts";
import { wordMeant } from "../did-you-mean.ts";
import { printable, shorten } from "../../../primitives/text.ts";

const FILTERS = ["limit", "type", "tool", "plugin", "call", "since", "until"] as const;
const ACTS = ["tail", "search", "verify", "export", "session"] as const;
type Act = (typeof ACTS)[number];
const MOST_EVENTS = 1_000_000;
/** Cells of an event's facts. */
const MOST_TEXT = 240;

export const auditCommand: Command = {
  name: "audit",
  summary: "Show, search, verify and export the audit journal",
  usage: "audit <tail | search [text] | verify [export] | export | session <id>>",
  words: [["tail", "search", "verify", "export", "session"], []],
  details: [
    "The journal is in .bascule/audit/. Each record is sealed together with all records before it, so verify detects records that were changed, moved or removed.",
    "The host also writes the newest seal, signed, to your configuration folder. With it, verify also detects an older copy, a missing folder, and an end that was cut off up to one second before the host stopped.",
    "After an intended change (a restored backup, a damaged folder moved away), run verify --accept.",
    "An export ends with a signature. verify <file> checks it; on another machine, pass --key with the key that verify prints here.",
    "If the journal is damaged, tail, search and export show the readable records, report what is missing, and exit with code 1.",
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
    {
      name: "limit",
      short: "n",
      value: "count",
      about: "Show at most this many of the newest events (default: 20 for tail, 100 for search)",
    },
    { name: "type", value: "type", about: "Events of this type, such as tool.denied; tool for all tool events" },
    { name: "tool", value: "name", about: "Events of calls of this tool" },
    { name: "plugin", value: "name", about: "Events of this plugin" },
    { name: "call", value: "id", about: "Events of this call" },
    { name: "since", value: "time", about: "Events at or after this time" },
    { name: "until", value: "time", about: "Events at or before this time" },
    { name: "head", value: "seal", about: "verify: a seal that the journal must contain" },
    { name: "join", value: "url", about: "verify: also compare with what the members of this NATS server's cluster have seen" },
    { name: "cluster", value: "name", about: "verify: name of that cluster (default: default)" },
    { name: "key", value: "key", about: "verify <export>: the expected signing key (default: this project's)" },
    { name: "accept", about: "verify: accept the journal as it is now and discard earlier checkpoints" },
    { name: "out", value: "file", about: "export: write to this file instead of stdout" },
  ],
  run: audit,
};

async function audit(context: CommandContext): Promise<number> {
  const { platform, project, positionals } = context;
  const [word = "", subject] = positionals;
  const act = ACTS.find((known) => known === word);
  if (act === undefined) throw usageError(`Unknown subcommand "audit ${word}"`, [wordMeant(word, ACTS, (near) => `audit ${near}`)]);
  const filter = act === "tail" || act === "search" ? undefined : FILTERS.find((name) => context.options.value(name) !== undefined);
  if (filter !== undefined)
    throw usageError(`--${filter} filters tail and search; audit ${act} works on the whole journal`, [
      `Use audit search --${filter}=… --json for a part of it`,
    ]);
  const places = await openPlaces(platform, { config: project.configFile ?? false });
  // verify must run without the folder too: a missing journal is one of the things that it detects.
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
  const limited = integerOption(options, "limit", 1, MOST_EVENTS) ?? limit;
  const filter = readFilter(context, text);
  const events = await withProgress(context, "Reading the journal", () =>
    openAudit(context, place).search(filter, limited, (found) => damage.push(found)),
  );
  const rows = events.map(eventCells);
  const { style, room } = output;
  for (const line of table(rows, style, { numbers: 1, columns: room, paint: [style.dim, style.dim, style.bold] })) output.line(line);
  if (events.length === 0) output.line("No matching events");
  return endWith(context, { events }, damage);
}

async function session(context: CommandContext, place: AuditPlace, id: string | undefined): Promise<number> {
  const { output } = context;
  if (id === undefined) throw usageError("Missing session id (events contain it)", [`Usage: ${output.program} audit session <id>`]);
  const advice = `${output.program} audit search --type=session.opened lists sessions`;
  const meant = await journalIdMeant(id, context, place, {
    type: "session.opened",
    idOf: ({ sessionId }) => sessionId,
    what: "session",
    advice,
  });
  const state = await withProgress(context, "Reading the journal", () => openAudit(context, place).session(meant));
  if (state.openedAt === undefined && state.calls.length === 0) throw notFoundError(`Session "${id}" not found in the journal`, [advice]);
  output.line(
    `session ${printable(meant)}${state.role === undefined ? "" : `  role ${printable(state.role)}`}  ${printable(state.workspace ?? "")}`,
  );
  const rows = state.calls.map(({ callId, tool = "?", status, dryRun, code, granted, refused }) => [
    printable(callId),
    `${printable(tool)}${dryRun ? " (dry run)" : ""}`,
    `${status}${code === undefined ? "" : ` ${printable(code)}`}`,
    granted + refused === 0 ? "" : `${granted} acts granted, ${refused} refused`,
  ]);
  for (const line of table(rows, output.style, { indent: "  ", columns: output.room })) output.line(line);
  return endWith(context, { session: state }, state.damage ?? []);
}

/** Formats one event as cells. Every value may come from a guest, so each one is made inert. */
function eventCells({ number, event }: KeptEvent): readonly string[] {
  const text = (value: JsonValue | undefined): string => (typeof value === "string" ? printable(value) : "");
  const time = typeof event["time"] === "number" ? new Date(event["time"]).toISOString() : "";
  const { tool, dryRun, code, permission, value, message, decision, callGrant } = Object(event["payload"]) as Record<
    string,
    JsonValue | undefined
  >; // The payload may have any members.
  // Session events are looked up by session id.
  const about = tool ?? event["plugin"] ?? event["sessionId"];
  const facts = [
    about,
    dryRun === true ? "dry run" : undefined,
    callGrant === undefined ? undefined : "granted for this call",
    code,
    permission,
    value,
    typeof decision === "string" ? decision : undefined,
    message,
  ].map(text);
  return [String(number), time, text(event["type"]), shorten(facts.filter((fact) => fact !== "").join("  "), MOST_TEXT)];
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
