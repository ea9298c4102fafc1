/** Collects a plugin's acts for `bascule learn`: from the journal, a call or its cases. */

import { collectFromJournal } from "../../plugins/learn/from-journal.ts";
import type { ActCollector } from "../../audit/acts.ts";
import type { Maximum } from "../../plugins/learn/maximum.ts";
import type { HostEvent } from "../../audit/events.ts";
import { type JsonObject, type Manifest, parseJson, parsePermissions, type Permissions, problemToText } from "../../../manifests/mod.ts";
import { mergePermissions } from "../../policy/merge-permissions.ts";
import { runPlugin } from "../../testing/run-plugin.ts";
import { readTime } from "./age.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { terminalPrompt } from "./confirm.ts";
import { isolationOfProject } from "./isolation-flag.ts";
import { withProgress } from "./long-work.ts";
import { openLocalHost } from "./local-host.ts";
import { absolutePath, parentOf } from "./paths.ts";
import { permissionsFromFlags } from "./read-permission-flags.ts";
import { absoluteFrom } from "./permission-set.ts";
import { failureLines } from "./result-text.ts";
import { readToolArguments } from "./tool-arguments.ts";

interface Sources {
  /** Words after `--`: `call`, a tool, its arguments. */
  readonly call: readonly string[];
  readonly collector: ActCollector;
  readonly maximum: Maximum;
  readonly manifest: Manifest;
  readonly directory: string;
  readonly auditFolder: string;
}

const MAX_BYTES = 1024 * 1024;

/** Collects acts by running the call or the cases, or else from the journal. */
export async function collect(context: CommandContext, sources: Sources): Promise<void> {
  const { options, platform } = context;
  if (sources.call.length > 0) return await collectFromCall(context, sources);
  if (options.has("cases")) return await collectFromCases(context, sources);
  const { auditFolder, collector } = sources;
  if ((await platform.files.stat(auditFolder)) === undefined) return;
  const since = options.value("since");
  const place = { journals: platform.journals, files: platform.files, folder: auditFolder };
  const from = since === undefined ? 0 : readTime("since", since, platform.clock.now());
  await withProgress(context, "Reading the journal", () => collectFromJournal(place, collector, from));
}

/** Returns the maximum from `--max` and the permission flags; undefined if neither is given. @throws {CliError} if they are invalid */
export async function readMaximum({ options, platform }: CommandContext): Promise<Permissions | undefined> {
  const flags = permissionsFromFlags(options, platform.environment);
  const named = options.value("max");
  if (named === undefined) return Object.keys(flags).length === 0 ? undefined : flags;
  const file = absolutePath(named, platform.environment.cwd);
  const text = new TextDecoder().decode(await platform.files.readBytes(file, MAX_BYTES));
  const json = parseJson(text, { maxBytes: MAX_BYTES, maxDepth: 64 });
  if (!json.ok) throw usageError(`Cannot read "${named}"`, json.problems.map(problemToText));
  const parsed = parsePermissions(json.value.value);
  if (!parsed.ok) throw usageError(`Invalid permissions in "${named}"`, parsed.problems.map(problemToText));
  return mergePermissions(absoluteFrom(parsed.value, parentOf(file)), flags);
}

async function collectFromCall(context: CommandContext, { call, collector, maximum, manifest, directory }: Sources): Promise<void> {
  const { output, platform, signal } = context;
  const [verb, tool, ...words] = call;
  if (verb !== "call" || tool === undefined)
    throw usageError("Expected `call <tool> …` after the plugin name", [
      `Example: ${output.program} learn ${manifest.name} -- call <tool> …`,
    ]);
  const learning = { plugin: manifest.name, maximum: maximum.permissions, base: directory, publish: toCollector(collector) };
  const host = await openLocalHost(context, {}, { learning });
  try {
    const args = await readToolArguments(tool, words, context, { operations: host.operations, running: false, close: host.close });
    const confirm = terminalPrompt(platform, output);
    const result = await host.operations.call({ tool, args }, { signal, ...(confirm && { confirm }) });
    if (result.ok) return;
    const { cwd } = platform.environment;
    for (const line of failureLines(result, output, { cwd, workspace: maximum.bases.workspace ?? cwd })) output.note(line);
  } finally {
    await host.close();
  }
}

async function collectFromCases(context: CommandContext, { collector, maximum, manifest, directory }: Sources): Promise<void> {
  const { output, platform, signal } = context;
  const isolation = await isolationOfProject(context);
  const learning = { maximum: maximum.permissions, publish: toCollector(collector) };
  const outcomes = await withProgress(context, "Running the cases", () =>
    runPlugin({ platform, manifest, directory, signal, grants: {}, isolation, learning }),
  );
  const results = outcomes.flatMap((file) => file.results);
  const failed = results.filter(({ status }) => status === "failed").length + outcomes.filter(({ error }) => error !== undefined).length;
  if (results.length === 0) output.note(`${manifest.name} has no cases that expect success`);
  if (failed > 0) output.note(`${output.style.yellow("note")} ${failed} of the cases failed, so permissions may be missing here`);
}

/** Passes events to the collector. The cast is safe: events are JSON, but their interfaces have no index signature. */
function toCollector(collector: ActCollector): (event: HostEvent) => void {
  return (event) => collector.add(event as unknown as JsonObject);
}
