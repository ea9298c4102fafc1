/** Endless output: bounded in memory, in events and in the result, while the host keeps serving. */

import { describe, expect, it } from "vitest";
import { createCapturedOutput } from "../../../host/capabilities/run/captured-output.ts";
import { createOutputDeltas } from "../../../host/capabilities/run/output-deltas.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { outputOf, shellHost } from "../../support/shell-host.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("a program that writes without end", () => {
  it("is bounded while others are served [G2.flood]", async () => {
    await using shell = await shellHost({
      scripts: { flood: "exec yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" },
    });
    const { host, events } = shell;
    const before = process.memoryUsage().rss;
    const running = host.call("shell", { command: "flood", timeoutMs: 1_200 });
    for (let call = 0; call < 20; call += 1) expect(await host.call("echo", { text: "x" })).toMatchObject({ ok: true });
    const result = await running;
    expect(result).toMatchObject({ error: { code: "timeout", details: { output: { droppedBytes: expect.any(Number) } } } });
    expect(JSON.stringify(result).length).toBeLessThan(1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    const deltas = events.filter(({ type }) => type === "tool.output_delta");
    expect(JSON.stringify(deltas).length).toBeLessThan(1024 * 1024);
  });

  it("keeps the beginning and the end [G2.flood]", async () => {
    await using shell = await shellHost({ scripts: { long: "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last" } });
    const { stdout, droppedBytes = 0 } = outputOf(await shell.host.call("shell", { command: "long" }));
    expect(stdout.startsWith("first\nxxx")).toBe(true);
    expect(stdout.endsWith("xxx\nlast\n")).toBe(true);
    expect(stdout).toContain(`\n[${droppedBytes} bytes left out]\n`);
    expect(droppedBytes).toBeGreaterThan(2_500_000);
  });

  it("does not exceed the output limit if its characters take much room as JSON [G2.flood]", async () => {
    await using shell = await shellHost({ scripts: { control: "head -c 400000 /dev/zero | tr '\\0' '\\001'" } });
    const result = await shell.host.call("shell", { command: "control" });
    expect(outputOf(result).droppedBytes).toBeGreaterThan(0);
    expect(JSON.stringify(result).length).toBeLessThan(1024 * 1024);
  });
});

describe("createCapturedOutput()", () => {
  it.each([1, 3, 7, 16, 40])("drops the middle, in pieces of %i bytes [G2.flood]", (size) => {
    const whole = Array.from({ length: 40 }, (_, n) => String.fromCharCode(33 + n)).join("");
    const captured = createCapturedOutput(64);
    for (let at = 0; at < whole.length; at += size) captured.add("stdout", bytes(whole.slice(at, at + size)));
    captured.add("stderr", bytes("e"));
    expect(captured.read()).toEqual({
      stdout: `${whole.slice(0, 16)}\n[8 bytes left out]\n${whole.slice(-16)}`,
      stderr: "e",
      droppedBytes: 8,
    });
  });

  it("drops nothing that fits [G2.flood]", () => {
    const captured = createCapturedOutput(100);
    captured.add("stdout", bytes("grün\n"));
    captured.add("stdout", new Uint8Array([0xff]));
    expect(captured.read()).toEqual({ stdout: "grün\n\ufffd", stderr: "" });
  });

  it("reports half a megabyte as progress, and then that there is more [G2.flood]", () => {
    const platform = memoryPlatform();
    const told: string[] = [];
    const deltas = createOutputDeltas(platform.clock, (value) => told.push(String((value as { readonly text: string }).text)));
    for (let second = 0; second < 100; second++) {
      deltas.add("stdout", bytes("x".repeat(16_384)));
      platform.advance(1_000);
    }
    deltas.end();
    const text = told.join("");
    expect(text.length).toBeLessThan(600_000);
    expect(text.endsWith("[the rest is in the result only]\n")).toBe(true);
  });
});
