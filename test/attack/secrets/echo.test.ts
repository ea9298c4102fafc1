import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { valueOf } from "../../support/bridge-context.ts";
import { headOf, httpServer, type NetCall, netCall, rawServer } from "../../support/hostile-server.ts";

const VALUE = "s3cret/Value+1 with ä";
const RAW = Buffer.from(VALUE).toString("latin1");

async function callWithSecret(): Promise<NetCall & { readonly key: string }> {
  const call = netCall(["127.0.0.1"], { env: { allow: [{ name: "KEY", secret: true, hosts: ["127.0.0.1"] }], values: { KEY: VALUE } } });
  return { ...call, key: valueOf(await call.answer("env.get", { name: "KEY" })) };
}

describe("attack: a server that tells the secret it was sent", () => {
  it.each<[string, string | Uint8Array]>([
    ["as it is", VALUE],
    ["in JSON", JSON.stringify({ key: VALUE })],
    ["in a URL", `https://a.test/?${encodeURIComponent(VALUE)}`],
    ["in base64 of credentials", Buffer.from(`user:${VALUE}`).toString("base64")],
    ["in hexadecimal", Buffer.from(VALUE).toString("hex")],
  ])("gives the guest its placeholder in a body %s [C7.echo]", async (_, body) => {
    const server = await httpServer((_request, response) => response.end(body));
    const { fetch, readAll, key } = await callWithSecret();
    headOf(await fetch(server.origin, { headers: ["x-key", key] }));
    const text = new TextDecoder().decode(await readAll());
    expect(text).toContain(key);
    expect(text).not.toContain("s3cret");
  });

  it("gives it in pieces of one byte, and in a packed body [C7.echo, C7.streamed]", async () => {
    const whole = Buffer.from(`before ${VALUE}${VALUE} after s3cret/Va`);
    const server = await httpServer((request, response) => {
      if (request.url === "/gzip") return void response.setHeader("content-encoding", "gzip").end(gzipSync(whole));
      for (const byte of whole) response.write(Buffer.of(byte));
      response.end();
    });
    const { fetch, readAll, key } = await callWithSecret();
    for (const path of ["/", "/gzip"]) {
      headOf(await fetch(`${server.origin}${path}`, { headers: ["x-key", key] }));
      // What only begins like the value is not the value.
      expect(new TextDecoder().decode(await readAll())).toBe(`before ${key}${key} after s3cret/Va`);
    }
  });

  it("gives it in the head: its status, names and values [C7.echo]", async () => {
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

  it("does not let the guest read on in a value by closing early [C7.echo]", async () => {
    const server = await httpServer((_request, response) => response.end(`${VALUE}`.repeat(3)));
    const { fetch, answer, key } = await callWithSecret();
    headOf(await fetch(server.origin, { headers: ["x-key", key] }));
    const piece = await answer("net.read", { id: 1 });
    expect(piece.ok && new TextDecoder().decode(piece.bytes)).toBe(key.repeat(3));
  });
});
