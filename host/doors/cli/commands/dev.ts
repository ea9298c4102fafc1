/** `bascule dev`: serves the project's plugins, reloads them on every edit, and shows events. */

import type { HostEvent } from "../../../audit/events.ts";
import type { ToolResult } from "../../../call/call.ts";
import type { PluginView } from "../../operations.ts";
import type { SocketDoor } from "../../socket/socket.ts";
import type { Command, CommandContext } from "../command.ts";
import { createCallPrompts } from "../call-prompts.ts";
import { createConsentPrompts } from "../consent-prompt.ts";
import { EXIT } from "../exit-codes.ts";
import { startProject } from "../fresh-project.ts";
import { FROZEN_OPTION } from "../frozen-flag.ts";
import { createTestKeeper, type TestKeeper } from "../keep-tests.ts";
import { createManifestKeeper, type ManifestKeeper } from "../keep-manifest.ts";
import { createTypesKeeper, type TypesKeeper } from "../keep-types.ts";
import { liveLines } from "../live-lines.ts";
import { timeOf } from "../terminal-log.ts";
import { createLiveRegion } from "../live-region.ts";
import { type LocalHost, openLocalHost } from "../local-host.ts";
import { ISOLATION_OPTION } from "../isolation-flag.ts";
import { RUN_OPTIONS } from "../permission-flags.ts";
import { permissionsOfRun } from "../permission-set.ts";
import type { ReaderPlace } from "../plugin-text.ts";
import { makeRoots, openDoor } from "../serving.ts";
import { createRunningCalls } from "../running-calls.ts";
import type { Output } from "../output.ts";
import { startScreen } from "../start-screen.ts";
import { askForTrust } from "../trust.ts";

export const devCommand: Command = {
  name: "dev",
  summary: "Serve the project's plugins and reload them on every edit",
  usage: "dev",
  details: [
    "In a folder without plugins/ and bascule.json, starts a project as `init` does.",
    "Other commands connect to this host through .bascule/host.sock.",
    "On each reload, writes the plugin's types as `types` does, and runs its cases and tests as `test` does.",
    'Keeps the tools of a manifest with "toolsFrom": "code" in step with the code, as `manifest --write` does.',
    "Errors show the source line in the code or the manifest, including errors that a tool throws during a call.",
    "Shows one line for each call, and on a terminal the progress of running calls below it.",
    "Asks on the terminal about calls that wait for confirmation. If a call requests a permission, the answer a (always) also grants the plugin exactly what is shown.",
    "Permission flags apply to this run and to every plugin, within what each one requests.",
    "With --json, writes one JSON value per line: first the status, then the host's events and the results of `types` and `tests`.",
  ],
  examples: ["dev", "dev --allow-read=. --deny-read=.env", "dev --no-tests"],
  positionals: { min: 0, max: 0 },
  options: [{ name: "no-tests", about: "Do not run cases and tests on reload" }, ...RUN_OPTIONS, ISOLATION_OPTION, FROZEN_OPTION],
  run: dev,
};

async function dev(given: CommandContext): Promise<number> {
  const context = { ...given, output: onOneStream(given.output) };
  const { platform, output, options, signal } = context;
  const oneRun = await permissionsOfRun(options, platform);
  await askForTrust(context);
  await startProject(context, false);
  await makeRoots(context);
  const host = await openLocalHost(context, oneRun, { watch: true });
  let tests: TestKeeper | undefined;
  let door: SocketDoor | undefined;
  try {
    door = await openDoor(context, host);
    const status = await host.operations.status();
    const place = { cwd: platform.environment.cwd, workspace: status.workspace };
    const plugins = await host.operations.list();
    for (const line of startScreen(status, plugins, output, place)) output.line(line);
    output.entry({ type: "ready", status, plugins });
    if (!options.has("no-tests")) tests = createTestKeeper(context, oneRun);
    await showEvents(context, host, { place, ...(tests !== undefined && { tests }) });
    if (signal.aborted) output.note(output.style.dim("\nWaiting for running calls; press Ctrl-C again to exit now"));
  } finally {
    await tests?.close();
    // Close the host first: running calls are answered through the door.
    await host.close();
    await door?.close();
  }
  return EXIT.ok;
}

/** Writes all lines to stderr if a live line is shown there: the two streams are not ordered with each other. */
function onOneStream(output: Output): Output {
  return output.live === undefined ? output : { ...output, line: (text = "") => output.note(text) };
}

/** Shows events and keeps the types of changed plugins up to date, until Ctrl-C. */
async function showEvents(
  context: CommandContext,
  host: LocalHost,
  { place, tests }: { readonly place: ReaderPlace; readonly tests?: TestKeeper },
): Promise<void> {
  const { platform, output, signal } = context;
  const { operations } = host;
  const region = createLiveRegion(context, (text) => output.note(`${output.style.dim(timeOf(platform.clock.now()))} progress ${text}`));
  const prompts = createConsentPrompts(context, { operations, region });
  const confirmations = createCallPrompts(context, { operations, region, place });
  const events = host.events();
  const end = (): void => void events.return?.();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const keepTypes = createTypesKeeper(platform, output);
  const keepManifest = createManifestKeeper(platform, output, signal);
  const options = {
    output,
    place,
    operations,
    calls: createRunningCalls(region),
    files: platform.files,
    result: (id: string) => resultOf(id, context, host),
  };
  const plugin = async (name: string): Promise<PluginView | undefined> => (await host.operations.list()).find((view) => view.name === name);
  for (const view of await host.operations.list()) {
    await isRewritten(view, keepManifest);
    await typesOf(view, keepTypes);
    if (view.held !== undefined) prompts?.ask(view.name, view.held);
  }
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const event = next.value;
    for (const line of await liveLines(event, { ...options, plugin })) output.line(line);
    output.entry(event);
    // Events that arrive in the meantime wait in the event stream's bounded buffer.
    await platform.terminal.drained(signal);
    prompts?.hear(event);
    confirmations?.hear(event);
    if (!CHANGES_MANIFEST.has(event.type)) continue;
    const view = await plugin(event.plugin ?? "");
    // The reload that follows shows the types and the tests.
    if (await isRewritten(view, keepManifest)) continue;
    await typesOf(view, keepTypes);
    if (event.type !== "plugin.failed" && view?.directory !== undefined)
      tests?.run(view.name, view.directory, view.state === "loaded" && view.held === undefined ? view.digest : undefined);
  }
  await keepManifest.close();
  await prompts?.ended();
  await confirmations?.ended();
}

/** Failed and quarantined versions are included: they have a manifest too, and it is the one that the author is editing. */
const CHANGES_MANIFEST: ReadonlySet<HostEvent["type"]> = new Set([
  "plugin.loaded",
  "plugin.reloaded",
  "plugin.failed",
  "plugin.quarantined",
] as const);

/** Waits up to one second for the call's result, which is available shortly after its event. It holds the stack of the error. */
async function resultOf(callId: string, { platform, signal }: CommandContext, { host }: LocalHost): Promise<ToolResult | undefined> {
  for (let look = 0; look < LOOKS && !signal.aborted; look += 1) {
    const result = host.result(callId);
    if (result !== undefined) return result;
    await new Promise<void>((resolve) => void platform.clock.after(LOOK_MS, resolve));
  }
  return undefined;
}

const LOOKS = 50;
const LOOK_MS = 20;

async function isRewritten(view: PluginView | undefined, keepManifest: ManifestKeeper): Promise<boolean> {
  return view?.directory !== undefined && view.state !== "ignored" && (await keepManifest.keep(view.name, view.directory));
}

async function typesOf(view: PluginView | undefined, keepTypes: TypesKeeper): Promise<void> {
  if (view?.directory !== undefined && view.state !== "ignored") await keepTypes(view.name, view.directory);
}
