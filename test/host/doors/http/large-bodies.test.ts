import { describe, expect, it } from "vitest";
import { httpDoor } from "../../../support/http-door.ts";
import { hostTool } from "../../../support/tools.ts";

const LARGE = "x".repeat(100_000);

describe("bodies above 64 KB", () => {
  it("wait for those of their own token, which are worked on two at a time, and for nobody else's [LV3.bodies]", async () => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const wait = hostTool("wait", {}, async (args) => {
      begun.push((args as { readonly who: string }).who);
      await new Promise<void>((resolve) => void ends.push(resolve));
      return 1;
    });
    await using door = await httpDoor({ tools: [wait] });
    const ask = (who: string, token: string, text = LARGE): Promise<Response> =>
      door.request("/v1/calls", {
        token,
        body: { tool: "wait", args: { who, text } },
        ...(text === "x" && { fields: { "content-length": "60" } }),
      });
    const asked = [ask("a1", "call-token"), ask("a2", "call-token"), ask("a3", "call-token")];
    await expect.poll(() => begun).toEqual(["a1", "a2"]);
    asked.push(ask("small", "call-token", "x"), ask("b1", "other-token"));
    await expect.poll(() => begun.toSorted()).toEqual(["a1", "a2", "b1", "small"]);
    ends[0]?.();
    await expect.poll(() => begun.includes("a3")).toBe(true);
    for (const end of ends) end();
    expect(await Promise.all(asked.map(async (one) => (await one).status))).toEqual([200, 200, 200, 200, 200]);
  });

  it("that nobody waits for any more give up their place [LV3.bodies]", async () => {
    const ends: (() => void)[] = [];
    const wait = hostTool("wait", {}, async () => {
      await new Promise<void>((resolve) => void ends.push(resolve));
      return 1;
    });
    await using door = await httpDoor({ tools: [wait] });
    const gone = new AbortController();
    const ask = (signal?: AbortSignal): Promise<Response> =>
      door.request("/v1/calls", { body: { tool: "wait", args: { text: LARGE } }, ...(signal && { signal }) });
    const first = [ask(), ask()];
    await expect.poll(() => ends.length).toBe(2);
    const left = ask(gone.signal);
    const last = ask();
    gone.abort();
    expect((await left).status).toBe(503);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(3);
    for (const end of ends) end();
    expect(await Promise.all([...first, last].map(async (one) => (await one).status))).toEqual([200, 200, 200]);
  });
});
