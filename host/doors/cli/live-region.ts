/** The line at the bottom of `bascule dev`: an open prompt, or else the progress of the running calls. */

import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { createMutex } from "../../platform/mutex.ts";
import type { Platform } from "../../platform/platform.ts";
import { count, printable, shorten } from "../../primitives/text.ts";
import type { Output } from "./output.ts";
import { progressText } from "./progress-text.ts";

/** Progress of calls and prompts. Without a terminal, progress is written as lines. */
export interface LiveRegion {
  /** Shows the latest progress of a call, and the time left since its first one. @param value what the tool reported */
  progress(callId: string, tool: string, value: JsonValue): void;
  /** Removes a call. */
  ended(callId: string): void;
  /** Asks on the terminal, one prompt at a time. @returns undefined without an answer, or if the signal fires */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Progress that a call reported at a time. */
interface Pace {
  readonly atMs: number;
  readonly progress: number;
}

/** Time between two progress lines of a call without a terminal, and between two drawings with one. */
const LINE_MS = 1_000;
const DRAW_MS = 100;

/** @param line writes a line of progress without a terminal */
export function createLiveRegion(
  { platform, output }: { readonly platform: Pick<Platform, "terminal" | "clock">; readonly output: Output },
  line: (text: string) => void,
): LiveRegion {
  const { terminal, clock } = platform;
  const running = new Map<string, { readonly text: string; readonly saidAt: number; readonly first: Pace }>();
  const inTurn = createMutex();
  let prompt = "";
  let isDrawn = false;

  function draw(): void {
    const last = [...running.values()].at(-1)?.text ?? "";
    const more = running.size > 1 ? ` (${count(running.size - 1, "more call")})` : "";
    // A line that wraps could not be erased.
    output.live?.(prompt === "" && last !== "" ? `${shorten(last, output.columns - more.length - 1)}${more}` : prompt);
  }

  /** Draws at most every `DRAW_MS`, because a plugin may report progress without end. */
  function drawSoon(): void {
    if (isDrawn) return;
    isDrawn = true;
    draw();
    clock.after(DRAW_MS, () => {
      isDrawn = false;
      draw();
    });
  }

  return {
    progress(callId, tool, value) {
      const now = clock.monotonic();
      const { saidAt, first = { atMs: now, progress: amountOf(value) } } = running.get(callId) ?? {};
      const text = `${printable(tool)} ${progressText(value, elapsedMs(first, { atMs: now, progress: amountOf(value) }))}`;
      const isDue = saidAt === undefined || now - saidAt >= LINE_MS;
      running.delete(callId);
      running.set(callId, { text, saidAt: isDue ? now : (saidAt ?? now), first });
      if (output.live !== undefined) drawSoon();
      else if (isDue) line(text);
    },
    ended(callId) {
      if (running.delete(callId)) draw();
    },
    ask: (text, signal) =>
      inTurn(async () => {
        // Not drawn earlier: what is typed before the prompt opens is discarded.
        const answer = await terminal.ask(text, signal, () => {
          prompt = text;
          draw();
        });
        prompt = "";
        // Without an answer the cursor is still on the line of the prompt.
        if (answer === undefined) terminal.error("\n");
        draw();
        return answer;
      }),
  };
}

/** Returns 0 if the call reports no amount. */
function amountOf(value: JsonValue): number {
  const progress = isJsonObject(value) ? value["progress"] : undefined;
  return typeof progress === "number" ? progress : 0;
}

/** Returns the time that all the progress took at the pace since the first report; undefined before the second one. */
function elapsedMs(first: Pace, now: Pace): number | undefined {
  const done = now.progress - first.progress;
  return done > 0 ? ((now.atMs - first.atMs) * now.progress) / done : undefined;
}
