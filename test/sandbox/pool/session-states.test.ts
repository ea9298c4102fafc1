import { describe, expect, it } from "vitest";
import type { Image } from "../../../sandbox/engine/image.ts";
import { MAXIMUM_STATES, MAXIMUM_STATES_BYTES, SessionStates } from "../../../sandbox/pool/session-states.ts";

const MIB = 1024 * 1024;

function image(bytes = 256): Image {
  return { pages: new SharedArrayBuffer(bytes), heapEnd: 0 };
}

/** Returns those of the named sessions that have a state of the plugin. */
async function held(states: SessionStates, digest: string, sessions: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    sessions.map((session) =>
      states.next({ digest, session }, new AbortController().signal, (state) => Promise.resolve(state === undefined ? [] : [session])),
    ),
  );
  return found.flatMap((one) => one ?? []);
}

function names(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => `s${index + from}`);
}

describe("SessionStates", () => {
  it("removes surplus states of the plugin that holds most, least recently used first [B2.share] [LV3.states]", async () => {
    const states = new SessionStates();
    for (const session of names(3)) states.keep({ digest: "few", session }, image());
    for (const session of names(2 * MAXIMUM_STATES)) states.keep({ digest: "many", session }, image());
    expect(await held(states, "few", names(3))).toEqual(names(3));
    expect(await held(states, "many", names(2 * MAXIMUM_STATES))).toEqual(names(MAXIMUM_STATES - 3, MAXIMUM_STATES + 3));
  });

  it("frees bytes of the plugin that holds most [B2.share-bytes] [LV3.states]", async () => {
    const states = new SessionStates();
    for (const session of names(20)) states.keep({ digest: "small", session }, image());
    const fitting = MAXIMUM_STATES_BYTES / (8 * MIB) - 1;
    for (const session of names(fitting + 4)) states.keep({ digest: "large", session }, image(8 * MIB));
    expect(await held(states, "small", names(20))).toEqual(names(20));
    expect(await held(states, "large", names(fitting + 4))).toEqual(names(fitting, 4));
  });

  it("drops the states of an ended session and of a removed version [LV5.states]", async () => {
    const states = new SessionStates();
    for (const digest of ["a", "b"]) for (const session of names(2)) states.keep({ digest, session }, image());
    states.endSession("s0");
    expect([await held(states, "a", names(2)), await held(states, "b", names(2))]).toEqual([["s1"], ["s1"]]);
    states.forget("a");
    expect([await held(states, "a", names(2)), await held(states, "b", names(2))]).toEqual([[], ["s1"]]);
  });
});
