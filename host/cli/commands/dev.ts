/** `bascule dev`: serves the project's plugins, reloads them at every edit, and shows what happens. */

import type { HostEvent } from "../../audit/events.ts";
import type { PluginView } from "../../doors/operations.ts";
import type { SocketDoor } from "../../doors/socket.ts";
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

export const devCommand: Command = {
  name: "dev",
  summary: "Serve the plugins here, and reload them at every edit",
  usage: "dev",
  details: [
    "Other commands find it through .bascule/host.sock and are answered by it.",
    "Writes the types of each plugin at every reload, as `types` does.",
    "Permission flags hold for this run and for every plugin, within what each one asks for.",
  ],
  examples: ["dev", "dev --allow-read=. --deny-read=.env", "dev --test"],
  positionals: { min: 0, max: 0 },
  options: [
    { name: "test", about: "Run the cases and tests of a plugin again at every reload" },
    ...RUN_OPTIONS,
    ISOLATION_OPTION,
    FROZEN_OPTION,
  ],
  run: dev,
};

async function dev(context: CommandContext): Promise<number> {
  const { platform, output, options, signal } = context;
  const oneRun = await permissionsOfRun(options, platform);
  await makeRoots(context);
  const host = await openLocalHost(context, oneRun, { watch: true });
  const tests = options.has("test") ? createTestKeeper(context, oneRun) : undefined;
  let door: SocketDoor | undefined;
  try {
    door = await openDoor(context, host);
    const status = await host.operations.status();
    const place = { cwd: platform.environment.cwd, workspace: status.workspace };
    const plugins = await host.operations.list();
    for (const line of startScreen(status, plugins, output, place)) output.line(line);
    output.document({ ok: true, status, plugins });
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
  const keepTypes = createTypesKeeper(platform, output.style);
  const plugin = async (name: string): Promise<PluginView | undefined> => (await host.operations.list()).find((view) => view.name === name);
  for (const view of await host.operations.list()) {
    for (const line of await typeLines(view, keepTypes)) output.line(line);
    if (view.held !== undefined) prompts?.ask(view.name, view.held);
  }
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const event = next.value;
    for (const line of await liveLines(event, { output, place, plugin })) output.line(line);
    prompts?.hear(event);
    if (!CHANGES_MANIFEST.has(event.type)) continue;
    const view = await plugin(event.plugin ?? "");
    for (const line of await typeLines(view, keepTypes)) output.line(line);
    if (event.type !== "plugin.failed" && view?.directory !== undefined) tests?.run(view.name, view.directory);
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

async function typeLines(view: PluginView | undefined, keepTypes: TypesKeeper): Promise<readonly string[]> {
  return view?.directory === undefined || view.state === "ignored" ? [] : await keepTypes(view.name, view.directory);
}
