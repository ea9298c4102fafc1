/** The running host's own socket: one listener per path, for the same user only (SPEC I2). */

import type { LocalSockets } from "../platform.ts";
import { createLineConnection } from "./line-connection.ts";
import { connectTo, HAS_PIPES, pipeName, tryConnect } from "./socket-connect.ts";

export function createSockets(): LocalSockets {
  return {
    // Loaded by who serves: most programs connect.
    listen: async (path, onConnection) => await (await import("./socket-server.ts")).listen(path, onConnection),
    async connect(path) {
      const socket = await (HAS_PIPES ? tryConnect(await pipeName(path)) : connectTo(path));
      return typeof socket === "string" ? undefined : createLineConnection(socket);
    },
  };
}
