/** A local web server that answers as a test defines, and keeps the requests. Nothing outside this machine is contacted. */

import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FakeWeb {
  readonly port: number;
  /** Base URL without a trailing slash. */
  readonly base: string;
  readonly asked: readonly Asked[];
  close(): void;
}

export interface FakeAnswer {
  /** HTTP status. Default: 200. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export async function openFakeWeb(answer: (asked: Asked) => FakeAnswer): Promise<FakeWeb> {
  const all: Asked[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const asked = { method: request.method, url: request.url, headers: request.headers, body };
      all.push(asked);
      const { status = 200, headers, body: answered } = answer(asked);
      response.writeHead(status, headers).end(answered);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has an address object.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    base: `http://127.0.0.1:${port}`,
    asked: all,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
