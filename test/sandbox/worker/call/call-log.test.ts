import { describe, expect, it } from "vitest";
import { CallLog } from "../../../../sandbox/worker/call/call-log.ts";
import { LogCredit } from "../../../../sandbox/worker/call/log-credit.ts";
import type { LogLine } from "../../../../sandbox/wire/invocation.ts";
import { CONTROL_BYTES, LOGS_HEARD, openControl } from "../../../../sandbox/wire/protocol.ts";

const KB = 1024;
const BEGUN = 0;

function startLog(logBytes = 256 * KB) {
  const state = { now: BEGUN, posted: [] as (readonly LogLine[])[] };
  const log = new CallLog(
    { number: 1, digest: "plugin", limits: { logBytes } },
    {
      now: () => state.now,
      logCredit: new LogCredit(words()),
      post: (message) => void (message.type === "logs" && state.posted.push(message.lines)),
    },
  );
  const say = (text: string): void => log.add(JSON.stringify({ level: "info", text }));
  return { log, state, say };
}

function words(): Int32Array {
  return openControl(new SharedArrayBuffer(CONTROL_BYTES)).words;
}

describe("CallLog", () => {
  it.each([
    ["nothing", "", 256],
    ["letters", "abc", 259],
    ["quotes and backslashes", '"\\', 260],
    ["what JSON escapes", "\n\0", 268],
    ["invisible characters", "\u200b\u202e", 268],
    ["characters of three bytes", "\u4e00\u4e01", 262],
  ])("counts the cost of %s in a line [B3.logs]", (_what, text, bytes) => {
    const { log, say } = startLog();
    say(text);
    expect(log.bytes).toBe(bytes);
  });

  it("drops lines beyond the limit, counts them, and reports them in its last line [B3.logs] [LV1.logs]", () => {
    const { log, say } = startLog(600);
    for (const text of ["one", "two", "three"]) say(text);
    expect(log.bytes).toBe(3 * 256 + 11);
    expect(log.close()).toEqual([
      ["info", "one"],
      ["info", "two"],
      ["warn", "3 lines, 1 dropped"],
    ]);
  });

  it("cuts a line that is longer than the host processes at once [LV2.logs]", () => {
    const { log } = startLog();
    log.add(JSON.stringify({ level: "info", text: "x".repeat(100_000) }));
    expect(log.close()).toEqual([["info", "x".repeat(32 * KB)]]);
  });

  it("sends batches of 16 KB, and lines that have waited for 50 ms [LV1.logs]", () => {
    const { log, state, say } = startLog();
    for (let line = 0; line < 65; line++) say("");
    expect(state.posted.map(({ length }) => length)).toEqual([64]);
    state.now += 49;
    log.flushOld();
    expect(state.posted).toHaveLength(1);
    state.now += 1;
    log.flushOld();
    expect(state.posted.map(({ length }) => length)).toEqual([64, 1]);
  });
});

describe("LogCredit", () => {
  const PART = 16 * KB;
  const taken = (credit: LogCredit, owner: string): number => {
    let parts = 0;
    while (parts < 100 && credit.take(owner, PART)) parts++;
    return parts;
  };

  it("gives a plugin half of the free credit, so that a flood leaves half to the others [LV3.logs]", () => {
    const credit = new LogCredit(words());
    expect([taken(credit, "a"), taken(credit, "b"), taken(credit, "c")]).toEqual([8, 4, 2]);
  });

  it("returns credit for batches that the host has taken, in order [LV1.logs]", () => {
    const status = words();
    const credit = new LogCredit(status);
    expect(taken(credit, "a")).toBe(8);
    Atomics.add(status, LOGS_HEARD, 3);
    expect(taken(credit, "a")).toBe(3);
    Atomics.add(status, LOGS_HEARD, 8);
    expect([taken(credit, "b"), taken(credit, "a")]).toEqual([8, 4]);
  });
});
