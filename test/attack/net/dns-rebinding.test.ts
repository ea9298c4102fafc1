import { describe, expect, it } from "vitest";
import { failureOf, headOf, httpServer, netCall } from "../../support/hostile-server.ts";

describe("attack: a name that changes its address between check and connection", () => {
  it("is resolved once: the connection uses the checked address [C6.rebinding]", async () => {
    const server = await httpServer((_request, response) => response.end("mine"));
    const asked: string[] = [];
    const resolve = async (name: string): Promise<string[]> => {
      asked.push(name);
      return asked.length % 2 === 1 ? ["127.0.0.1"] : ["127.0.0.2"];
    };
    const { fetch, readAll } = netCall(["rebind.test", "127.0.0.1"], { resolve });
    headOf(await fetch(`http://rebind.test:${server.port}/`));
    expect(new TextDecoder().decode(await readAll())).toBe("mine");
    expect(asked).toEqual(["rebind.test"]);
    expect(failureOf(await fetch(`http://rebind.test:${server.port}/`))).toMatch(/^NotCapable: /);
    expect(server.connections()).toBe(1);
  });

  it("is checked again at every redirect, also to itself [C6.rebinding, C6.redirect]", async () => {
    const server = await httpServer((_request, response) => response.writeHead(302, { location: "/again" }).end());
    let times = 0;
    const { fetch } = netCall(["rebind.test", "127.0.0.1"], { resolve: async () => (++times === 1 ? ["127.0.0.1"] : ["169.254.169.254"]) });
    expect(failureOf(await fetch(`http://rebind.test:${server.port}/`))).toMatch(/^NotCapable: /);
    expect(server.connections()).toBe(1);
  });

  it("is not looked up if it is localhost [C6.rebinding]", async () => {
    const server = await httpServer((_request, response) => response.end("mine"));
    const { fetch } = netCall([`localhost:${server.port}`], { resolve: () => Promise.reject(new Error("asked")) });
    headOf(await fetch(`http://localhost:${server.port}/`));
    expect(server.connections()).toBe(1);
  });

  it("cannot make the host scan a network: at most four addresses are tried [C6.rebinding]", async () => {
    const server = await httpServer((_request, response) => response.end("mine"), "127.0.0.9");
    const addresses = (last: number): string[] => Array.from({ length: last }, (_, index) => `127.0.0.${10 - last + index}`);
    for (const [count, isReached] of [
      [4, true],
      [5, false],
    ] as const) {
      const { fetch } = netCall(["many.test", "127.0.0.0/8"], { resolve: async () => addresses(count) });
      const answered = await fetch(`http://many.test:${server.port}/`);
      if (isReached) expect(headOf(answered)).toMatchObject({ status: 200 });
      else expect(failureOf(answered)).toContain("Connection refused");
    }
  });

  it("is refused if the connection leads to another address than the checked one [C6.rebinding, C6.remote]", async () => {
    const server = await httpServer((_request, response) => response.end("mine"));
    // Linux connects 0.0.0.0 to 127.0.0.1, which is not granted here: only the socket itself shows it.
    const { fetch, acts } = netCall(["elsewhere.test", "0.0.0.0"], { resolve: async () => ["0.0.0.0"] });
    for (const host of ["elsewhere.test", "0.0.0.0"]) {
      expect(failureOf(await fetch(`http://${host}:${server.port}/`))).toMatch(/^NotCapable: /);
      expect(acts.at(-1)).toMatchObject({ decision: "denied", value: `127.0.0.1:${server.port}` });
    }
    await expect.poll(server.open).toBe(0);
  });
});
