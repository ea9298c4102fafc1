/** HTTP servers in memory: a request goes straight to the server at its port. */

import { type HttpFetch, type HttpServers, HttpServerError } from "../network/http-types.ts";

/** Servers, and a client for them. */
export interface MemoryHttp extends HttpServers {
  /** Sends a request. @param port default: the port of the request's URL. @throws {HttpServerError} if nothing listens there */
  request(request: Request, port?: number): Promise<Response>;
}

const FIRST_FREE_PORT = 49_152;

export function createMemoryHttp(): MemoryHttp {
  const listening = new Map<number, HttpFetch>();
  return {
    async serve({ host, port: wanted, fetch }) {
      let port = wanted === 0 ? FIRST_FREE_PORT : wanted;
      while (wanted === 0 && listening.has(port)) port += 1;
      if (listening.has(port)) throw new HttpServerError("in_use", `Another program already listens on ${host}:${port}`);
      listening.set(port, fetch);
      return { host: host === "localhost" ? "127.0.0.1" : host, port, close: async () => void listening.delete(port) };
    },
    async request(request, port = portOf(request)) {
      const serve = listening.get(port);
      if (serve === undefined) throw new HttpServerError("other", `Nothing listens at port ${port}`);
      return await serve(request);
    },
  };
}

function portOf({ url }: Request): number {
  const { port } = new URL(url);
  return port === "" ? 80 : Number(port);
}
