/** Runs one file of a plugin's cases: each is a call through dispatch, in an empty workspace of its own (SPEC I7). */

import { coversPermissions, type JsonValue, type Permissions } from "../../manifests/mod.ts";
import type { ToolResult } from "../call/call.ts";
import { unlessMissing } from "../platform/or-undefined.ts";
import { defined } from "../primitives/defined.ts";
import { equalJson } from "../primitives/json/equal-json.ts";
import type { Host } from "../host/host-interface.ts";
import type { Platform } from "../platform/platform.ts";
import { createCaseAnswers, expandWorkspace } from "./case-answers.ts";
import { type PluginCase, readCases } from "./cases.ts";
import type { FileOutcome, TestEvent, TestOutcome } from "./outcome.ts";

interface CaseRun {
  readonly plugin: string;
  readonly file: string;
  readonly text: string;
  readonly isWanted: (name: string) => boolean;
  /** Whether to skip cases that expect a failure, because they show nothing about needed permissions. */
  readonly onlySuccesses?: boolean;
  /**
   * Maximum grants of a case without answers: its file belongs to the plugin, and a plugin must not grant itself permissions. Absent:
   * `hostWith` limits them.
   */
  readonly mayGrant?: Permissions;
  readonly platform: Pick<Platform, "files" | "clock">;
  /** Opens a host that serves the plugin unchanged, with these grants. */
  readonly hostWith: (grants: Permissions) => Promise<Host>;
  readonly newWorkspace: () => Promise<string>;
  readonly onEvent: (event: TestEvent) => void;
  readonly signal: AbortSignal;
}

export async function runCaseFile(run: CaseRun): Promise<FileOutcome> {
  const about = { plugin: run.plugin, file: run.file, kind: "cases" as const, usedOnly: false };
  const read = readCases(run.text);
  if (!read.ok) return { ...about, results: [], filtered: 0, error: { message: read.message, stack: "" } };
  const chosen = read.cases.filter(({ name, expect }) => run.isWanted(name) && (expect.ok || run.onlySuccesses !== true));
  run.onEvent({ type: "file", plugin: run.plugin, file: run.file, tests: chosen.length });
  const results: TestOutcome[] = [];
  for (const one of chosen) {
    const outcome = await runCase(one, run);
    run.onEvent({ type: "end", level: 0, outcome });
    results.push(outcome);
  }
  return { ...about, results, filtered: read.cases.length - chosen.length };
}

async function runCase(one: PluginCase, run: CaseRun): Promise<TestOutcome> {
  const { files, clock } = run.platform;
  const name = `${one.tool} ${one.name}`;
  const beyond = one.answers === undefined && run.mayGrant !== undefined ? coversPermissions(run.mayGrant, one.grants) : [];
  if (beyond.length > 0) {
    const how = 'allow it with a permission flag, or add "answers" to the case, so that it touches nothing outside';
    const message = `The case grants ${beyond.join(", ")}, which a plugin's own file cannot grant (${how})`;
    return { name, status: "failed", ms: 0, steps: [], error: { message, stack: "" } };
  }
  const workspace = await run.newWorkspace();
  for (const [path, text] of one.files) {
    const file = `${workspace}/${path}`;
    await files.makeDirectory(file.slice(0, file.lastIndexOf("/")));
    await files.writeAtomic(file, text);
  }
  const host = await run.hostWith(one.grants);
  const began = clock.monotonic();
  const answers = one.answers && createCaseAnswers(one.answers, workspace);
  const expand = <T extends JsonValue>(value: T): T => (answers === undefined ? value : expandWorkspace(value, workspace));
  const result = await host.call(`${run.plugin}.${one.tool}`, expand(one.args), {
    session: host.session({ workspace }),
    confirm: () => Promise.resolve(one.confirm),
    signal: run.signal,
    record: false,
    ...defined({ timeoutMs: one.timeoutMs, seed: one.seed, timeMs: one.timeMs }),
    ...(answers && { answer: answers.answer }),
  });
  const ms = clock.monotonic() - began;
  const unanswered = (answers?.missing() ?? []).map((asked) => `The case has no answer for ${asked}`);
  const wrong = [...unanswered, ...differences(one, result, expand), ...(await fileDifferences(one, workspace, run.platform))];
  if (wrong.length === 0) return { name, status: "ok", ms, steps: [] };
  return { name, status: "failed", ms, steps: [], error: { message: wrong.join("\n"), stack: "" } };
}

function differences({ expect }: PluginCase, result: ToolResult, expand: <T extends JsonValue>(value: T) => T): readonly string[] {
  const found = result.ok ? `output ${JSON.stringify(result.output)}` : `error ${result.error.code}: ${result.error.message}`;
  if (result.ok !== expect.ok) return [`Expected ${expect.ok ? "success" : "a failure"}, got ${found}`];
  if (result.ok) {
    const isEqual = expect.output === undefined || equalJson(expand(expect.output), result.output);
    return isEqual ? [] : [`Expected output ${JSON.stringify(expect.output)}, got ${found}`];
  }
  const { code, message = "" } = expect.error ?? {};
  const isExpected = (code === undefined || code === result.error.code) && result.error.message.startsWith(expand(message));
  return isExpected ? [] : [`Expected error ${code ?? "of any code"}: ${message}, got ${found}`];
}

async function fileDifferences({ expect }: PluginCase, workspace: string, { files }: CaseRun["platform"]): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [path, wanted] of expect.files) {
    const found = await files.readText(`${workspace}/${path}`).catch(unlessMissing(null));
    if (found !== wanted) wrong.push(`Expected file "${path}" to be ${JSON.stringify(wanted)}, got ${JSON.stringify(found)}`);
  }
  return wrong;
}
