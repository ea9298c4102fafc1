/** Startup of commands that serve a project: creates plugin folders, and opens the socket for other commands. */

import { openSocketDoor, type SocketDoor } from "../socket/socket.ts";
import { FileError } from "../../platform/platform.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import type { LocalHost } from "./local-host.ts";
import { pathFrom } from "./paths.ts";
import { pluginRoots } from "./plugin-roots.ts";

/** Creates missing plugin folders, and prints their paths. @throws {CliError} if a file is in the place of one */
export async function makeRoots({ platform, project, output }: CommandContext): Promise<void> {
  for (const root of await pluginRoots(platform, project)) {
    const shown = pathFrom(platform.environment.cwd, root);
    const found = await platform.files.stat(root);
    if (found !== undefined && found.kind !== "directory")
      throw new CliError("not_a_folder", `"${shown}" is a file, not the folder that holds the plugins`, {
        hints: ['Move it away, or name another folder under "plugins" in bascule.json'],
      });
    if (found !== undefined) continue;
    await platform.files.makeDirectory(root);
    output.line(`${output.style.green("Created")} ${shown}/: put each plugin into its own folder there`);
  }
}

/** Opens the socket. @throws {CliError} if a host is already running in this project */
export async function openDoor({ platform, project, output }: CommandContext, host: LocalHost): Promise<SocketDoor> {
  try {
    return await openSocketDoor({ platform, stateDirectory: project.stateDirectory, open: () => host.openSession() });
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "already_exists") throw error;
    throw new CliError("running", "A host is already running in this project", {
      exitCode: EXIT.unavailable,
      hints: [`${output.program} list shows its plugins; stop it with Ctrl-C in its terminal to start another`],
    });
  }
}
