/** Makes the running host of the project, if any, check for changes. */

import { connectToHost } from "../socket/socket-client.ts";
import type { CommandContext } from "./command.ts";

export async function reloadRunning({ platform, project }: Pick<CommandContext, "platform" | "project">): Promise<void> {
  const running = await connectToHost(platform, project.stateDirectory);
  await running?.operations.reload();
  running?.close();
}
