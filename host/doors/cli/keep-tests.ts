/** Runs a plugin's cases and tests after each reload in `bascule dev` (SPEC I7). */

import type { IsolationConfig, Permissions } from "../../../manifests/mod.ts";
import { createSharedSandbox, type SharedSandbox } from "../../../sandbox/mod.ts";
import { openSandbox } from "../../host/open-sandbox.ts";
import { errorText } from "../../platform/error-text.ts";
import { FileError } from "../../platform/platform.ts";
import type { FileOutcome } from "../../testing/outcome.ts";
import { digestFiles } from "../../primitives/digest.ts";
import { OWN_WORKSPACE, runPlugin } from "../../testing/run-plugin.ts";
import { readBytes } from "../../testing/test-copy.ts";
import { readManifest } from "../../plugins/types/read-manifest.ts";
import type { CommandContext } from "./command.ts";
import { isolationOfProject } from "./isolation-flag.ts";
import { pathFrom } from "./paths.ts";
import { timeOf } from "./terminal-log.ts";
import { countTests, failuresOf } from "./test-text.ts";
import { printable, shorten } from "../../primitives/text.ts";

/** Test runs of `dev`, which must close it. */
export interface TestKeeper {
  /**
   * Queues a test run. Plugins run one at a time; a plugin that changes while queued runs once.
   *
   * @param serving digest of the loaded version. Tests of any other version, which may not be accepted yet, get only their own workspace.
   */
  run(plugin: string, directory: string, serving: string | undefined): void;
  /** Aborts the running tests. */
  close(): Promise<void>;
}

/**
 * Returns the permissions of test files: the flags of the run, or without flags only the files of their own empty workspace, which
 * contains nothing of the user.
 */
export function grantsOfTests(flags: Permissions): Permissions {
  return Object.keys(flags).length === 0 ? OWN_WORKSPACE : flags;
}

/** @param grants permissions of the run */
export function createTestKeeper(
  context: Pick<CommandContext, "platform" | "project" | "options" | "output" | "signal">,
  grants: Permissions,
): TestKeeper {
  const { platform, output } = context;
  const waiting = new Map<string, { readonly directory: string; readonly serving: string | undefined }>();
  const ending = new AbortController();
  const warm = createWarmSandbox(context);
  let running: Promise<void> | undefined = prepare();

  /** Starts the workers before the first save. */
  async function prepare(): Promise<void> {
    // The first run meets the same error and reports it.
    await isolationOfProject(context).then(warm.get, () => undefined);
    await runAll();
  }

  async function runAll(): Promise<void> {
    for (let [next] = waiting; next !== undefined && !ending.signal.aborted; [next] = waiting) {
      const [plugin, { directory, serving }] = next;
      waiting.delete(plugin);
      const files = await runOne(directory, serving).catch((error: unknown) => tellProblem(plugin, error));
      if (files === undefined) continue;
      for (const line of linesOf(plugin, directory, files)) output.line(line);
      output.entry(entryOf(plugin, files));
    }
    running = undefined;
  }

  /** Runs the tests of one plugin. @returns undefined if there are none, or the run was aborted */
  async function runOne(directory: string, serving: string | undefined): Promise<readonly FileOutcome[] | undefined> {
    const folder = await platform.files.realPath(directory);
    const manifest = await readManifest(platform, folder);
    // The loader reports an invalid manifest.
    if (manifest === undefined || !manifest.ok) return undefined;
    const isolation = await isolationOfProject(context);
    const sandbox = await warm.get(isolation);
    const { signal } = ending;
    const bytes = await readBytes(platform, folder);
    const isServing = bytes !== undefined && (await digestFiles(bytes)) === serving;
    const run = { platform, manifest: manifest.manifest, directory: folder, isolation, sandbox, signal, ...(bytes && { files: bytes }) };
    const files = await runPlugin({ ...run, grants: isServing ? grantsOfTests(grants) : OWN_WORKSPACE });
    return files.length === 0 || ending.signal.aborted ? undefined : files;
  }

  function tellProblem(plugin: string, error: unknown): undefined {
    // The folder was deleted in the meantime, which is a separate event.
    if (error instanceof FileError && error.code === "not_found") return;
    output.note(`Cannot run the tests of ${printable(plugin)}: ${printable(errorText(error))}`);
  }

  /** Formats a summary line and the first failures. `bascule test` shows all of them. */
  function linesOf(plugin: string, directory: string, files: readonly FileOutcome[]): readonly string[] {
    const { style, program } = output;
    const time = style.dim(timeOf(platform.clock.now()));
    const name = style.bold(printable(plugin));
    const { passed, failed } = countTests(files);
    if (failed === 0) return [`${time} ${style.green("tests")}    ${name}  ${passed} passed`];
    const failures = failuresOf(files, (_plugin, file) => `${pathFrom(platform.environment.cwd, directory)}/${file}`);
    const more = failures.length - MAX_SHOWN;
    return [
      `${time} ${style.red("tests")}    ${name}  ${passed} passed, ${style.red(`${failed} failed`)}`,
      ...failures
        .slice(0, MAX_SHOWN)
        .flatMap(({ title, error }) => [
          `${INDENT}${style.red("failed")} ${title}`,
          `${INDENT}  ${shorten(printable(error.message), MAX_MESSAGE)}`,
        ]),
      ...(more > 0 ? [`${INDENT}and ${more} more`] : []),
      `${INDENT}${style.dim(`${program} test ${printable(plugin)} shows details`)}`,
    ];
  }

  return {
    run(plugin, directory, serving) {
      waiting.set(plugin, { directory, serving });
      running ??= runAll();
    },
    async close() {
      ending.abort();
      waiting.clear();
      await running;
      await warm.close();
    },
  };
}

/** The sandbox of all test runs. Its workers stay warm between runs: starting them would take longer than most tests. */
interface WarmSandbox {
  /** Returns the sandbox, or a new one if the project's isolation has changed. */
  get(isolation: IsolationConfig): Promise<SharedSandbox>;
  close(): Promise<void>;
}

function createWarmSandbox({ platform }: Pick<CommandContext, "platform">): WarmSandbox {
  let current: { readonly key: string; readonly sandbox: SharedSandbox } | undefined;
  const close = async (): Promise<void> => {
    await current?.sandbox.close();
    current = undefined;
  };
  return {
    async get({ by, alone }) {
      const key = JSON.stringify([by, alone]);
      if (current?.key === key) return current.sandbox;
      await close();
      const onDefect = (message: string): void => platform.log.write("error", message);
      current = { key, sandbox: createSharedSandbox(openSandbox(platform, { by, alone }, { onDefect })) };
      return current.sandbox;
    },
    close,
  };
}

function entryOf(plugin: string, files: readonly FileOutcome[]): object {
  const failures = failuresOf(files, (_plugin, file) => file);
  const shown = failures.slice(0, MAX_SHOWN).map(({ title, error }) => ({ test: title, message: shorten(error.message, MAX_MESSAGE) }));
  return { type: "tests", plugin, ...countTests(files), failures: shown };
}

const INDENT = " ".repeat(9);
const MAX_SHOWN = 5;
const MAX_MESSAGE = 300;
