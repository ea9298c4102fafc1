import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryProcesses, type MemoryProgram } from "../../../../host/platform/memory/memory-processes.ts";
import { createProcesses } from "../../../../host/platform/processes/processes.ts";
import { describeProcesses, type TestProgram } from "../../../conformance/processes.ts";
import { checkedProgram } from "../../../support/checked-path.ts";
import { isGone, numberIn, script } from "../../../support/real-programs.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const SCRIPTS: Readonly<Record<TestProgram, string>> = {
  report: `for a in "$@"; do printf '<%s>' "$a"; done; printf '\\n%s\\n' "$A"; pwd; cat`,
  "exit 3": "exit 3",
  "two streams": "echo out; echo err >&2",
  deaf: "trap '' TERM; echo ready; while :; do sleep 0.05; done",
  obedient: "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done",
  silent: "exec sleep 600",
};

const FUNCTIONS: Readonly<Record<TestProgram, MemoryProgram>> = {
  report: ({ args, env, cwd, stdin, write }) => {
    write(`${args.map((arg) => `<${arg}>`).join("")}\n${env["A"]}\n${cwd}\n${stdin}`);
    return 0;
  },
  "exit 3": () => 3,
  "two streams": ({ write }) => {
    write("out\n");
    write("err\n", "stderr");
    return 0;
  },
  deaf: ({ write }) => {
    write("ready\n");
    return new Promise(() => undefined);
  },
  obedient: ({ write, terminated }) =>
    new Promise((resolve) => {
      write("ready\n");
      terminated.addEventListener("abort", () => {
        write("bye\n");
        resolve(7);
      });
    }),
  silent: () => new Promise(() => undefined),
};

describeProcesses("memory", async () => ({
  processes: createMemoryProcesses(Object.fromEntries(Object.entries(FUNCTIONS).map(([name, run]) => [`/bin/${name}`, run])), 2),
  folder: "/workspace",
  program: async (name) => `/bin/${name}`,
}));

const real = createProcesses({ killAfterMs: 200, maximum: 2 });
describeProcesses("real", async () => {
  const folder = await temporaryFolder();
  // Each script is written once, because a shell that is about to read it would find it empty.
  const written = new Map<TestProgram, Promise<string>>();
  function program(name: TestProgram): Promise<string> {
    const path = written.get(name) ?? script(folder, name.replace(" ", "-"), SCRIPTS[name]);
    written.set(name, path);
    return path;
  }
  return { processes: createProcesses({ killAfterMs: 200, maximum: 2 }), folder, program };
});

describe("createProcesses()", () => {
  async function run(lines: string, args: readonly string[] = []) {
    const folder = await temporaryFolder();
    const path = await script(folder, "program", lines);
    const pieces: Uint8Array[] = [];
    const onOutput = (_stream: string, bytes: Uint8Array): void => void pieces.push(bytes);
    const running = await real.start(checkedProgram(path), { args, cwd: folder, env: { PATH: "/usr/bin:/bin" }, onOutput });
    return { running, folder, text: () => Buffer.concat(pieces).toString() };
  }

  it("starts at most half of the programs for one caller, until one has ended [LV3.programs]", async () => {
    const folder = await temporaryFolder();
    const path = await script(folder, "stays", "exec sleep 600");
    const processes = createProcesses({ killAfterMs: 200, maximum: 4 });
    const options = { args: [], cwd: folder, env: { PATH: "/usr/bin:/bin" }, onOutput: () => undefined };
    const start = (caller: string): ReturnType<typeof processes.start> =>
      processes.start(checkedProgram(path), { ...options, caller, owner: caller });
    const running = [await start("evil"), await start("evil")];
    onTestFinished(async () => {
      for (const { stop } of running) stop();
      await Promise.all(running.map(({ ended }) => ended));
    });
    const busy = { code: "busy", message: "Cannot run more than 4 programs at once, 2 of them for one session's owner" };
    await expect(start("evil")).rejects.toMatchObject(busy);
    running.push(await start("other"));
    running[0]?.stop();
    await running[0]?.ended;
    running.push(await start("evil"));
  });

  it("ends a program's children with it and does not wait for processes that hold its pipes [T3.group]", async () => {
    const { running, folder, text } = await run("sleep 600 & echo $! >child; (sleep 600; echo no) & echo done");
    expect(await running.ended).toEqual({ exitCode: 0 });
    expect(text()).toBe("done\n");
    const child = await numberIn(`${folder}/child`);
    await expect.poll(() => isGone(child), { timeout: 10_000 }).toBe(true);
  });

  it.skipIf(process.platform !== "linux")("does not wait for a process that left the group with the pipes open [T3.group]", async () => {
    const { running, folder } = await run(
      'setsid sh -c "echo \\$\\$ >gone; exec sleep 600" & while [ ! -s gone ]; do sleep 0.02; done; echo done',
    );
    expect(await running.ended).toEqual({ exitCode: 0 });
    // The host cannot reach this process, so the test ends it.
    process.kill(await numberIn(`${folder}/gone`), "SIGKILL");
  });

  it("kills the whole group if a child ignores SIGTERM [T3.group]", async () => {
    const { running, folder } = await run(`sh -c 'trap "" TERM; echo $$ >child; while :; do sleep 0.05; done'`);
    const child = await numberIn(`${folder}/child`);
    running.stop();
    expect(await running.ended).toMatchObject({ signal: expect.stringMatching(/^SIG(TERM|KILL)$/) });
    await expect.poll(() => isGone(child), { timeout: 10_000 }).toBe(true);
  });

  it("gives a program only its own variables and open files [G2.environment]", async () => {
    const folder = await temporaryFolder();
    let text = "";
    const onOutput = (_stream: string, bytes: Uint8Array): void => void (text += Buffer.from(bytes).toString());
    const environment = await real.start(checkedProgram("/usr/bin/env"), { args: [], cwd: folder, env: { ONLY: "this" }, onOutput });
    expect(await environment.ended).toEqual({ exitCode: 0 });
    expect(text).toBe("ONLY=this\n");
    if (process.platform !== "linux") return;
    text = "";
    const args = ["-l", "/proc/self/fd"];
    await (
      await real.start(checkedProgram("/bin/ls"), { args, cwd: folder, env: {}, onOutput })
    ).ended;
    // The listed folder itself is open. If the runtime supports it, /dev/null replaces the descriptors that were open here.
    const open = [...text.matchAll(/ (\d+) -> (.*)$/gm)].filter(([, , to]) => !/^\/dev\/null$|^\/proc\/\d+\/fd$/.test(to ?? ""));
    const closable = open.filter(([, file]) => !("Deno" in globalThis) || Number(file) < 10);
    expect(closable.map(([, file]) => file)).toEqual(["0", "1", "2"]);
  });

  it("rejects with an error of onOutput and ends the program [G2.processes]", async () => {
    const onOutput = (): void => {
      throw new Error("a defect");
    };
    const running = await real.start(checkedProgram("/usr/bin/yes"), { args: [], cwd: "/", env: {}, onOutput });
    await expect(running.ended).rejects.toThrow("a defect");
  });

  it("reports arguments that are larger than the system accepts [G2.processes]", async () => {
    const args = Array.from({ length: 100 }, () => "x".repeat(120_000));
    const options = { args, cwd: "/", env: {}, onOutput: () => undefined };
    await expect(real.start(checkedProgram("/bin/true"), options)).rejects.toMatchObject({ name: "ProcessError", code: "too_large" });
  });

  it("leaves nothing behind when its own process is killed [T5.processes]", async () => {
    const folder = await temporaryFolder();
    await script(folder, "program", `echo $$ >child; trap '' TERM; while :; do sleep 0.05; done`);
    const url = new URL("../../../../host/platform/processes/processes.ts", import.meta.url).href;
    const code = `import { createProcesses } from ${JSON.stringify(url)};
      await createProcesses().start({ path: ${JSON.stringify(`${folder}/program`)} }, { args: [], cwd: ${JSON.stringify(folder)}, env: {}, onOutput() {} });`;
    const flags = "Deno" in globalThis ? ["eval", "--no-lock", code] : ["--input-type=module", "-e", code];
    const host = spawn(process.execPath, flags, { stdio: "ignore" });
    const child = await numberIn(`${folder}/child`);
    host.kill("SIGKILL");
    await expect.poll(() => isGone(child), { timeout: 10_000 }).toBe(true);
    expect(await readFile(`${folder}/child`, "utf8")).toBe(`${child}\n`);
  });
});
