/**
 * Runs a plugin's tests on copies of it when the user asks for it, and keeps the last outcome (SPEC I5, I7).
 *
 * One run at a time, at most two minutes. A run has an empty workspace of its own and none of the plugin's grants. Kept are 32 outcomes of at most
 * 500 tests each, with texts of 2,000 characters.
 */

import type { Host } from "../../host/host-interface.ts";
import { createMutex } from "../../platform/mutex.ts";
import type { Platform } from "../../platform/platform.ts";
import { realDirectoryOf } from "../../plugins/folder/mod.ts";
import { keptText } from "../../primitives/text.ts";
import type { FileOutcome, TestError, TestOutcome } from "../../testing/outcome.ts";
import type { TestRunView, TestView } from "../views.ts";
import { RequestProblem } from "./problem.ts";

export interface PluginTests {
  /** @throws {RequestProblem} if the plugin cannot be tested */
  run(plugin: string, signal: AbortSignal): Promise<TestRunView>;
  /** The last outcome since the server started. */
  last(plugin: string): TestRunView | undefined;
}

const MAX_MS = 120_000;
const MAX_KEPT = 32;
const MAX_TESTS = 500;
const MAX_LENGTH = 2_000;

export function createPluginTests(host: Pick<Host, "plugins" | "places">, platform: Platform): PluginTests {
  const kept = new Map<string, TestRunView>();
  const inTurn = createMutex();

  async function run(plugin: string, signal: AbortSignal): Promise<TestRunView> {
    const status = host.plugins().find(({ name }) => name === plugin);
    if (status?.manifest === undefined) throw new RequestProblem("not_found", "Plugin not found, or its manifest cannot be read");
    if (status.held !== undefined || status.lastGood)
      throw new RequestProblem(
        "conflict",
        "The plugin's folder holds another version than the one that serves: accept it first, or test it with bascule test",
      );
    const { manifest, digest = "" } = status;
    const end = new AbortController();
    const stopTimer = platform.clock.after(MAX_MS, () => end.abort());
    const began = platform.clock.monotonic();
    try {
      // Loaded here: no other request is to wait for it.
      const { runPlugin, OWN_WORKSPACE } = await import("../../testing/run-plugin.ts");
      const isolation = host.places.project.config().isolation;
      const outcomes = await runPlugin({
        ...{ platform, manifest, directory: realDirectoryOf(status), grants: OWN_WORKSPACE },
        signal: AbortSignal.any([signal, end.signal]),
        ...(isolation && { isolation }),
      });
      const view = viewOf(outcomes, { plugin, digest, at: platform.clock.now(), ms: Math.round(platform.clock.monotonic() - began) });
      const [oldest] = kept.keys();
      if (kept.size >= MAX_KEPT && !kept.has(plugin) && oldest !== undefined) kept.delete(oldest);
      const found = { ...view, isCut: view.isCut || end.signal.aborted || signal.aborted };
      kept.set(plugin, found);
      return found;
    } finally {
      stopTimer();
    }
  }

  return { run: (plugin, signal) => inTurn(() => run(plugin, signal)), last: (plugin) => kept.get(plugin) };
}

function viewOf(outcomes: readonly FileOutcome[], about: Pick<TestRunView, "plugin" | "digest" | "at" | "ms">): TestRunView {
  let left = MAX_TESTS;
  const all = outcomes.flatMap(({ results }) => results);
  const files = outcomes.slice(0, MAX_TESTS).map(({ file, kind, error, results }): TestRunView["files"][number] => {
    const shown = results.slice(0, left);
    left -= shown.length;
    return { file: short(file), kind, ...(error && { error: shortError(error) }), results: shown.map(toView) };
  });
  const count = (...statuses: readonly string[]): number => all.filter(({ status }) => statuses.includes(status)).length;
  return {
    ...about,
    passed: count("ok"),
    failed: count("failed", "cancelled") + outcomes.filter(({ error }) => error !== undefined).length,
    ignored: count("ignored"),
    files,
    isCut: all.length > MAX_TESTS,
  };
}

function toView({ name, status, ms, place, error }: TestOutcome): TestView {
  return { name: short(name), status, ms, ...(place !== undefined && { place: short(place) }), ...(error && { error: shortError(error) }) };
}

function shortError({ message, stack }: TestError): TestError {
  return { message: short(message), stack: short(stack) };
}

function short(text: string): string {
  return keptText(text, MAX_LENGTH);
}
