/** The calls of the soak, and their expected results. */

import type { ToolResult } from "../../host/mod.ts";
import { COPIES } from "./plugins.ts";

/** A call to make. */
export interface Wish {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
  /** Delay after which the call is cancelled. */
  readonly cancelMs?: number;
  /** Returns the problem with a result; undefined if there is none. */
  judge(result: ToolResult): string | undefined;
}

export interface World {
  /** Origin of the local server. */
  readonly url: string;
  /** A folder of the workspace. */
  readonly folder: string;
}

/** Draws numbers from 0 to 1, from a seed, so that a soak can be repeated as far as threads allow. */
export type Draw = () => number;

/** Draws a call. Most are good ones, because a hostile one takes the time of a hundred of them. */
export function drawCall(draw: Draw, env: World, nonce: string): Wish {
  const copy = Math.floor(draw() * COPIES);
  const roll = draw();
  if (roll < 0.9) return goodCall(pick(GOOD_TOOLS, draw), `good${copy}`, env, nonce);
  if (roll < 0.95) return cancelledCall(pick(["good_waits", "good_asks", "hostile_spins", "hostile_jobs"], draw), copy, env, draw);
  return hostileCall(pick(HOSTILE_TOOLS, draw), `hostile${copy}`, env, nonce);
}

/** A call whose answer must contain its own nonce, come from the right plugin's memory, and contain nothing of another call. */
export function goodCall(tool: string, plugin: string, { url, folder }: World, nonce: string): Wish {
  return {
    tool: `${plugin}_${tool}`,
    args: { nonce, url, folder },
    judge: (result) => (result.ok ? different(result.output, { nonce, plugin, found: [] }) : failed(result)),
  };
}

export const GOOD_TOOLS = ["echo", "echo", "echo", "timers", "files", "gets", "hashes"] as const;

/** The expected error or output, by tool. */
const HOSTILE: Readonly<Record<string, { readonly codes: readonly string[] } | { readonly output: unknown }>> = {
  pollute: { output: null },
  escapes: { output: [] },
  spins: { codes: ["timeout"] },
  native: { codes: ["timeout", "resource_exhausted"] },
  bigints: { codes: ["timeout", "resource_exhausted", "tool_failed"] },
  memory: { codes: ["resource_exhausted", "timeout"] },
  recursion: { codes: ["resource_exhausted", "tool_failed"] },
  logs: { codes: ["timeout"] },
  floods: { codes: ["resource_exhausted", "timeout"] },
  jobs: { codes: ["timeout"] },
  output: { codes: ["resource_exhausted"] },
  never: { codes: ["tool_failed"] },
  throws: { codes: ["tool_failed", "timeout"] },
  rejects: { codes: ["tool_failed"] },
  timers: { codes: ["resource_exhausted"] },
};

const HOSTILE_TOOLS = Object.keys(HOSTILE);

function hostileCall(tool: string, plugin: string, { url, folder }: World, nonce: string): Wish {
  return {
    tool: `${plugin}_${tool}`,
    args: { nonce, url, folder },
    judge(result) {
      const wanted = HOSTILE[tool];
      if (wanted === undefined) return "No expected result is defined";
      // The limits are tight, and the machine may be busy.
      if (!result.ok && result.error.code === "timeout") return undefined;
      if ("output" in wanted) return result.ok ? different(result.output, wanted.output) : failed(result);
      if (result.ok) return `It answered ${JSON.stringify(result.output).slice(0, 200)}`;
      return wanted.codes.includes(result.error.code) ? undefined : failed(result);
    },
  };
}

/** A call that waits or spins for very long. It must end as cancelled, or by its own limit. */
function cancelledCall(of: string, copy: number, { url, folder }: World, draw: Draw): Wish {
  const [kind = "", tool = ""] = of.split("_");
  return {
    tool: `${kind}${copy}_${tool}`,
    args: { url, folder },
    cancelMs: Math.floor(draw() * 60),
    judge(result) {
      if (result.ok) return "It ended well";
      return ["cancelled", "timeout"].includes(result.error.code) ? undefined : failed(result);
    },
  };
}

function pick<T>(list: readonly T[], draw: Draw): T {
  const found = list[Math.floor(draw() * list.length)];
  if (found === undefined) throw new Error("The list is empty");
  return found;
}

function different(found: unknown, wanted: unknown): string | undefined {
  const text = JSON.stringify(found);
  return text === JSON.stringify(wanted) ? undefined : `It answered ${text.slice(0, 200)} instead of ${JSON.stringify(wanted)}`;
}

function failed(result: ToolResult): string {
  return result.ok ? "" : `${result.error.code}: ${result.error.message.slice(0, 200)}`;
}
