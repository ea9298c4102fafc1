import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHost } from "../../../host/mod.ts";
import { textOf, toBytes } from "../../support/bridge-context.ts";
import { plantOnDisk } from "../../support/plant.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { failureOf, headOf, httpServer, netCall } from "../../support/hostile-server.ts";

describe("attack: a granted server redirects to a host that is not granted", () => {
  it.each([301, 302, 303, 307, 308])("checks a %i to another port, host or address like a request [C6.redirect]", async (status) => {
    const secret = await httpServer((_request, response) => response.end("secret"));
    const targets = [
      secret.origin,
      `http://2130706433:${secret.port}/`,
      `//127.0.0.1:${secret.port}/`,
      `http://[::ffff:127.0.0.1]:${secret.port}/`,
      `http://localhost:${secret.port}/`,
      "http://169.254.169.254/latest/meta-data/",
      "https://evil.test/",
    ];
    for (const location of targets) {
      const server = await httpServer((_request, response) => response.writeHead(status, { location }).end());
      const { fetch, acts } = netCall([`127.0.0.1:${server.port}`]);
      expect(failureOf(await fetch(server.origin, { method: "POST" })), location).toMatch(/^NotCapable: Requires net access to /);
      expect(acts.map(({ decision }) => decision)).toEqual(["granted", "denied"]);
    }
    expect(secret.connections()).toBe(0);
  });

  it.each(["file:///etc/passwd", "data:text/plain,x", "ftp://127.0.0.1/", "javascript:1", "blob:null/1", "unix:/run/x", "about:blank"])(
    "ends the fetch at a redirect to %s [C6.redirect]",
    async (location) => {
      const server = await httpServer((_request, response) => response.writeHead(302, { location }).end());
      const { fetch } = netCall(["127.0.0.1"]);
      expect(failureOf(await fetch(server.origin))).toBe("TypeError: Fetch failed: Can not redirect to a non HTTP(s) url");
    },
  );

  it("sends no stream twice, and does not read the body of a redirect [C6.redirect, C6.close]", async () => {
    const server = await httpServer((request, response) => {
      if (request.url === "/end") return void response.write("end");
      response.writeHead(request.method === "POST" ? 307 : 302, { location: "/end" });
      // A body that does not end.
      response.write("x".repeat(1_000_000));
    });
    const { fetch, answer } = netCall(["127.0.0.1"]);
    const streamed = fetch(server.origin, { method: "POST", body: "stream" });
    await answer("net.write", { id: 1 }, toBytes("x"));
    expect(failureOf(await streamed)).toBe("TypeError: Fetch failed: Can not redeliver a streaming request body after a redirect");
    headOf(await fetch(server.origin));
    expect(textOf(await answer("net.read", { id: 2 }))).toBe("end");
    // The last response's connection is open, that of the redirect is closed.
    await expect.poll(server.open).toBe(1);
  });

  it("ends a redirect loop after 20 [C6.redirect]", async () => {
    const server = await httpServer((_request, response) => response.writeHead(302, { location: "/" }).end());
    const { fetch } = netCall(["127.0.0.1"]);
    expect(failureOf(await fetch(server.origin))).toBe("TypeError: Fetch failed: Maximum number of redirects (20) reached");
    expect(server.connections()).toBe(21);
    await expect.poll(server.open).toBe(0);
  });

  it.each(["http://[::", "http://a b/", "http://exa%00mple/", "http://127.0.0.1:99999/", "//", "http://"])(
    "ends the fetch at a redirect to the malformed %j [C6.redirect]",
    async (location) => {
      const server = await httpServer((_request, response) => response.writeHead(302, { location }).end());
      const { fetch } = netCall(true);
      const { fetch: fetchGranted } = netCall(["127.0.0.1"]);
      expect(failureOf(await fetchGranted(server.origin))).toMatch(/^TypeError: Invalid URL/);
      expect(failureOf(await fetch(server.origin))).toMatch(/^NotCapable/);
    },
  );
});

describe("attack: a granted server redirects a plugin, so that the user grants the target", () => {
  it("hints at no private target; hints at public ones, and at those that the plugin named itself [X3.led]", async () => {
    const places = [
      "http://169.254.169.254/latest/",
      "http://127.0.0.2:1/",
      "http://[::1]:1/",
      "http://printer/",
      "http://db.internal/",
      "https://evil.test/",
    ];
    const server = await httpServer((request, response) =>
      response.writeHead(302, { location: places[Number(request.url?.slice(1))] ?? "/" }).end(),
    );
    const folder = await temporaryFolder();
    const tools = [
      { name: "visit", description: "Visits", sideEffects: ["network"], inputSchema: { type: "object", properties: { url: {} } } },
    ];
    const manifest = { schemaVersion: "1.0", name: "led", version: "1.0.0", description: "Visits", permissions: { net: true }, tools };
    await plantOnDisk(join(folder, "led/manifest.json"), JSON.stringify(manifest));
    await plantOnDisk(
      join(folder, "led/main.ts"),
      "export async function visit({ url }) { return (await fetch(url)).status; } // redirect-to-private\n",
    );
    await using host = await createHost({
      ...{ config: false, plugins: folder, workspace: folder },
      grants: { led: { net: [`127.0.0.1:${server.port}`] } },
      policy: { rules: [{ plugin: "led", confirm: "auto" }] },
    });
    const offered = async (url: string): Promise<unknown> => {
      const result = await host.call("visit", { url });
      return result.ok ? result : result.error.hint?.grant;
    };
    for (const [index, place] of places.slice(0, -1).entries())
      expect([place, await offered(`${server.origin}/${index}`)]).toEqual([place, undefined]);
    expect(await offered(`${server.origin}/${places.length - 1}`)).toEqual({ plugin: "led", permissions: { net: ["evil.test:443"] } });
    expect(await offered("http://169.254.169.254/latest/")).toEqual({ plugin: "led", permissions: { net: ["169.254.169.254:80"] } });
  });
});
