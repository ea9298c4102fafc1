/** `bascule dev`: serves the project's plugins, reloads them at every edit, and shows what happens. */

import type { PluginView } from "../../doors/operations.ts";
import { openSocketDoor, type SocketDoor } from "../../doors/socket.ts";
import { FileError } from "../../platform/platform.ts";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { liveLines } from "../live-lines.ts";
import { type LocalHost, openLocalHost } from "../local-host.ts";
import { pathFrom } from "../paths.ts";
import { PERMISSION_OPTIONS, permissionsFromFlags } from "../permission-flags.ts";
import { pluginRoots } from "../plugin-roots.ts";
import type { ReaderPlace } from "../plugin-text.ts";
import { startScreen } from "../start-screen.ts";

export const devCommand: Command = {
  name: "dev",
  summary: "Serve the plugins here, and reload them at every edit",
  usage: "dev",
  details: [
    "Other commands find it through .bascule/host.sock and are answered by it.",
    "Permission flags hold for this run and for every plugin, within what each one asks for.",
  ],
  examples: ["dev", "dev --allow-read=. --deny-read=.env"],
  positionals: { min: 0, max: 0 },
  options: PERMISSION_OPTIONS,
  run: dev,
};

async function dev(context: CommandContext): Promise<number> {
  const { platform, output, options, signal } = context;
  const oneRun = permissionsFromFlags(options, platform.environment);
  await makeRoots(context);
  const host = await openLocalHost(context, oneRun, { watch: true });
  let door: SocketDoor | undefined;
  try {
    door = await openDoor(context, host);
    const status = await host.operations.status();
    const place = { cwd: platform.environment.cwd, workspace: status.workspace };
    const plugins = await host.operations.list();
    for (const line of startScreen(status, plugins, output, place)) output.line(line);
    output.document({ ok: true, status, plugins });
    await showEvents(context, host, place);
    if (signal.aborted) output.note(output.style.dim("\nFinishing what runs; Ctrl-C again ends at once"));
  } finally {
    // The host first: calls that still run are answered through the door.
    await host.close();
    await door?.close();
  }
  return EXIT.ok;
}

/** Creates the plugin folders that are not there, and says so. */
async function makeRoots({ platform, project, output }: CommandContext): Promise<void> {
  for (const root of await pluginRoots(platform, project)) {
    if ((await platform.files.stat(root)) !== undefined) continue;
    await platform.files.makeDirectory(root);
    output.line(
      `${output.style.green("Created")} ${pathFrom(platform.environment.cwd, root)}/: plugins go there, each in a folder of its own`,
    );
  }
}

async function openDoor({ platform, project, output }: CommandContext, host: LocalHost): Promise<SocketDoor> {
  try {
    return await openSocketDoor({ platform, stateDirectory: project.stateDirectory, open: () => host.openSession() });
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "already_exists") throw error;
    throw new CliError("running", "A host runs in this project already", {
      exitCode: EXIT.unavailable,
      hints: [`${output.program} list shows what it serves; end it with Ctrl-C in its terminal to start another`],
    });
  }
}

/** Shows events as they come, until Ctrl-C. */
async function showEvents({ output, signal }: CommandContext, host: LocalHost, place: ReaderPlace): Promise<void> {
  const events = host.events();
  const end = (): void => void events.return?.();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const plugin = async (name: string): Promise<PluginView | undefined> => (await host.operations.list()).find((view) => view.name === name);
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    for (const line of await liveLines(next.value, { output, place, plugin })) output.line(line);
  }
}
