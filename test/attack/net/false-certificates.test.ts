import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf, headOf, netCall } from "../../support/hostile-server.ts";

const read = (name: string): string => readFileSync(new URL(`../../support/certificates/${name}`, import.meta.url), "utf8");
// Created for these tests, for secure.test and 127.0.0.1 only.
const [cert, key] = [read("secure.cert.pem"), read("secure.key.pem")];

async function secureServer(): Promise<number> {
  const server = createServer({ cert, key }, (_request, response) => response.end("secure"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
  // A TCP server's address is an object.
  return (server.address() as AddressInfo).port;
}

const resolve = async (): Promise<string[]> => ["127.0.0.1"];
const NET = ["secure.test", "other.test", "127.0.0.1"];

describe("attack: a server that is not the URL's host", () => {
  it("is accepted if its certificate is trusted and names it [C6.tls]", async () => {
    const port = await secureServer();
    const { fetch, readAll } = netCall(NET, { resolve, ca: cert });
    for (const host of ["secure.test", "127.0.0.1"]) {
      headOf(await fetch(`https://${host}:${port}/`));
      expect(new TextDecoder().decode(await readAll())).toBe("secure");
    }
  });

  it("is refused with a certificate for another name, or a self-signed one [C6.tls]", async () => {
    const port = await secureServer();
    const trusting = netCall(NET, { resolve, ca: cert });
    expect(failureOf(await trusting.fetch(`https://other.test:${port}/`))).toMatch(/client error \(Connect\): tls error: /);
    const usual = netCall(NET, { resolve });
    expect(failureOf(await usual.fetch(`https://secure.test:${port}/`))).toMatch(/client error \(Connect\): tls error: /);
  });

  it("is refused even if the environment disables certificate checks [C6.tls, C6.ambient]", async () => {
    const port = await secureServer();
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    try {
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
      const { fetch } = netCall(NET, { resolve });
      expect(failureOf(await fetch(`https://secure.test:${port}/`))).toMatch(/tls error: /);
    } finally {
      if (before === undefined) Reflect.deleteProperty(process.env, "NODE_TLS_REJECT_UNAUTHORIZED");
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
  });

  it("is an error if it does not speak TLS [C6.tls]", async () => {
    const { fetch } = netCall(NET, { resolve });
    const port = await secureServer();
    expect(failureOf(await fetch(`http://127.0.0.1:${port}/`))).toMatch(/client error/);
  });
});
