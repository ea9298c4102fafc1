/**
 * Guest programs that try to leave state behind for the next call. Each is a plugin with `plant` and `probe`: after a restore the memory
 * must equal the image byte for byte, and `probe` must return the same as in a fresh state.
 */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { plainCopy } from "../../../sandbox/image/plain-copy.ts";
import { EngineInterrupted } from "../../../sandbox/engine/fuel.ts";
import { GuestException } from "../../../sandbox/engine/guest-values.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { engineModule, type InThreadPlugin, loadInThread, meteredModule } from "../../support/in-thread.ts";

const PROGRAMS = new URL("./programs/", import.meta.url);
const names = readdirSync(PROGRAMS).filter((name) => name.endsWith(".js"));

interface Way {
  readonly restorer: typeof plainCopy;
  readonly module: WebAssembly.Module;
}

const PLAIN: Way = { restorer: plainCopy, module: engineModule };
const RESTORERS: Readonly<Record<string, Way>> = {
  "plain copy": PLAIN,
  "plain copy on the rewritten engine": { restorer: plainCopy, module: meteredModule },
  "marked pages": { restorer: trackedRestore, module: meteredModule },
};

/** These leave nothing visible even without a restore: the guest's APIs start each call fresh, or the memory is free. */
const NOT_SEEN: ReadonlySet<string> = new Set(["environment-overlay.js", "heap-garbage.js", "symbols.js"]);

describe("state planting", () => {
  it("has at least 70 programs", () => {
    expect(names.length).toBeGreaterThanOrEqual(70);
  });

  for (const [kind, way] of Object.entries(RESTORERS)) {
    for (const name of names) {
      it(`${name.replace(".js", "")} leaves no state behind after a restore by ${kind} [B1.memory] [B2]`, async () => {
        expect(await leaksOf(name, way, (plugin) => plugin.restore())).toEqual([]);
      });
    }
  }

  for (const name of names) {
    it(`${name.replace(".js", "")} is detected if restore is disabled [B2.off]`, async () => {
      const leaks = await leaksOf(name, PLAIN, () => {});
      expect(leaks[0]).toContain("memory differs");
      expect(leaks.length).toBe(NOT_SEEN.has(name) ? 1 : 2);
    });
  }
});

/** Plants state, restores with `restore`, and returns the differences from a fresh state. */
async function leaksOf(name: string, { restorer, module }: Way, restore: (plugin: InThreadPlugin) => void): Promise<string[]> {
  const plugin = await loadInThread(readFileSync(new URL(name, PROGRAMS), "utf8"), restorer, { module });
  const fresh = attempt(() => plugin.call("probe"));
  plugin.restore();
  expect(plugin.differs()).toBeUndefined();

  attempt(() => plugin.call("plant"));
  restore(plugin);
  const leaks: string[] = [];
  const address = plugin.differs();
  if (address !== undefined) leaks.push(`memory differs at ${address}`);
  const after = attempt(() => plugin.call("probe"));
  if (after !== fresh) leaks.push(`probe saw ${after.slice(0, 200)} instead of ${fresh.slice(0, 200)}`);
  return leaks;
}

/** A program may end its instance in any way; only the remaining state matters. */
function attempt(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (
      error instanceof GuestException ||
      error instanceof EngineInterrupted ||
      error instanceof RangeError ||
      error instanceof WebAssembly.RuntimeError
    )
      return error.name;
    throw error;
  }
}
