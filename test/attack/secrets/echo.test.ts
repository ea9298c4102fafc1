import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { textOf, valueOf } from "../../support/bridge-context.ts";
import { headOf, httpServer, type NetCall, netCall, rawServer } from "../../support/hostile-server.ts";

const VALUE = "s3cret/Value+1 with ä";
const RAW = Buffer.from(VALUE).toString("latin1");

async function callWithSecret(): Promise<NetCall & { readonly key: string }> {
  const call = netCall(["127.0.0.1"], { env: { allow: [{ name: "KEY", secret: true, hosts: ["127.0.0.1"] }], values: { KEY: VALUE } } });
  return { ...call, key: valueOf(await call.answer("env.get", { name: "KEY" })) };
}

describe("attack: a server that echoes the secret it was sent", () => {
  it.each<[string, string | Uint8Array]>([
    ["as it is", VALUE],
    ["in JSON", JSON.stringify({ key: VALUE })],
    ["in a URL", `https://a.test/?${encodeURIComponent(VALUE)}`],
    ["in base64 of credentials", Buffer.from(`user:${VALUE}`).toString("base64")],
    ["in hexadecimal", Buffer.from(VALUE).toString("hex")],
  ])("gives the guest the placeholder in a body %s [C7.echo]", async (_, body) => {
    const server = await httpServer((_request, response) => response.end(body));
    const { fetch, readAll, key } = await callWithSecret();
    headOf(await fetch(server.origin, { headers: ["x-key", key] }));
    const text = new TextDecoder().decode(await readAll());
    expect(text).toContain(key);
    expect(text).not.toContain("s3cret");
  });

  it("gives the placeholder in pieces of one byte, and in a compressed body [C7.echo, C7.streamed]", async () => {
    const whole = Buffer.from(`before ${VALUE}${VALUE} after s3cret/Va`);
    const server = await httpServer((request, response) => {
      if (request.url === "/gzip") return void response.setHeader("content-encoding", "gzip").end(gzipSync(whole));
      for (const byte of whole) response.write(Buffer.of(byte));
      response.end();
    });
    const { fetch, readAll, key } = await callWithSecret();
    for (const path of ["/", "/gzip"]) {
      headOf(await fetch(`${server.origin}${path}`, { headers: ["x-key", key] }));
      // A prefix of the value is not replaced.
      expect(new TextDecoder().decode(await readAll())).toBe(`before ${key}${key} after s3cret/Va`);
    }
  });

  it("gives the placeholder in the head: status text, header names and values [C7.echo]", async () => {
    const server = await rawServer((socket) =>
      socket.end(
        Buffer.from(
          `HTTP/1.1 200 said ${RAW}\r\nX-Key: a ${RAW} b\r\nX-${"s3cret"}: y\r\nLocation: /${encodeURIComponent(VALUE)}\r\n\r\n`,
          "latin1",
        ),
      ),
    );
    const { fetch, key } = await callWithSecret();
    const head = headOf(await fetch(server.origin, { headers: ["x-key", key] }));
    expect(head).toMatchObject({ statusText: `said ${key}`, headers: ["x-key", `a ${key} b`, "x-s3cret", "y", "location", `/${key}`] });
  });

  it("gives the placeholder as a header's name, if it is valid there [C7.echo]", async () => {
    const server = await rawServer((socket) => socket.end("HTTP/1.1 200 OK\r\nX-hunter22: a\r\n\r\n"));
    const call = netCall(["127.0.0.1"], {
      env: { allow: [{ name: "KEY", secret: true, hosts: ["127.0.0.1"] }], values: { KEY: "hunter22" } },
    });
    const key = valueOf(await call.answer("env.get", { name: "KEY" }));
    expect(headOf(await call.fetch(server.origin))).toMatchObject({ headers: [`x-${key}`, "a"] });
  });

  it("does not let the guest read part of a value by closing early [C7.echo]", async () => {
    const server = await httpServer((_request, response) => response.end(`${VALUE}`.repeat(3)));
    const { fetch, answer, readAll, key } = await callWithSecret();
    headOf(await fetch(server.origin, { headers: ["x-key", key] }));
    const piece = textOf(await answer("net.read", { id: 1 }));
    expect(piece.replaceAll(key, "")).toBe("");
    expect(piece + new TextDecoder().decode(await readAll())).toBe(key.repeat(3));
  });

  it.each(["utf8", "base64", "hex"] as const)("does not show how much of a value was guessed, as %s [C7.oracle]", async (form) => {
    let guess: Uint8Array = Buffer.of();
    const server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n");
      // The rest never arrives, so that only the held-back bytes could tell.
      socket.write(Buffer.concat([Buffer.alloc(500, "-"), guess]));
    });
    const { fetch, answer } = await callWithSecret();
    let id = 0;
    async function toldOf(text: string): Promise<number> {
      guess = Buffer.from(text);
      headOf(await fetch(server.origin));
      return textOf(await answer("net.read", { id: ++id })).length;
    }
    const right = Buffer.from(VALUE).toString(form);
    for (const length of [1, 4, 9]) {
      const begun = right.slice(0, length);
      expect(await toldOf(begun)).toBe(await toldOf(`${begun.slice(0, -1)}~`));
    }
  });

  it("does not reveal secrets of other calls: only the call's own are replaced [C7.oracle]", async () => {
    const server = await httpServer((_request, response) => response.end(`hunter22 ${VALUE}`));
    const call = netCall(["127.0.0.1"], {
      env: { allow: [{ name: "KEY", secret: true, hosts: ["127.0.0.1"] }], values: { KEY: VALUE, OTHER: "hunter22" } },
      secrets: { OTHER: { env: "OTHER" } },
    });
    // The host knows the value, as it would from another plugin's call.
    await call.context.secrets.placeholder("OTHER");
    headOf(await call.fetch(server.origin));
    expect(new TextDecoder().decode(await call.readAll())).toBe("hunter22 [secret KEY]");
  });
});
