/** `bascule dev`: serves the project's plugins, reloads them at every edit, and shows what happens. */

import type { HostEvent } from "../../../audit/events.ts";
import type { ToolResult } from "../../../call/call.ts";
import type { PluginView } from "../../operations.ts";
import type { SocketDoor } from "../../socket/socket.ts";
import type { Command, CommandContext } from "../command.ts";
import { createConsentPrompts } from "../consent-prompt.ts";
import { EXIT } from "../exit-codes.ts";
import { FROZEN_OPTION } from "../frozen-flag.ts";
import { createTestKeeper, type TestKeeper } from "../keep-tests.ts";
import { createTypesKeeper, type TypesKeeper } from "../keep-types.ts";
import { liveLines } from "../live-lines.ts";
import { type LocalHost, openLocalHost } from "../local-host.ts";
import { ISOLATION_OPTION } from "../isolation-flag.ts";
import { permissionsOfRun, RUN_OPTIONS } from "../permission-set.ts";
import type { ReaderPlace } from "../plugin-text.ts";
import { makeRoots, openDoor } from "../serving.ts";
import { startScreen } from "../start-screen.ts";
import { askForTrust } from "../trust.ts";

export const devCommand: Command = {
  name: "dev",
  summary: "Serve the plugins here, and reload them at every edit",
  usage: "dev",
  details: [
    "Other commands find it through .bascule/host.sock and are answered by it.",
    "At every reload of a plugin it writes the plugin's types, as `types` does, and runs its cases and tests, as `test` does.",
    "An error shows the line of the code or of the manifest that it is at, also one that a tool throws in a call.",
    "Permission flags hold for this run and for every plugin, within what each one asks for.",
    "With --json it writes a JSON value a line: first what is there, then the host's events, and `types` and `tests` as they are done.",
  ],
  examples: ["dev", "dev --allow-read=. --deny-read=.env", "dev --no-tests"],
  positionals: { min: 0, max: 0 },
  options: [{ name: "no-tests", about: "Do not run cases and tests at every reload" }, ...RUN_OPTIONS, ISOLATION_OPTION, FROZEN_OPTION],
  run: dev,
};

async function dev(context: CommandContext): Promise<number> {
  const { platform, output, options, signal } = context;
  const oneRun = await permissionsOfRun(options, platform);
  await askForTrust(context);
  await makeRoots(context);
  const host = await openLocalHost(context, oneRun, { watch: true });
  const tests = options.has("no-tests") ? undefined : createTestKeeper(context, oneRun);
  let door: SocketDoor | undefined;
  try {
    door = await openDoor(context, host);
    const status = await host.operations.status();
    const place = { cwd: platform.environment.cwd, workspace: status.workspace };
    const plugins = await host.operations.list();
    for (const line of startScreen(status, plugins, output, place)) output.line(line);
    output.entry({ type: "ready", status, plugins });
    await showEvents(context, host, { place, ...(tests !== undefined && { tests }) });
    if (signal.aborted) output.note(output.style.dim("\nFinishing what runs; Ctrl-C again ends at once"));
  } finally {
    await tests?.close();
    // The host first: calls that still run are answered through the door.
    await host.close();
    await door?.close();
  }
  return EXIT.ok;
}

/** Shows events as they come, and keeps the types of what they are about, until Ctrl-C. */
async function showEvents(
  context: CommandContext,
  host: LocalHost,
  { place, tests }: { readonly place: ReaderPlace; readonly tests?: TestKeeper },
): Promise<void> {
  const { platform, output, signal } = context;
  const prompts = createConsentPrompts(context, host.operations);
  const events = host.events();
  const end = (): void => void events.return?.();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const keepTypes = createTypesKeeper(platform, output);
  const options = {
    output,
    place,
    operations: host.operations,
    files: platform.files,
    result: (id: string) => resultOf(id, context, host),
  };
  const plugin = async (name: string): Promise<PluginView | undefined> => (await host.operations.list()).find((view) => view.name === name);
  for (const view of await host.operations.list()) {
    await typesOf(view, keepTypes);
    if (view.held !== undefined) prompts?.ask(view.name, view.held);
  }
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const event = next.value;
    for (const line of await liveLines(event, { ...options, plugin })) output.line(line);
    output.entry(event);
    // What happens meanwhile waits in the events' own buffer, which is bounded.
    await platform.terminal.drained(signal);
    prompts?.hear(event);
    if (!CHANGES_MANIFEST.has(event.type)) continue;
    const view = await plugin(event.plugin ?? "");
    await typesOf(view, keepTypes);
    if (event.type !== "plugin.failed" && view?.directory !== undefined)
      tests?.run(view.name, view.directory, view.state === "loaded" && view.held === undefined ? view.digest : undefined);
  }
  await prompts?.ended();
}

/** Also a version that does not load or waits for consent has a manifest, which is the one that its author works on. */
const CHANGES_MANIFEST: ReadonlySet<HostEvent["type"]> = new Set([
  "plugin.loaded",
  "plugin.reloaded",
  "plugin.failed",
  "plugin.quarantined",
] as const);

/** Its caller has it moments after the event, and what it says of the place is worth that wait, not more. */
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

async function typesOf(view: PluginView | undefined, keepTypes: TypesKeeper): Promise<void> {
  if (view?.directory !== undefined && view.state !== "ignored") await keepTypes(view.name, view.directory);
}
