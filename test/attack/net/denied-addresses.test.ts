import { describe, expect, it } from "vitest";
import { failureOf, httpServer, netCall } from "../../support/hostile-server.ts";

describe("attack: a denied address behind a granted name", () => {
  it("is denied, whatever else is granted [PA4, PA3]", async () => {
    const server = await httpServer((_request, response) => response.end("secret"));
    const resolve = async (): Promise<string[]> => ["127.0.0.1"];
    for (const deny of [["127.0.0.0/8"], ["127.0.0.1"], [`127.0.0.1:${server.port}`], ["[::ffff:127.0.0.1]"]]) {
      const { fetch, acts } = netCall({ allow: ["friend.test", "127.0.0.1"], deny }, { resolve });
      expect(failureOf(await fetch(`http://friend.test:${server.port}/`))).toBe(
        `NotCapable: Requires net access to "friend.test:${server.port}", which leads to an address that the grant layer denies ("${deny[0]}")`,
      );
      expect(acts.at(-1)).toEqual({
        decision: "denied",
        permission: "net",
        isLed: true,
        value: `127.0.0.1:${server.port}`,
        layer: "grant",
        rule: deny[0],
      });
    }
    expect(server.connections()).toBe(0);
  });
});
