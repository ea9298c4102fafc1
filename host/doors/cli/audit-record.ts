/** `bascule audit` on the whole journal: verify, accept and export (SPEC AU3). */

import { type Audit, type AuditPlace, createAudit } from "../../audit/audit.ts";
import { CHECKPOINT_JOURNAL, readCheckpoints } from "../../audit/checkpoints.ts";
import { checkExport, exportLines } from "../../audit/export.ts";
import { errorText } from "../../platform/error-text.ts";
import type { JournalKey } from "../../platform/files/journal-types.ts";
import { serviceThreads } from "../../host/service-entry.ts";
import { seenByCluster } from "./cluster-facts.ts";
import { createService, type Service } from "../../primitives/service/service.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { withProgress } from "./long-work.ts";
import { absolutePath, pathFrom } from "./paths.ts";
import { count, printable, printableJson } from "../../primitives/text.ts";

/** Maximum size of an export to verify, in bytes. It is read into memory. */
const MAX_EXPORT_BYTES = 1024 * 1024 * 1024;

/** Opens the journal. Reads run on a service thread if the platform has them. */
export function openAudit(context: CommandContext, place: AuditPlace): Audit {
  return createAudit({ service: openService(context), slices: context.platform.slices }, place);
}

function openService({ platform }: CommandContext): Service {
  const onDefect = (message: string, error: unknown): void => platform.log.write("error", message, { error });
  return createService({ threads: serviceThreads(platform), environment: platform, onDefect });
}

/** Writes the result and the damage found while reading. @returns the exit code */
export function endWith({ output }: CommandContext, found: object, damage: readonly string[]): number {
  for (const text of damage) output.note(`${output.style.yellow("damaged")} ${printable(text)}`);
  output.document({ ok: damage.length === 0, ...found, ...(damage.length > 0 && { damage }) });
  return damage.length === 0 ? EXIT.ok : EXIT.failed;
}

/** `audit verify`. */
export async function verifyRecord(context: CommandContext, place: AuditPlace): Promise<number> {
  const { output, options, platform } = context;
  const counted = new Int32Array(new SharedArrayBuffer(8));
  const seen = await seenByCluster(context);
  const report = await withProgress(context, "Verifying", (report) => {
    // Another thread counts.
    report(() => ({ progress: counted[0] ?? 0, total: counted[1] ?? 0 }));
    return openAudit(context, place).verify(options.value("head") ?? seen?.seal, counted);
  });
  const { rows, first, head, removed, checkpoint, accepted, problems } = report;
  if (options.has("accept")) return await accept(context, place, problems);
  if (!report.ok) {
    throw new CliError("audit_changed", "The journal was changed after it was written", {
      hints: [
        ...problems.map(printable),
        `${count(rows, "record")} can be read: ${output.program} audit export`,
        `To start a new journal, move ${pathFrom(platform.environment.cwd, place.auditFolder)} away and run ${output.program} audit verify --accept`,
      ],
      details: { rows, problems },
    });
  }
  output.document(report);
  if (rows === 0) output.line("Nothing has been recorded yet");
  else {
    const said = `${count(rows, "record")}${first > 1 ? `, from record ${first} on` : ""}`;
    // The chain alone is also valid if the end was cut off, or in an older copy.
    const isKnown = checkpoint !== undefined || options.value("head") !== undefined || seen !== undefined;
    if (isKnown) output.line(`${output.style.green("good")} ${said}, unchanged`);
    else
      output.line(
        `${output.style.yellow("unconfirmed")} ${said}: the chain is valid, but ${pathFrom(platform.environment.cwd, place.checkpointFile)} has no checkpoint, so a missing end cannot be detected (give a known seal with --head)`,
      );
  }
  if (removed !== undefined) {
    const counts = Object.entries(removed.counts).map(([share, number]) => `${printable(share.trim())} ${number}`);
    output.line(
      `${count(removed.rows, "event")} removed since ${new Date(removed.since).toISOString()} to free space: ${counts.join(", ")}`,
    );
  }
  if (accepted !== undefined) {
    output.line(`accepted ${new Date(accepted.time).toISOString()}${accepted.problems.length > 0 ? ", with these problems:" : ""}`);
    for (const problem of accepted.problems) output.line(`  ${printable(problem)}`);
  }
  if (checkpoint !== undefined)
    output.line(`checkpoint: record ${checkpoint.number}, ${new Date(checkpoint.time).toISOString()}, key ${checkpoint.publicKey}`);
  if (seen !== undefined) output.line(`the cluster has seen record ${seen.number} (${printable(seen.by)}), and the journal has it`);
  if (head !== undefined) output.line(`head ${head.seal} (record ${head.number})`);
  return EXIT.ok;
}

async function accept(context: CommandContext, place: AuditPlace, problems: readonly string[]): Promise<number> {
  const { output, platform } = context;
  const request = { folder: place.auditFolder, file: place.checkpointFile, time: platform.clock.now(), accept: problems };
  await openService(context).run(CHECKPOINT_JOURNAL, request, { owner: "audit" });
  for (const problem of problems) output.note(printable(problem));
  output.line(problems.length === 0 ? "The journal has no problems" : "The journal is accepted as it is now");
  output.document({ ok: true, accepted: problems });
  return EXIT.ok;
}

/** `audit verify <file>`. */
export async function verifyExport(context: CommandContext, place: AuditPlace, written: string): Promise<number> {
  const { output, options, platform } = context;
  if (options.has("accept") || options.value("head") !== undefined)
    throw usageError("--accept and --head apply to the journal, not to an export");
  const bytes = await platform.files.readBytes(absolutePath(written, platform.environment.cwd), MAX_EXPORT_BYTES);
  const publicKey = options.value("key") ?? (await readCheckpoints(place.checkpointFile, platform))?.key.publicKey;
  const report = checkExport(linesOf(bytes), { journals: platform.journals, publicKey });
  const { rows, first, head, signed, problems } = report;
  if (!report.ok) {
    throw new CliError("audit_changed", "The export was changed after it was written", {
      hints: problems.map(printable),
      details: { rows, problems },
    });
  }
  output.document(report);
  output.line(`${output.style.green("good")} ${count(rows, "record")}${first > 1 ? `, from record ${first} on` : ""}, unchanged`);
  if (signed !== undefined) {
    const whose = publicKey === undefined ? "an unknown key (give the expected one with --key)" : "key";
    output.line(`signed ${new Date(signed.time).toISOString()} with ${whose} ${printable(signed.publicKey)}`);
  }
  if (head !== undefined) output.line(`head ${head.seal} (record ${head.number})`);
  return EXIT.ok;
}

function* linesOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder();
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0x0a, from);
    const to = end === -1 ? bytes.length : end;
    yield decoder.decode(bytes.subarray(from, to));
    from = to + 1;
  }
}

/** `audit export`. */
export async function exportRecord(context: CommandContext, place: AuditPlace): Promise<number> {
  const { output, options, platform } = context;
  const out = options.value("out");
  const lines: string[] = [];
  const damage: string[] = [];
  const key = await keyOf(context, place);
  const journal = { journals: platform.journals, files: platform.files, folder: place.auditFolder };
  for await (const line of exportLines(journal, { key, time: platform.clock.now(), onDamage: (found) => damage.push(found) })) {
    // A file gets the sealed JSON text unchanged. A terminal gets the same value with control characters escaped.
    if (out === undefined) {
      platform.terminal.out(`${printableJson(line)}\n`);
      await platform.terminal.drained(context.signal);
    } else lines.push(`${line}\n`);
  }
  if (key === undefined) output.note(`${output.style.yellow("note")} The export is not signed`);
  if (out === undefined) {
    for (const text of damage) output.note(`${output.style.yellow("damaged")} ${printable(text)}`);
    return damage.length === 0 ? EXIT.ok : EXIT.failed;
  }
  const file = absolutePath(out, platform.environment.cwd);
  await platform.files.writeAtomic(file, lines.join(""), 0o600);
  const rows = lines.length - (key === undefined ? 0 : 1);
  output.line(`Wrote ${count(rows, "record")} to ${pathFrom(platform.environment.cwd, file)}`);
  return endWith(context, { rows, file }, damage);
}

/** Returns the journal's signing key, which the first checkpoint creates. @returns undefined, with a note, if there is none */
async function keyOf(context: CommandContext, { auditFolder: folder, checkpointFile: file }: AuditPlace): Promise<JournalKey | undefined> {
  const { platform, output } = context;
  try {
    const known = await readCheckpoints(file, platform);
    if (known !== undefined) return known.key;
    await openService(context).run(CHECKPOINT_JOURNAL, { folder, file, time: platform.clock.now() }, { owner: "audit" });
    return (await readCheckpoints(file, platform))?.key;
  } catch (error) {
    output.note(printable(`Cannot read the signing key: ${errorText(error)}`));
    return undefined;
  }
}
