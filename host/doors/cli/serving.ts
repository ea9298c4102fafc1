/** Startup of commands that serve a project: creates plugin folders, and opens the socket for other commands. */

import { openSocketDoor, type SocketDoor } from "../socket/socket.ts";
import { FileError } from "../../platform/platform.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import type { LocalHost } from "./local-host.ts";
import { pathFrom } from "./paths.ts";
import { pluginRoots } from "./plugin-roots.ts";

/** Creates missing plugin folders, and prints their paths. */
export async function makeRoots({ platform, project, output }: CommandContext): Promise<void> {
  for (const root of await pluginRoots(platform, project)) {
    if ((await platform.files.stat(root)) !== undefined) continue;
    await platform.files.makeDirectory(root);
    output.line(`${output.style.green("Created")} ${pathFrom(platform.environment.cwd, root)}/: put each plugin into its own folder there`);
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
