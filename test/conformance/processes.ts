/** Requirements for processes on every platform (architecture, decision 6, SPEC G2, T3). */

import { describe, expect, it } from "vitest";
import type { ProcessEnd, Processes, ProcessOptions } from "../../host/platform/processes/process-types.ts";
import { checkedProgram } from "../support/checked-path.ts";

/** Test programs that a platform has to provide. */
export const PROGRAMS = ["report", "exit 3", "two streams", "deaf", "obedient", "silent"] as const;
export type TestProgram = (typeof PROGRAMS)[number];

export interface ProcessesSetup {
  /** Starts processes with room for two programs and a short kill delay. */
  readonly processes: Processes;
  readonly folder: string;
  program(name: TestProgram): Promise<string>;
}

/** Registers the suite. */
export function describeProcesses(name: string, setup: () => Promise<ProcessesSetup>): void {
  describe(`${name}: processes`, () => {
    async function start(program: TestProgram, options: Partial<ProcessOptions> = {}, made?: ProcessesSetup) {
      const { processes, folder, program: find } = made ?? (await setup());
      const written = { stdout: "", stderr: "" };
      const running = await processes.start(checkedProgram(await find(program)), {
        args: [],
        cwd: folder,
        env: {},
        onOutput: (stream, bytes) => void (written[stream] += new TextDecoder().decode(bytes)),
        ...options,
      });
      return { running, written, folder };
    }

    it("passes arguments, a variable, the folder and the input unchanged [G2.processes]", async () => {
      const args = ["-c", "$(id); `id` | id", "", "a b", "ü\n", '"', "--"];
      const { running, written, folder } = await start("report", {
        args,
        env: { A: "$B; 'c" },
        stdin: new TextEncoder().encode("in\0put"),
      });
      expect(await running.ended).toEqual({ exitCode: 0 } satisfies ProcessEnd);
      expect(written.stdout).toBe(`${args.map((arg) => `<${arg}>`).join("")}\n$B; 'c\n${folder}\nin\0put`);
    });

    it("returns the exit code and separate streams [G2.processes]", async () => {
      expect(await (await start("exit 3")).running.ended).toEqual({ exitCode: 3 });
      const { running, written } = await start("two streams");
      expect(await running.ended).toEqual({ exitCode: 0 });
      expect(written).toEqual({ stdout: "out\n", stderr: "err\n" });
    });

    it("lets a stopped program clean up and keeps its output [T3.process]", async () => {
      const { running, written } = await start("obedient");
      await expect.poll(() => written.stdout, { timeout: 10_000 }).toBe("ready\n");
      running.stop();
      running.stop();
      expect(await running.ended).toEqual({ exitCode: 7 });
      expect(written.stdout).toBe("ready\nbye\n");
    });

    it("kills a program that does not stop [T3.process]", async () => {
      const { running, written } = await start("deaf");
      await expect.poll(() => written.stdout, { timeout: 10_000 }).toBe("ready\n");
      running.stop();
      expect(await running.ended).toEqual({ signal: "SIGKILL" });
      running.stop();
    });

    it("reports a program that cannot start, and limits concurrent programs [G2.processes]", async () => {
      const made = await setup();
      const missing = made.processes.start(checkedProgram(`${made.folder}/nothing/there`), {
        args: [],
        cwd: `${made.folder}/gone`,
        env: {},
        onOutput: () => undefined,
      });
      await expect(missing).rejects.toMatchObject({ name: "ProcessError", code: "not_found" });
      const [one, two] = [await start("silent", {}, made), await start("silent", {}, made)];
      await expect(start("silent", {}, made)).rejects.toMatchObject({ name: "ProcessError", code: "busy" });
      one.running.stop();
      await one.running.ended;
      const three = await start("silent", {}, made);
      for (const { running } of [two, three]) running.stop();
      await Promise.all([two.running.ended, three.running.ended]);
    });
  });
}
