import { describe, expect, it } from "vitest";
import { failureOf, netCall, rawServer } from "../../support/hostile-server.ts";

const OK = "HTTP/1.1 200 OK\r\n";

/** Responses that two parsers could read differently, or that end too soon. */
const BROKEN: Readonly<Record<string, string>> = {
  "two lengths": `${OK}Content-Length: 2\r\nContent-Length: 5\r\n\r\nhello`,
  "a length and chunks": `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
  "a length that is too long": `${OK}Content-Length: 20\r\n\r\nhello`,
  "a negative length": `${OK}Content-Length: -1\r\n\r\nhello`,
  "a length beyond numbers": `${OK}Content-Length: 99999999999999999999999\r\n\r\nhello`,
  "a chunk that is too long": `${OK}Transfer-Encoding: chunked\r\n\r\nff\r\nhello`,
  "a chunk of no size": `${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\nhello`,
  "bare line feeds": "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi",
  "folded headers": `${OK}X-A: a\r\n b\r\nContent-Length: 2\r\n\r\nhi`,
  "a NUL in a header": `${OK}X-A: a\0b\r\nContent-Length: 2\r\n\r\nhi`,
  "a space before the colon": `${OK}X-A : a\r\nContent-Length: 2\r\n\r\nhi`,
  "another protocol": "SSH-2.0-OpenSSH_9.0\r\n",
  "HTTP/0.9": "hello",
  nothing: "",
};

describe("attack: malformed responses", () => {
  it.each(Object.entries(BROKEN))("reports %s as an error, never half a response as a whole one [C6.broken]", async (_name, text) => {
    const server = await rawServer((socket) => socket.end(text, "latin1"));
    const { fetch, readAll } = netCall(["127.0.0.1"]);
    const answer = await fetch(server.origin);
    const failed = failureOf(answer);
    if (failed.startsWith("no failure")) await expect(readAll()).rejects.toThrow(/^TypeError: error reading a body from connection: /);
    else expect(failed).toMatch(/^error sending request for url .*: client error \(SendRequest\): /);
    expect(failed).not.toContain("SSH");
    await expect.poll(server.open).toBe(0);
  });

  it("reports a connection reset half way as an error [C6.broken]", async () => {
    const server = await rawServer((socket) => void socket.write(`${OK}Content-Length: 20\r\n\r\nhello`, () => socket.resetAndDestroy()));
    const { fetch, readAll } = netCall(["127.0.0.1"]);
    const answer = await fetch(server.origin);
    if (failureOf(answer).startsWith("no failure")) await expect(readAll()).rejects.toThrow(/^TypeError: error reading a body/);
    else expect(failureOf(answer)).toMatch(/connection reset by peer$/);
  });

  it("ignores a second response behind the first [C6.broken]", async () => {
    const server = await rawServer((socket) => socket.end(`${OK}Content-Length: 2\r\n\r\nhi${OK}Content-Length: 4\r\n\r\nevil`));
    const { fetch, readAll } = netCall(["127.0.0.1"]);
    await fetch(server.origin);
    expect(new TextDecoder().decode(await readAll().catch(() => new TextEncoder().encode("hi")))).toBe("hi");
  });

  it("passes bytes of a head to the guest as valid header values [C6.broken]", async () => {
    const server = await rawServer((socket) =>
      socket.end(Buffer.from("HTTP/1.1 200 O\x7fK\x80\r\nX-A: \xff\xfe\r\nContent-Length: 0\r\n\r\n", "latin1")),
    );
    const { fetch } = netCall(["127.0.0.1"]);
    const answer = await fetch(server.origin);
    if (answer.ok && !("failed" in (answer.value as object))) {
      expect(answer.value).toMatchObject({ headers: expect.arrayContaining(["x-a", "\xff\xfe"]) as string[] });
      expect(JSON.stringify(answer.value)).not.toMatch(/[\x00-\x1f\x7f]/);
    }
  });
});
