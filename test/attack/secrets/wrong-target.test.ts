import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { toBytes, valueOf } from "../../support/bridge-context.ts";
import {
  CERTIFICATE,
  failureOf,
  type FetchWish,
  headOf,
  httpServer,
  httpsServer,
  type NetCall,
  netCall,
  type TestServer,
} from "../../support/hostile-server.ts";

const VALUE = "s3cret/Value+1";
const NET = ["127.0.0.1", "secure.test", "other.test"];

interface Call extends NetCall {
  readonly key: string;
}

/** Creates a call that holds the placeholder of a secret bound to these hosts. */
async function callWith(hosts: readonly string[]): Promise<Call> {
  const call = netCall(NET, {
    resolve: async () => ["127.0.0.1"],
    ca: CERTIFICATE,
    env: { allow: [{ name: "KEY", secret: true, hosts }], values: { KEY: VALUE } },
  });
  return { ...call, key: valueOf(await call.answer("env.get", { name: "KEY" })) };
}

interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Records the requests it gets. */
async function recorder(start: typeof httpServer | typeof httpsServer = httpServer): Promise<TestServer & { readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = await start((request, response) => {
    let body = "";
    request.setEncoding("latin1");
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      seen.push({ url: request.url ?? "", headers: request.headers, body });
      response.end("ok");
    });
  });
  return { ...server, seen };
}

type Attempt = (key: string) => { readonly path?: string; readonly wish?: FetchWish; readonly bytes?: Uint8Array; readonly user?: string };

const PLACES: readonly (readonly [string, Attempt])[] = [
  ["a header", (key) => ({ wish: { headers: ["x-key", `Token ${key}`] } })],
  ["Basic credentials", (key) => ({ wish: { headers: ["authorization", `Basic ${btoa(`user:${key}`)}`] } })],
  ["the URL's user and password", (key) => ({ user: `user:${key}@` })],
  ["the query", (key) => ({ path: `/?a=1&key=${key}` })],
  ["the path", (key) => ({ path: `/bot${key}/send` })],
  ["the body", (key) => ({ wish: { method: "POST", body: "bytes" }, bytes: toBytes(`key is ${key}`) })],
];

describe("attack: a secret sent to a host that it is not bound to", () => {
  it.each(PLACES)("arrives in %s at the host that it is bound to [C7.bound]", async (_, attempt) => {
    const server = await recorder(httpsServer);
    const { fetch, key } = await callWith([`secure.test:${server.port}`]);
    const { path = "/", wish: options, bytes, user = "" } = attempt(key);
    headOf(await fetch(`https://${user}secure.test:${server.port}${path}`, options, bytes));
    const [{ url, headers, body } = { url: "", headers: {}, body: "" }] = server.seen;
    const basic = atob((headers.authorization ?? "").replace("Basic ", ""));
    expect([decodeURIComponent(url), headers["x-key"], basic, body].join(" ")).toContain(VALUE);
    expect(JSON.stringify(server.seen)).not.toContain("bascule_secret");
  });

  it.each(PLACES)(
    "is refused in %s to another host, another port and over http, before anything is sent [C7.bound]",
    async (_, attempt) => {
      const plain = await recorder();
      const secure = await recorder(httpsServer);
      const { fetch, key, acts } = await callWith([`secure.test:${secure.port}`, `other.test:${plain.port}`]);
      const { path = "/", wish: options, bytes, user = "" } = attempt(key);
      const bound = `it is bound to secure.test:${secure.port}, other.test:${plain.port}`;
      for (const [origin, problem] of [
        [`https://${user}127.0.0.1:${secure.port}`, `"127.0.0.1:${secure.port}": ${bound}`],
        [`http://${user}secure.test:${plain.port}`, `"secure.test:${plain.port}": ${bound}`],
        [`http://${user}other.test:${plain.port}`, `"other.test:${plain.port}" over http: it is sent over https only`],
      ] as const) {
        expect(failureOf(await fetch(`${origin}${path}`, options, bytes))).toContain(`NotCapable: Secret "KEY" may not go to ${problem}`);
      }
      expect([plain.connections(), secure.connections()]).toEqual([0, 0]);
      expect(acts.at(-1)).toMatchObject({ decision: "denied", permission: "env", value: "KEY", layer: "secret" });
    },
  );

  it("may be sent over http to this machine itself [C7.bound]", async () => {
    const server = await recorder();
    const { fetch, key } = await callWith(["127.0.0.1"]);
    headOf(await fetch(server.origin, { headers: ["x-key", key] }));
    expect(server.seen[0]?.headers["x-key"]).toBe(VALUE);
  });

  it("is checked in streamed bodies as well, wherever the guest splits it [C7.bound, C7.streamed]", async () => {
    const server = await recorder();
    for (const [hosts, sent] of [
      [["127.0.0.1"], true],
      [["elsewhere.test"], false],
    ] as const) {
      const { answer, fetch, key } = await callWith(hosts);
      const head = fetch(server.origin, { method: "POST", body: "stream" });
      for (const character of `key=${key};`) await answer("net.write", { id: 1 }, toBytes(character));
      await answer("net.write", { id: 1, end: true });
      if (sent) headOf(await head);
      else
        expect(failureOf(await head)).toBe(
          `NotCapable: Secret "KEY" may not go to "127.0.0.1:${server.port}": it is bound to elsewhere.test`,
        );
    }
    expect(server.seen.map(({ body }) => body)).toEqual([`key=${VALUE};`]);
  });

  it("is checked again at every redirect [C7.redirect]", async () => {
    const other = await recorder();
    const first = await httpServer((request, response) =>
      response.writeHead(307, { location: request.url === "/" ? "/same" : `${other.origin}/stolen` }).end(),
    );
    const { fetch, key } = await callWith([`127.0.0.1:${first.port}`]);
    const problem = `NotCapable: Secret "KEY" may not go to "127.0.0.1:${other.port}": it is bound to 127.0.0.1:${first.port}`;
    expect(failureOf(await fetch(first.origin, { headers: ["x-key", key] }))).toBe(problem);
    expect(failureOf(await fetch(first.origin, { method: "POST", body: "bytes" }, toBytes(key)))).toBe(problem);
    expect([first.connections(), other.connections()]).toEqual([4, 0]);
  });

  it("cannot change a path to one that is not granted [C7.bound, C6.path]", async () => {
    const server = await recorder();
    const call = netCall([{ host: "127.0.0.1", paths: ["/public"] }], {
      env: {
        allow: ["UP", "DOWN"].map((name) => ({ name, secret: true as const, hosts: ["127.0.0.1"] })),
        values: { UP: "x/../../admin", DOWN: "a/b/c/d" },
      },
    });
    const [up, down] = [valueOf(await call.answer("env.get", { name: "UP" })), valueOf(await call.answer("env.get", { name: "DOWN" }))];
    const refused = failureOf(await call.fetch(`${server.origin}/public/${up}`));
    expect(refused).toMatch(/^NotCapable: Requires net access/);
    expect(refused).not.toContain("admin");
    expect(server.connections()).toBe(0);
    headOf(await call.fetch(`${server.origin}/public/${down}`));
    expect(server.seen.map(({ url }) => url)).toEqual(["/public/a%2Fb%2Fc%2Fd"]);
  });

  it("is not in a redirect that repeats it, which cannot lead elsewhere [C7.redirect]", async () => {
    const other = await recorder();
    const first = await httpServer((request, response) =>
      response.writeHead(302, { location: `${other.origin}/?${new URL(request.url ?? "", "http://a").searchParams.get("key")}` }).end(),
    );
    const { fetch, key } = await callWith([`127.0.0.1:${first.port}`]);
    expect(failureOf(await fetch(`${first.origin}/?key=${key}`))).toMatch(/^NotCapable: Secret "KEY" may not go to/);
    expect(headOf(await fetch(`${first.origin}/?key=${key}`, { redirect: "manual" }))["headers"]).toContain(`${other.origin}/?${key}`);
    expect(other.connections()).toBe(0);
  });

  it("stays a placeholder in a fragment and in a host's name, and is nothing reversed or encoded [C7.placeholder]", async () => {
    const server = await recorder();
    const { fetch, key } = await callWith(["127.0.0.1"]);
    const backwards = [...key].toReversed().join("");
    const head = headOf(await fetch(`${server.origin}/?${backwards}#${key}`, { headers: ["x-key", btoa(key)] }));
    expect(head["url"]).toBe(`${server.origin}/?${backwards}`);
    expect(server.seen).toMatchObject([{ url: `/?${backwards}`, headers: { "x-key": btoa(key) } }]);
    expect(failureOf(await fetch(`http://${key}.secure.test:${server.port}/`))).toMatch(/^NotCapable: Requires net access to/);
  });

  it("cannot be used with a guessed placeholder or that of another call [C7.placeholder]", async () => {
    const server = await recorder();
    const [first, second] = [await callWith(["127.0.0.1"]), await callWith(["127.0.0.1"])];
    for (const key of [first.key, `bascule_secret_${"0".repeat(32)}`]) {
      const problem = `NotCapable: Unknown secret placeholder "${key}" (read the variable again in each call)`;
      expect(failureOf(await second.fetch(server.origin, { headers: ["x-key", key] }))).toBe(problem);
      expect(failureOf(await second.fetch(`${server.origin}/?${key}`))).toBe(problem);
      headOf(await second.fetch(server.origin, { method: "POST", body: "bytes" }, toBytes(key)));
    }
    expect(JSON.stringify(server.seen)).not.toContain(VALUE);
  });

  it("cannot make a request grow without bound [C7.bound]", async () => {
    const server = await recorder();
    const { fetch, key } = await callWith(["127.0.0.1"]);
    const problem = "NotCapable: A request can use secrets at most 64 times";
    expect(failureOf(await fetch(server.origin, { method: "POST", body: "bytes" }, toBytes(key.repeat(65))))).toBe(problem);
    const values = { KEY: "k".repeat(8_000) };
    const large = netCall(NET, { env: { allow: [{ name: "KEY", secret: true, hosts: ["127.0.0.1"] }], values } });
    const placeholder = valueOf(await large.answer("env.get", { name: "KEY" }));
    expect(failureOf(await large.fetch(`${server.origin}/?${placeholder.repeat(3)}`))).toBe(
      "NotCapable: A URL has at most 16384 characters, secrets included",
    );
    expect(failureOf(await large.fetch(server.origin, { headers: ["x-key", placeholder.repeat(9)] }))).toBe(
      "NotCapable: The request's headers are too long with the secrets inserted",
    );
    expect(server.connections()).toBe(0);
  });

  it("may be sent only where every layer and the project permit it [C7.bound]", async () => {
    const server = await recorder();
    const call = netCall(NET, {
      env: { allow: [{ name: "KEY", secret: true, hosts: ["127.0.0.1", "secure.test"] }], values: { TOKEN: VALUE } },
      secrets: { KEY: { env: "TOKEN", hosts: ["secure.test", "other.test"] }, PLAIN: { env: "TOKEN" } },
    });
    const key = valueOf(await call.answer("env.get", { name: "KEY" }));
    expect(failureOf(await call.fetch(server.origin, { headers: ["x-key", key] }))).toMatch(
      /it is bound to 127\.0\.0\.1, secure\.test, and of these to secure\.test, other\.test$/,
    );
  });

  it("cannot be sent if no host is named [C7.bound]", async () => {
    const call = netCall(NET, { env: { allow: ["KEY"], values: { KEY: VALUE } }, secrets: { KEY: { env: "KEY" } } });
    const key = valueOf(await call.answer("env.get", { name: "KEY" }));
    expect(failureOf(await call.fetch("https://secure.test/", { headers: ["x-key", key] }))).toMatch(
      /it is bound to no host \(name them: /,
    );
  });

  it.each([
    [
      "application/json; charset=utf-8",
      (text: string) => (JSON.parse(text) as { readonly key: string }).key,
      (key: string) => JSON.stringify({ key }),
    ],
    ["application/x-www-form-urlencoded", (text: string) => new URLSearchParams(text).get("key"), (key: string) => `a=1&key=${key}&b=2`],
    ["text/plain", (text: string) => text, (key: string) => key],
  ])("is escaped in a body of %s, whatever it contains [C7.encoded]", async (type, read, write) => {
    const value = `a"b\\c&d=e f%\n`;
    const server = await recorder();
    const call = netCall(NET, { env: { allow: [{ name: "KEY", secret: true, hosts: ["127.0.0.1"] }], values: { KEY: value } } });
    const key = valueOf(await call.answer("env.get", { name: "KEY" }));
    headOf(await call.fetch(server.origin, { method: "POST", body: "bytes", headers: ["content-type", type] }, toBytes(write(key))));
    expect(read(server.seen[0]?.body ?? "")).toBe(value);
    expect(failureOf(await call.fetch(server.origin, { headers: ["x-key", key] }))).toBe(
      "NotCapable: A secret with control characters cannot be used in a header",
    );
  });
});
