/** Reports a program's output as progress while it runs: at most ten times a second, and up to a total (SPEC T4). */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { Clock } from "../../platform/platform.ts";
import type { OutputStream } from "../../platform/processes/process-types.ts";

/** Reports the streams of one program. */
interface OutputDeltas {
  add(stream: OutputStream, bytes: Uint8Array): void;
  /** Reports the remaining output, and stops. */
  end(): void;
}

const EVERY_MS = 100;
/** Maximum length of one report. The excess appears only in the result. */
const MAX_CHARACTERS = 16 * 1024;
/** Maximum length of all reports of a run. */
const MAX_TOTAL = 512 * 1024;
const STREAMS: readonly OutputStream[] = ["stdout", "stderr"];

/** Creates the reporter. The first output is reported at once; later output waits up to 100 ms after the last report. */
export function createOutputDeltas(clock: Pick<Clock, "after">, progress: (value: JsonValue) => void): OutputDeltas {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const waiting = { stdout: "", stderr: "" };
  let left = MAX_TOTAL;
  let stopTimer: (() => void) | undefined;

  function report(): void {
    for (const stream of STREAMS) {
      const text = waiting[stream];
      waiting[stream] = "";
      if (text === "" || left <= 0) continue;
      left -= text.length;
      progress({ stream, text });
      if (left <= 0) progress({ stream, text: "[the rest is in the result only]\n" });
    }
  }

  function wait(): void {
    stopTimer = clock.after(EVERY_MS, () => {
      stopTimer = undefined;
      if (waiting.stdout === "" && waiting.stderr === "") return;
      report();
      wait();
    });
  }

  return {
    add(stream, bytes) {
      if (left <= 0) return;
      waiting[stream] += decoders[stream].decode(bytes, { stream: true }).slice(0, MAX_CHARACTERS - waiting[stream].length);
      if (stopTimer !== undefined) return;
      report();
      wait();
    },
    end() {
      stopTimer?.();
      report();
    },
  };
}
