/** The server that plugins fetch from: `/now`, `/later` (after 50 ms), `/large` (7 MB), `/never`. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const LATER_MS = 50;

export interface LocalServer extends AsyncDisposable {
  readonly url: string;
}

export async function startLocalServer(): Promise<LocalServer> {
  const large = new Uint8Array(7 << 20).fill(0x61);
  const server = createServer((request, response) => {
    if (request.url === "/now") response.end("now");
    else if (request.url === "/later") setTimeout(() => response.end("later"), LATER_MS);
    else if (request.url === "/large") response.end(large);
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
