import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { headOf, httpServer, netCall } from "../../support/hostile-server.ts";

const SECRETS = ["authorization", "Bearer x", "cookie", "a=b", "proxy-authorization", "y", "x-api", "kept"];

describe("attack: a redirect that collects credentials", () => {
  it("gets none at another origin, not even after a redirect back to the first [C6.credentials]", async () => {
    const seen: IncomingHttpHeaders[] = [];
    const other = await httpServer((request, response) => {
      seen.push(request.headers);
      response.writeHead(302, { location: `${first.origin}/back` }).end();
    });
    const first = await httpServer((request, response) => {
      seen.push(request.headers);
      if (request.url === "/back") response.end();
      else response.writeHead(307, { location: `${other.origin}/` }).end();
    });
    const { fetch } = netCall(["127.0.0.1"]);
    headOf(await fetch(`${first.origin}/`, { headers: SECRETS }));
    expect(seen.map((headers) => [headers.authorization, headers.cookie, headers["x-api"]])).toEqual([
      ["Bearer x", "a=b", "kept"],
      [undefined, undefined, "kept"],
      [undefined, undefined, "kept"],
    ]);
    expect(seen.every((headers) => headers["proxy-authorization"] === undefined)).toBe(true);
  });

  it("gets them at the same origin [C6.credentials]", async () => {
    const seen: (string | undefined)[] = [];
    const server = await httpServer((request, response) => {
      seen.push(request.headers.authorization);
      if (request.url === "/") response.writeHead(302, { location: "/next" });
      response.end();
    });
    const { fetch } = netCall(["127.0.0.1"]);
    headOf(await fetch(`http://us:p%40w@127.0.0.1:${server.port}/`));
    const basic = `Basic ${btoa("us:p@w")}`;
    expect(seen).toEqual([basic, basic]);
  });

  it("cannot put its own credentials into the next URL [C6.credentials]", async () => {
    const seen: (string | undefined)[] = [];
    const server = await httpServer((request, response) => {
      seen.push(request.headers.authorization);
      if (request.url === "/") response.writeHead(302, { location: `http://evil:x@127.0.0.1:${server.port}/next` });
      response.end();
    });
    const { fetch } = netCall(["127.0.0.1"]);
    expect(headOf(await fetch(server.origin))).toMatchObject({ url: `${server.origin}/next` });
    expect(seen).toEqual([undefined, undefined]);
  });
});
