import { describe, expect, it } from "vitest";
import { CURRENT, END_BY, ENTERED_AT } from "../../../sandbox/wire/protocol.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";
import { INVOCATION } from "../../support/scripted-worker.ts";

describe("attack: one caller's calls fill the queue for workers", () => {
  it("hold at most half of the queue, and another caller's call runs after one of them [LV3.workers]", async () => {
    const { begin, sandbox, advance } = await hostileWorkers({ maximumQueue: 6 });
    const { worker, number } = begin();
    worker.control.words[CURRENT] = number;
    worker.control.times[ENTERED_AT] = -1_000;
    worker.control.times[END_BY] = 1e9;
    const call = (caller: string, args: string): ReturnType<typeof sandbox.invoke> =>
      sandbox.invoke({ ...INVOCATION, caller, args, argsText: args });
    const waiting = ["1", "2", "3"].map((args) => call("greedy", args));
    expect(await call("greedy", "4")).toMatchObject({ ok: false, fault: { kind: "overloaded", because: "calls" } });
    waiting.push(call("modest", "5"), call("modest", "6"), call("other", "7"));
    const late = call("other", "8");
    worker.control.words[CURRENT] = 0;
    advance(10);
    const begun = worker.requests.flatMap((request) => (request.type === "call" && request.number !== number ? [request.words[2]] : []));
    expect(begun).toEqual(["1", "5", "7", "2", "6", "3"]);
    expect(await late).toMatchObject({ ok: false, fault: { kind: "overloaded" } });
    void waiting;
  });
});
