/** The calls of the soak: what each is, and what must come of it. */

import type { ToolResult } from "../../host/mod.ts";
import { COPIES } from "./plugins.ts";

/** A call to make. */
export interface Wish {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
  /** Cancelled after so long. */
  readonly cancelMs?: number;
  /** What is wrong with the result; undefined: nothing. */
  judge(result: ToolResult): string | undefined;
}

export interface World {
  /** The local server's origin. */
  readonly url: string;
  /** A folder of the workspace. */
  readonly folder: string;
}

/** Draws numbers from 0 to 1: seeded, so that a soak can be had again as far as threads allow. */
export type Draw = () => number;

/** Most calls are good ones: a hostile one takes the time of a hundred of them. */
export function drawCall(draw: Draw, world: World, nonce: string): Wish {
  const copy = Math.floor(draw() * COPIES);
  const roll = draw();
  if (roll < 0.9) return goodCall(pick(GOOD_TOOLS, draw), `good${copy}`, world, nonce);
  if (roll < 0.95) return cancelledCall(pick(["good_waits", "good_asks", "hostile_spins", "hostile_jobs"], draw), copy, world, draw);
  return hostileCall(pick(HOSTILE_TOOLS, draw), `hostile${copy}`, world, nonce);
}

/** An answer with the call's own nonce, out of the right plugin's memory, in which nothing of another call was. */
export function goodCall(tool: string, plugin: string, { url, folder }: World, nonce: string): Wish {
  return {
    tool: `${plugin}_${tool}`,
    args: { nonce, url, folder },
    judge: (result) => (result.ok ? different(result.output, { nonce, plugin, found: [] }) : failed(result)),
  };
}

export const GOOD_TOOLS = ["echo", "echo", "echo", "timers", "files", "gets", "hashes"] as const;

/** By tool: the error that there must be, or the output. */
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
      if (wanted === undefined) return "Nobody knows what must come of it";
      // Its limits are tight, and the machine may be busy.
      if (!result.ok && result.error.code === "timeout") return undefined;
      if ("output" in wanted) return result.ok ? different(result.output, wanted.output) : failed(result);
      if (result.ok) return `It answered ${JSON.stringify(result.output).slice(0, 200)}`;
      return wanted.codes.includes(result.error.code) ? undefined : failed(result);
    },
  };
}

/** Waits or spins for longer than anybody does; must end as cancelled, or by its own time. */
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
  if (found === undefined) throw new Error("There is nothing to pick from");
  return found;
}

function different(found: unknown, wanted: unknown): string | undefined {
  const text = JSON.stringify(found);
  return text === JSON.stringify(wanted) ? undefined : `It answered ${text.slice(0, 200)} instead of ${JSON.stringify(wanted)}`;
}

function failed(result: ToolResult): string {
  return result.ok ? "" : `${result.error.code}: ${result.error.message.slice(0, 200)}`;
}
