/** The server that the soak's plugins fetch from. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts the server. `/echo/<text>` answers with the text; `/never` does not answer. */
export async function startLocalServer(): Promise<LocalServer> {
  const server: Server = createServer((request, response) => {
    const { url = "" } = request;
    if (url.startsWith("/echo/")) response.end(url.slice("/echo/".length));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The address of a TCP server is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
