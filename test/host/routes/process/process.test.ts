import { stat } from "node:fs/promises";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { listenOnce } from "../../../../host/platform/trusted/listen-once.ts";
import type { Executor } from "../../../../host/tools/execution.ts";
import { createHostExecutor } from "../../../../host/routes/host.ts";
import { type Behaviour, executorSuite } from "../../../conformance/executor.ts";
import { routeOptions } from "../../../support/execution.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { platformWithProcesses, runTrusted, toolBody, trustedExecution, trustedTool } from "../../../support/trusted-call.ts";

function toBody(behaviour: Behaviour, confinement: "deno" | "none"): string {
  switch (behaviour.does) {
    case "return":
      return `return ${JSON.stringify(behaviour.output)};`;
    case "return arguments":
      return "return args;";
    case "return parts":
      return `return context.output(${JSON.stringify(behaviour.parts)});`;
    case "throw":
      return `throw new Error(${JSON.stringify(behaviour.message)});`;
    case "throw a ToolError":
      return `throw context.error(${JSON.stringify(behaviour.message)});`;
    case "wait":
      return `context.progress("begun"); await new Promise((_resolve, reject) => context.signal.addEventListener("abort", () => reject(context.signal.reason)));`;
    case "write":
      return `await context.workspace.write(${JSON.stringify(behaviour.path)}, ${JSON.stringify(behaviour.text)}); return null;`;
    case "read":
      return confinement === "deno"
        ? `return await Deno.readTextFile(${JSON.stringify(behaviour.path)});`
        : `return await context.workspace.read(${JSON.stringify(behaviour.path)});`;
  }
}

for (const confinement of ["deno", "none"] as const) {
  executorSuite(confinement === "deno" ? "host, a trusted plugin's," : "host, an unconfined plugin's,", () => {
    const platform = platformWithProcesses();
    const options = routeOptions(platform);
    let begun = 0;
    return {
      execute: createHostExecutor(options),
      events: options.events,
      advance: platform.advance,
      begun: () => begun,
      execution: (behaviour, { args, signal, wallMs } = {}) =>
        trustedExecution(toolBody(toBody(behaviour, confinement)), {
          confinement,
          ...(args !== undefined && { args }),
          ...(signal && { signal }),
          ...(wallMs !== undefined && { limits: { wallMs } }),
          call: { onProgress: () => void (begun += 1) },
        }),
    };
  });
}

describe("createProcessExecutor()", () => {
  const route = (platform: ReturnType<typeof platformWithProcesses>): Executor => createHostExecutor(routeOptions(platform));

  it("runs nothing of an untrusted plugin and says how to trust it [O1.untrusted, O2]", async () => {
    const { decision, ...execution } = trustedExecution(toolBody("return 1;"));
    const { confinement: _none, ...undecided } = decision;
    expect(await route(platformWithProcesses())({ ...execution, decision: undecided })).toMatchObject({
      ok: false,
      error: {
        code: "unavailable",
        message: expect.stringMatching(/"trusted" in bascule\.json does not list "words".*"digest": "digest-of-words"/),
      },
    });
  });

  it("says that Deno is missing and how to install it [O1.deno]", async () => {
    const platform = { ...platformWithProcesses(), trusted: { ...currentPlatform().trusted, find: () => undefined } };
    expect(await route(platform)(trustedExecution(toolBody("return 1;")))).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringMatching(/Deno was not found \(install it from https:\/\/deno\.com/) },
    });
  });

  it("speaks version 1 of Deno's broker protocol, as this Deno does [O1.protocol]", async () => {
    const platform = currentPlatform();
    const checks: string[] = [];
    const asked = Promise.withResolvers<void>();
    const running = await platform.trusted.start(
      {
        confinement: "deno",
        files: new Map(),
        imports: [],
        cwd: "/",
        env: {},
        memoryBytes: 64 * 1024 * 1024,
        maxLineBytes: 1_000,
        mayRun: false,
      },
      {
        onMessage: () => {},
        onOutput: () => {},
        onCheck(line) {
          checks.push(line);
          asked.resolve();
        },
      },
    );
    try {
      await asked.promise;
      const { root, channel } = running;
      expect(JSON.parse(checks[0] ?? "")).toEqual({
        v: 1,
        pid: expect.any(Number),
        id: 1,
        datetime: expect.stringMatching(/^\d{4}-.*\+00:00$/),
        permission: "read",
        value: channel,
      });
      // No other client gets in: the folder is private to this user with an unpredictable name, and a second connection is refused.
      expect((await stat(root)).mode & 0o777).toBe(0o700);
      expect(await platform.sockets.connect(`${root}/b`)).toBeUndefined();
      running.answer(JSON.stringify({ id: 1, result: "deny", reason: "no" }));
      expect(await running.ended).toMatch(/exit code|signal/);
    } finally {
      await running.end();
    }
    await expect(stat(running.root)).rejects.toThrow();
  });

  it("ends a process whose host answers with an invalid line [O1.fault]", async () => {
    const running = await currentPlatform().trusted.start(
      {
        confinement: "deno",
        files: new Map(),
        imports: [],
        cwd: "/",
        env: {},
        memoryBytes: 64 * 1024 * 1024,
        maxLineBytes: 1_000,
        mayRun: false,
      },
      { onMessage: () => {}, onOutput: () => {}, onCheck: () => running.answer("allow") },
    );
    expect(await running.ended).toMatch(/exit code|signal/);
    await running.end();
  });

  it("gives a process only the variables that its call may read [O1.environment, C7]", async () => {
    const platform = {
      ...currentPlatform(),
      environment: {
        ...currentPlatform().environment,
        names: () => ["GIVEN", "KEPT", "NODE_OPTIONS"],
        get: (name: string) => `value of ${name}`,
      },
    };
    const { outcome } = await runTrusted(toolBody('return [Deno.env.get("GIVEN"), Deno.env.get("NODE_OPTIONS") ?? null];'), {
      workspace: await temporaryFolder(),
      platform,
      permissions: { env: ["GIVEN", "NODE_*"] },
    });
    expect(outcome).toMatchObject({ ok: true, output: ["value of GIVEN", null] });
  });

  it("shows an author's own error with the author's file names [X4, O1.errors]", async () => {
    const tool = trustedTool('import { fail } from "./lib.ts";\nexport const run = () => fail();', {
      "lib.ts": "export function fail(): void {\n  throw new TypeError('no');\n}",
    });
    const { outcome } = await runTrusted(tool, { workspace: await temporaryFolder() });
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code: "tool_failed",
        message: "TypeError: no",
        details: { stack: expect.stringMatching(/^\s*at fail \(lib\.ts:2:9\)\n\s*at run \(main\.ts:2:26\)$/) },
      },
    });
  });

  it.each([
    ["a function", "return () => 1;", { code: "invalid_output" }],
    ["a BigInt", "return { n: 1n };", { code: "invalid_output" }],
    [
      "bytes",
      "return { rows: [new Date(0), new Number(1), { read: new Uint8Array([1]) }] };",
      {
        code: "invalid_output",
        message:
          "Invalid output at /rows/2/read: A Uint8Array has no JSON form (toBase64() makes a string of it, Array.from an array of numbers)",
      },
    ],
    [
      "after progress with a map",
      'context.progress({ "a/b": new Map() });',
      {
        code: "tool_failed",
        message: "TypeError: Invalid progress at /a~1b: A Map has no JSON form (Object.fromEntries makes an object of it)",
      },
    ],
    [
      "after a call with a set",
      'return await context.tools.call("x", { all: new Set() });',
      { code: "tool_failed", message: "TypeError: Invalid arguments at /all: A Set has no JSON form (Array.from makes an array of it)" },
    ],
    [
      "before a timer throws",
      "setTimeout(() => { throw new RangeError('later'); }); await new Promise(() => {});",
      { code: "tool_failed", message: "RangeError: later" },
    ],
  ])("answers like the sandbox for a tool that returns %s [O1.errors, X1]", async (_name, body, error) => {
    const { outcome } = await runTrusted(toolBody(body), { workspace: await temporaryFolder() });
    expect(outcome).toMatchObject({ ok: false, error });
  });

  it("names the functions of a module if the requested one is missing [O1.errors]", async () => {
    const { outcome } = await runTrusted(trustedTool("export function other() {}"), { workspace: await temporaryFolder() });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: '"main.ts" exports no function "run" (it exports other)' },
    });
  });

  it("waits for tools that need a confirmation first, as the sandbox does [D4.step, O1.same]", async () => {
    const asked: number[] = [];
    const tool = toolBody(`return await context.tools.call("late", { n: 1 });`);
    if (tool.binding.kind !== "plugin") throw new Error("No plugin");
    const { version } = tool.binding;
    const asking = { ...version, manifest: { ...version.manifest, permissions: { tools: ["late"] } } };
    const { outcome } = await runTrusted(
      { ...tool, binding: { kind: "plugin", version: asking } },
      {
        workspace: await temporaryFolder(),
        permissions: { tools: ["late"] },
        openTools: () => ({
          steps: undefined,
          hasSteps: true,
          find: (name) => name,
          call: async () => ({ asks: 7 }),
          asked: async (step) => void asked.push(step),
          result: async (step) => (asked.length < 2 ? { asks: step } : { ok: true, output: "after all" }),
          close: async () => {},
        }),
      },
    );
    expect([outcome, asked]).toMatchObject([{ ok: true, output: "after all" }, [7, 7]]);
  });
});

describe("listenOnce()", () => {
  it("accepts the first client and closes all other connections [O1.protocol]", async () => {
    const path = `${await temporaryFolder()}/s`;
    const heard: string[] = [];
    const listening = await listenOnce(path, 1_000, (line) => void heard.push(line));
    const closed: number[] = [];
    const sockets = [1, 2, 3].map((number) => {
      const socket = connect(path);
      socket.on("error", () => {});
      socket.on("close", () => closed.push(number));
      socket.write(`${number}\n`);
      return socket;
    });
    await listening.connected;
    await expect.poll(() => closed.length, { timeout: 20_000 }).toBe(2);
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(1);
    expect(closed).not.toContain(Number(heard[0]));
    listening.close();
    for (const socket of sockets) socket.destroy();
  });
});
