/** HTTP servers in memory: a request goes straight to what is served at its port. */

import { type HttpFetch, type HttpServers, HttpServerError } from "./http-types.ts";

/** Servers, and the client that reaches them. */
export interface MemoryHttp extends HttpServers {
  /** @throws {HttpServerError} if nothing listens at the request's port */
  request(request: Request): Promise<Response>;
}

const FIRST_FREE_PORT = 49_152;

export function createMemoryHttp(): MemoryHttp {
  const listening = new Map<number, HttpFetch>();
  return {
    async serve({ host, port: wanted, fetch }) {
      let port = wanted === 0 ? FIRST_FREE_PORT : wanted;
      while (wanted === 0 && listening.has(port)) port += 1;
      if (listening.has(port)) throw new HttpServerError("in_use", `Another program listens on ${host}:${port} already`);
      listening.set(port, fetch);
      return { host: host === "localhost" ? "127.0.0.1" : host, port, close: async () => void listening.delete(port) };
    },
    async request(request) {
      const { port } = new URL(request.url);
      const serve = listening.get(port === "" ? 80 : Number(port));
      if (serve === undefined) throw new HttpServerError("other", `Nothing listens at ${request.url}`);
      // What a client puts into every request, and the class of requests keeps to itself.
      const fields = new Headers(request.headers);
      if (!fields.has("host")) fields.set("host", new URL(request.url).host);
      return await serve(new Request(request, { headers: fields }));
    },
  };
}
