import { describe, expect, it } from "vitest";
import { httpDoor, type HttpDoorUnderTest, TOKENS } from "../../../support/http-door.ts";
import { hostTool } from "../../../support/tools.ts";

const LARGE = "x".repeat(100_000);

/** Sends a call whose body comes in two parts; `end` sends the second. */
function slowly(door: HttpDoorUnderTest, token: string, signal?: AbortSignal): { readonly status: Promise<number>; end(): void } {
  let sendRest = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder();
      controller.enqueue(encoder.encode(`{"tool":"none","args":{"text":"${LARGE}`));
      sendRest = () => {
        controller.enqueue(encoder.encode('"}}'));
        controller.close();
      };
    },
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half" as const, ...(signal && { signal }) };
  const response = door.platform.http.request(new Request("http://127.0.0.1:7420/v1/calls", init), door.server.port);
  return { status: response.then(({ status }) => status), end: () => sendRest() };
}

describe("bodies above 64 KB", () => {
  it("wait only for bodies of their own token, of which two are read at a time [LV3.bodies]", async () => {
    await using door = await httpDoor({ tools: [hostTool("none")] });
    const asked = [slowly(door, TOKENS.call), slowly(door, TOKENS.call)];
    const third = slowly(door, TOKENS.call);
    third.end();
    let isThirdAnswered = false;
    void third.status.then(() => (isThirdAnswered = true));
    const other = slowly(door, TOKENS.other);
    other.end();
    expect(await other.status).toBe(200);
    expect(await door.ask("/v1/calls", { body: { tool: "none" } })).toMatchObject({ status: 200 });
    expect(isThirdAnswered).toBe(false);
    asked[0]?.end();
    expect(await third.status).toBe(200);
    asked[1]?.end();
    expect(await Promise.all(asked.map(({ status }) => status))).toEqual([200, 200]);
  });

  it("block no others once they are read, however long their calls take [LV3.bodies]", async () => {
    const ends: (() => void)[] = [];
    const wait = hostTool("wait", {}, () => new Promise((resolve) => void ends.push(() => resolve(1))));
    await using door = await httpDoor({ tools: [wait] });
    const asked = Array.from({ length: 3 }, () => door.ask("/v1/calls", { body: { tool: "wait", args: { text: LARGE } } }));
    await expect.poll(() => ends.length).toBe(3);
    for (const end of ends) end();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("release their place when their client disconnects [LV3.bodies]", async () => {
    await using door = await httpDoor({ tools: [hostTool("none")] });
    const asked = [slowly(door, TOKENS.call), slowly(door, TOKENS.call)];
    const gone = new AbortController();
    const left = slowly(door, TOKENS.call, gone.signal);
    const last = slowly(door, TOKENS.call);
    last.end();
    gone.abort();
    expect(await left.status).toBe(503);
    asked[0]?.end();
    expect(await last.status).toBe(200);
    asked[1]?.end();
    expect(await Promise.all(asked.map(({ status }) => status))).toEqual([200, 200]);
  });
});
