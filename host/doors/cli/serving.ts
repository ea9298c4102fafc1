/** What commands that serve a project begin with: its plugin folders, and the socket at which other commands find the host. */

import { openSocketDoor, type SocketDoor } from "../socket/socket.ts";
import { FileError } from "../../platform/platform.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import type { LocalHost } from "./local-host.ts";
import { pathFrom } from "./paths.ts";
import { pluginRoots } from "./plugin-roots.ts";

/** Creates the plugin folders that are not there, and says so. */
export async function makeRoots({ platform, project, output }: CommandContext): Promise<void> {
  for (const root of await pluginRoots(platform, project)) {
    if ((await platform.files.stat(root)) !== undefined) continue;
    await platform.files.makeDirectory(root);
    output.line(
      `${output.style.green("Created")} ${pathFrom(platform.environment.cwd, root)}/: plugins go there, each in a folder of its own`,
    );
  }
}

/** @throws {CliError} if a host runs in this project already. */
export async function openDoor({ platform, project, output }: CommandContext, host: LocalHost): Promise<SocketDoor> {
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
