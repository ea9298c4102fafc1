import { describe, expect, it } from "vitest";
import { failureOf, headOf, netCall, rawServer } from "../../support/hostile-server.ts";

const HINT = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

describe("attack: endless informational responses", () => {
  it("are skipped, up to 16 [C6.informational]", async () => {
    const { fetch } = netCall(["127.0.0.1"]);
    const some = await rawServer((socket) => socket.end(`${HINT.repeat(16)}${ANSWER}`));
    expect(headOf(await fetch(some.origin))).toMatchObject({ status: 200 });
    const many = await rawServer((socket) => socket.end(`${HINT.repeat(17)}${ANSWER}`));
    expect(failureOf(await fetch(many.origin))).toMatch(/the server sent too many informational answers$/);
  });

  it("end the request if they do not stop [C6.informational]", async () => {
    const server = await rawServer((socket) => {
      const go = (): void => {
        while (!socket.destroyed && socket.write(HINT));
        if (!socket.destroyed) socket.once("drain", go);
      };
      go();
    });
    const { fetch } = netCall(["127.0.0.1"]);
    expect(failureOf(await fetch(server.origin))).toMatch(/the server sent too many informational answers$/);
    await expect.poll(server.open).toBe(0);
  });

  it("are an error if they switch protocols [C6.informational]", async () => {
    const server = await rawServer(
      (socket) => void socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nraw"),
    );
    const { fetch } = netCall(["127.0.0.1"]);
    expect(failureOf(await fetch(server.origin))).toMatch(/client error/);
    await expect.poll(server.open).toBe(0);
  });
});
