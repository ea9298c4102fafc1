import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const isLinux = process.platform === "linux";

interface Descendant {
  readonly pid: number;
  readonly parent: number;
  /** `Z` is a zombie: it has ended and was not waited for. */
  readonly state: string;
}

/** Returns the descendants of this process, as the system lists them. */
function descendants(): readonly Descendant[] {
  const all = readdirSync("/proc").flatMap((name): readonly Descendant[] => (/^\d+$/.test(name) ? statOf(Number(name)) : []));
  const found: Descendant[] = [];
  const above = new Set([process.pid]);
  for (let before = -1; before !== found.length;) {
    before = found.length;
    for (const one of all) {
      if (!above.has(one.parent) || above.has(one.pid)) continue;
      above.add(one.pid);
      found.push(one);
    }
  }
  return found;
}

const isOurs = ({ parent }: Descendant): boolean => parent === process.pid;

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function statOf(pid: number): readonly Descendant[] {
  try {
    const [state = "", parent = ""] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return [{ pid, parent: Number(parent), state }];
  } catch {
    // The process ended meanwhile.
    return [];
  }
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}

const PLUGIN = `export async function waits() { await new Promise((resolve) => setTimeout(resolve, 100)); return "waited"; }
export async function acts() { await Deno.readTextFile("x").catch(() => {}); await new Promise((resolve) => setTimeout(resolve, 60_000)); }
export function spins() { for (;;); }`;

/** Calls repeatedly until stopped. Every call must be answered. */
function canary(box: TestSandbox): { stop(): Promise<number> } {
  let isOver = false;
  let answered = 0;
  const loop = (async () => {
    while (!isOver) {
      expect(outputOf(await box.call("canary", "sings"))).toBe("tweet");
      answered++;
    }
    return answered;
  })();
  return {
    stop() {
      isOver = true;
      return loop;
    },
  };
}

describe.runIf(isLinux)("the sandbox's process, killed under load", () => {
  it("is replaced: calls without effects and the canary are answered, and nothing of it is left [B10.kill-process] [B4.process]", async () => {
    const before = { files: openFiles(), processes: descendants().length };
    const box = startSandbox({ by: "process", maximumWorkers: 2 });
    await box.load("plugin", PLUGIN);
    await box.load("canary", `export function sings() { return "tweet"; }`);
    const bird = canary(box);
    // Processes that we started, and those that really run: they differ if a namespace is in between. The spare is included.
    for (const isVictim of [isOurs, (one: Descendant) => !descendants().some(({ parent }) => parent === one.pid)]) {
      let asked = 0;
      const acting = box.call("plugin", "acts", {
        hostCall: () => {
          asked++;
          return Promise.resolve({ ok: false, error: { name: "NotFound", message: "no" } });
        },
      });
      const waiting = Array.from({ length: 10 }, () => box.call("plugin", "waits"));
      await expect.poll(() => asked, { timeout: 60_000 }).toBe(1);
      const victims = descendants().filter(isVictim);
      expect(victims.length).toBeGreaterThan(0);
      for (const { pid } of victims) killIfThere(pid);
      expect(outputOf(await acting)).toEqual({ kind: "lost" });
      for (const outcome of await Promise.all(waiting)) expect(outputOf(outcome)).toBe("waited");
      expect(asked).toBe(1);
    }
    // The call's own deadline applies in the replacement process.
    expect(outputOf(await box.call("plugin", "spins", { limits: { cpuMs: 50 } }))).toMatchObject({ kind: "timeout" });
    expect(await bird.stop()).toBeGreaterThan(0);
    expect(box.defects.length).toBeGreaterThanOrEqual(2);
    expect(descendants().filter(({ state }) => state === "Z")).toEqual([]);

    await box[Symbol.asyncDispose]();
    await expect.poll(() => descendants().length, { timeout: 60_000 }).toBe(before.processes);
    // At least four processes have come and gone, with three streams each. A runtime may have opened files for itself.
    await expect.poll(openFiles, { timeout: 60_000 }).toBeLessThan(before.files + 4);
  }, 180_000);
});

/** Kills a process. Children of a killed process may already have ended with it. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
