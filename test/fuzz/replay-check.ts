/** Records a random program and replays it: everything must be the same, including fuel. */

import { setImmediate } from "node:timers/promises";
import type { HostAnswer, HostCallHandler } from "../../sandbox/mod.ts";
import { type RecordingHost, recordingHost } from "../support/recording-host.ts";
import { REPLAY_PLUGIN, type ReplayProgram, toArguments } from "./replay-program.ts";

export class ReplayCheck implements AsyncDisposable {
  #started: Promise<RecordingHost> | undefined;

  /** Returns the differences; empty if there are none. */
  async check(program: ReplayProgram): Promise<readonly string[]> {
    this.#started ??= recordingHost(REPLAY_PLUGIN);
    const box = await this.#started;
    const result = await box.call(toArguments(program), { answer: answering(program) });
    if (result.recording?.kept !== true) return [`Not recorded: ${JSON.stringify(result.recording)}`];
    const replayed = await box.replay(await box.recording(result.callId));
    return replayed.kind === "same" ? [] : [JSON.stringify(replayed)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#started)?.[Symbol.asyncDispose]();
  }
}

/** Answers after a given number of turns of the event loop, in an order that is not deterministic. */
function answering({ answers }: ReplayProgram): HostCallHandler {
  let asked = 0;
  return async ({ name, args }): Promise<HostAnswer> => {
    const { turns = 0, fails = false } = answers[asked++ % answers.length] ?? {};
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    if (fails) return { ok: false, error: { name: "NotFound", message: `${asked} not found` } };
    return { ok: true, value: null, bytes: new TextEncoder().encode(`${name} ${JSON.stringify(args)} ${Math.random()}`) };
  };
}
