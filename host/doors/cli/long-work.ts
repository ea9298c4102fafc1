/** Shows on a terminal how far long work is, and the time left (SPEC DI6). */

import type { ClientPlatform } from "../../platform/platform.ts";
import { shorten } from "../../primitives/text.ts";
import type { Output } from "./output.ts";
import { progressText } from "./progress-text.ts";

/** Position of the work: a part of `total`, if that is known, and what it does now. */
interface Step {
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
}

/** Tells where the work is: its step, or a function that returns it when it is drawn. */
type Report = (step: Step | (() => Step)) => void;

/** Work that ends earlier shows nothing. */
const QUIET_MS = 500;
const DRAW_MS = 200;

/**
 * Runs work and shows its progress on one line, which is removed at the end. Without a terminal, or with `--json`, shows nothing.
 *
 * @param what the work in a word or two, printable
 * @param work reports its steps, as often as it likes
 */
export async function withProgress<T>(
  {
    platform,
    output,
  }: { readonly platform: Pick<ClientPlatform, "clock" | "environment" | "terminal">; readonly output: Pick<Output, "live" | "columns"> },
  what: string,
  work: (report: Report) => Promise<T>,
): Promise<T> {
  const { live, columns } = output;
  const { clock, environment, terminal } = platform;
  // A dumb terminal cannot erase a line.
  if (live === undefined || environment.get("TERM") === "dumb") return await work(() => {});
  const began = clock.monotonic();
  let step: Parameters<Report>[0] = {};
  let isDrawn = false;
  const draw = (): void => {
    isDrawn = true;
    // A line that wraps could not be erased.
    const { message, ...amount } = typeof step === "function" ? step() : step;
    // A bar of one part would stay empty.
    const shown = { ...(amount.total !== undefined && amount.total > 1 && amount), ...(message !== undefined && { message }) };
    live(shorten(`${what}  ${progressText(shown, clock.monotonic() - began)}`, columns - 1));
    stop = clock.after(DRAW_MS, draw);
  };
  let stop = clock.after(QUIET_MS, draw);
  try {
    return await work((next) => {
      step = next;
    });
  } finally {
    stop();
    // The streams are not ordered with each other: a delayed line on stdout would draw the progress again.
    if (isDrawn) await terminal.flush();
    live("");
    if (isDrawn) await terminal.flush();
  }
}
