import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { EMPTY_BASE, EMPTY_IMAGE } from "../../support/scripted-worker.ts";
import { doneOf, hostileWorkers } from "../../support/hostile-worker.ts";

const EMPTY: Readonly<Record<string, (number: number) => unknown>> = {
  "of invalid messages": () => ({ type: "constructor" }),
  "of ready messages": () => ({ type: "ready", base: EMPTY_BASE }),
  "of results for calls of other workers": (number) => doneOf(number + 1, "1"),
  "of plugins that were not requested": (number) => ({ type: "loaded", number, image: EMPTY_IMAGE }),
};
const ACTING: Readonly<Record<string, (number: number) => unknown>> = {
  "of log lines above the call's limit": (number) => ({ type: "logs", number, lines: [["info", "x".repeat(30_000)]] }),
  "of operations above the call's limit": (number) => ({ type: "operation", number, operation: 1, name: "n", text: "{" }),
};

it.each(Object.entries({ ...EMPTY, ...ACTING }))(
  "attack: a worker keeps the host busy with a flood %s [B1.flood] [B5.worker]",
  async (what, message) => {
    const { begin, pass, finish, defects } = await hostileWorkers();
    const { outcome, worker, number } = begin({ limits: { ...DEFAULT_LIMITS, operations: 50 } });
    for (let count = 0; count < 20_000 && !worker.ended; count++) worker.say(message(number));
    expect(worker.ended).toBe(true);
    expect(defects).toEqual(["The worker sent too many unexpected messages"]);
    // The worker need not read its answers, so it gets no more of them than the call may request.
    expect(worker.requests.filter(({ type }) => type === "answer").length).toBeLessThanOrEqual(50);
    if (what in ACTING) return expect(await outcome).toMatchObject({ ok: false, fault: { kind: "lost" } });
    await pass(1);
    finish('{"o":"elsewhere"}');
    return expect(await outcome).toMatchObject({ ok: true, output: { o: "elsewhere" } });
  },
);
