import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Defects, frozen, NAP, napping } from "./projects.ts";

describe("hosts that live for one command", { timeout: 60_000 }, () => {
  it("leave calls whose time has come to a host that stays, and report nothing when they close [FR2.commands] [FR2.journal]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-frozen-"));
    const defects: Defects = [];
    const open = await napping(place.path, defects, NAP);
    const first = await open();
    const left = first.call("nap", { ms: 1_200 }, { callId: "left" });
    await frozen(first, 1);
    await first.close();
    await left;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const short = await open({ resume: false });
    expect(short.waiting()).toHaveLength(1);
    // A call that is due later than it has ended.
    expect(await short.call("nap", { ms: 300 })).toMatchObject({ output: "woke" });
    expect([short.result("left"), short.waiting().length]).toEqual([undefined, 1]);
    await short.close();
    await using next = await open();
    await expect.poll(() => next.result("left"), { timeout: 20_000 }).toMatchObject({ ok: true, output: "woke" });
    await next.audit.flush();
    // The journal has its end, although no other call began here.
    const events = await next.audit.search({ callId: "left" });
    expect(events.map(({ event }) => event["type"])).toEqual(["tool.called", "tool.resumed", "tool.completed"]);
    expect(defects).toEqual([]);
  });
});
