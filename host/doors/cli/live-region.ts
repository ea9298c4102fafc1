/** The line at the bottom of `bascule dev`: an open prompt, or else the progress of the running calls. */

import { createMutex } from "../../platform/mutex.ts";
import type { Platform } from "../../platform/platform.ts";
import { count, printable, shorten } from "../../primitives/text.ts";
import type { Output } from "./output.ts";

/** Progress of calls and prompts. Without a terminal, progress is written as lines. */
export interface LiveRegion {
  /** Shows the latest progress of a call. */
  progress(callId: string, tool: string, text: string): void;
  /** Removes a call. */
  ended(callId: string): void;
  /** Asks on the terminal, one prompt at a time. @returns undefined without an answer, or if the signal fires */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
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
  const running = new Map<string, { readonly text: string; readonly saidAt: number }>();
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
    progress(callId, tool, reported) {
      const text = `${printable(tool)} ${reported}`;
      const now = clock.monotonic();
      const saidAt = running.get(callId)?.saidAt;
      const isDue = saidAt === undefined || now - saidAt >= LINE_MS;
      running.delete(callId);
      running.set(callId, { text, saidAt: isDue ? now : (saidAt ?? now) });
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
