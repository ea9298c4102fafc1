/** `bascule test`: runs the cases and test files of plugins in the sandbox. */

import { problemToText } from "../../../../manifests/mod.ts";
import type { FileOutcome } from "../../../testing/outcome.ts";
import { runPlugin } from "../../../testing/run-plugin.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findPlugins, type NamedFolder, shownFolder } from "../find-plugins.ts";
import { isolationOfProject } from "../isolation-flag.ts";
import { grantsOfTests } from "../keep-tests.ts";
import { withProgress } from "../long-work.ts";
import { PERMISSION_OPTIONS } from "../permission-flags.ts";
import { permissionsFromFlags } from "../read-permission-flags.ts";
import { countTests, createTestLines, summaryLines } from "../test-text.ts";
import { printable } from "../../../primitives/text.ts";

export const testCommand: Command = {
  name: "test",
  summary: "Run the cases and tests of plugins in the sandbox",
  usage: "test [plugin...]",
  words: ["plugin"],
  details: [
    "Runs `cases/*.json`, and the `Deno.test` tests in files named `*_test.ts` or `*.test.ts` (or .js, .mjs), each file in an empty workspace.",
    "A case states its own grants. Without `answers`, they are limited to its own workspace and the permission flags of this run.",
    "Test files get the permissions of the flags, within what the manifest requests. Without flags, they can use the files in their own empty workspace and the copy of the plugin in it.",
    "The test files also run under `deno test`. As there, sanitizers are off unless a test or a flag enables them.",
  ],
  examples: ["test", "test web --allow-net=localhost:8080", "test math --filter sqrt"],
  options: [
    { name: "filter", value: "text", about: "Run only tests whose name contains the text, or matches /a regular expression/" },
    { name: "sanitize-ops", about: "Fail tests that leave a timer or an operation behind" },
    { name: "sanitize-resources", about: "Fail tests that leave a file open" },
    ...PERMISSION_OPTIONS,
  ],
  run: test,
};

async function test(context: CommandContext): Promise<number> {
  const { platform, options, output, positionals, signal } = context;
  const grants = grantsOfTests(permissionsFromFlags(options, platform.environment));
  const filter = checkFilter(options.value("filter"));
  const plugins = await findPlugins(context, positionals);
  const isolation = await isolationOfProject(context);
  const began = platform.clock.monotonic();
  const shown = showFiles(context, plugins);
  const lines = createTestLines(output.style, shown);
  const files: FileOutcome[] = [];
  await withProgress(context, "Testing", async (report) => {
    for (const [index, plugin] of plugins.entries()) {
      if (signal.aborted) break;
      report({ progress: index, total: plugins.length, message: plugin.name });
      if (!plugin.manifest.ok) {
        files.push(badManifest(plugin));
        continue;
      }
      const outcomes = await runPlugin({
        ...{ platform, manifest: plugin.manifest.manifest, directory: plugin.directory, grants, signal },
        ...{ sanitizeOps: options.has("sanitize-ops"), sanitizeResources: options.has("sanitize-resources") },
        ...(filter !== undefined && { filter }),
        isolation,
        onEvent: (event) => lines(event).forEach((line) => output.line(line)),
      });
      if (outcomes.length === 0) output.note(`${printable(plugin.name)} has neither cases nor tests (cases/*.json, *_test.ts)`);
      files.push(...outcomes);
    }
  });
  const ms = platform.clock.monotonic() - began;
  for (const line of summaryLines(files, ms, output.style, shown)) output.line(line);
  const counts = countTests(files);
  const ok = counts.failed === 0 && !files.some(({ usedOnly }) => usedOnly) && !signal.aborted;
  output.document({ ok, ...counts, ms, files });
  if (signal.aborted) return EXIT.interrupted;
  return ok ? EXIT.ok : EXIT.failed;
}

/** Checks the filter up front: an invalid regular expression would otherwise fail in every file. */
function checkFilter(filter: string | undefined): string | undefined {
  const expression = filter === undefined ? undefined : /^\/(.+)\/$/.exec(filter)?.[1];
  try {
    if (expression !== undefined) new RegExp(expression);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw usageError(`The filter is not a regular expression: ${error.message}`);
  }
  return filter;
}

function showFiles(context: CommandContext, plugins: readonly NamedFolder[]): (plugin: string, file: string) => string {
  const folders = new Map(plugins.map((plugin) => [plugin.name, shownFolder(context, plugin)]));
  return (plugin, file) => `${folders.get(plugin) ?? plugin}/${file}`;
}

function badManifest({ name, manifest }: NamedFolder): FileOutcome {
  const problems = manifest.ok ? [] : manifest.problems.map(problemToText);
  const error = { message: `Invalid manifest\n${problems.join("\n")}`, stack: "" };
  return { plugin: name, file: "manifest.json", kind: "tests", results: [], filtered: 0, usedOnly: false, error };
}
