import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "../../scripts/run-command.ts";
import { heldSince, whatIsHeld } from "./held.ts";
import { judgeMemory, judgeRest } from "./memory.ts";
import { drawCall, goodCall } from "./traffic.ts";

const MIB = 2 ** 20;
const WORLD = { url: "http://127.0.0.1:1", folder: "files" };

describe("npm run soak", () => {
  it("finds no problem in a few seconds [B2.soak] [B4.soak]", { timeout: 120_000 }, async () => {
    const { code, output } = await runCommand(process.execPath, ["scripts/soak.ts", "--minutes", "0.03"], { timeoutMs: 110_000 });
    expect(output).toMatch(/^canary: [1-9]\d* answers/m);
    expect(output).toMatch(/^[1-9]\d* calls, \d+ reloads/m);
    expect({ code, last: output.trim().split("\n").at(-1) }).toEqual({ code: 0, last: "Nothing wrong" });
  });
});

describe("the soak's verdict", () => {
  it("accepts memory that varies, but not memory that grows", () => {
    const flat = Array.from({ length: 40 }, (_, lap) => (400 + (lap % 3) * 10) * MIB);
    expect(judgeMemory(flat)).toBeUndefined();
    expect(judgeMemory(flat.map((bytes, lap) => bytes + lap * 5 * MIB))).toBe(
      "Resident memory grew from 490 MB (median of the second quarter) to 580 MB (of the last)",
    );
    // The first quarter is the warm-up.
    expect(judgeMemory(flat.map((bytes, lap) => (lap < 10 ? bytes / 4 : bytes)))).toBeUndefined();
    expect(judgeMemory([1, 1_000 * MIB])).toBeUndefined();
  });

  it("accepts a fifth more memory at rest than before, but not more", () => {
    expect(judgeRest({ beforeBytes: 200 * MIB, afterBytes: 240 * MIB })).toBeUndefined();
    expect(judgeRest({ beforeBytes: 200 * MIB, afterBytes: 241 * MIB })).toBe(
      "Resident memory at rest was 200 MB before the traffic and is 241 MB after it",
    );
  });

  it("detects an open file, a server, a child and a listener that were left open", async () => {
    const before = whatIsHeld();
    expect(heldSince(before)).toEqual([]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
    process.on("bascule soak", () => undefined);
    onTestFinished(() => {
      server.close();
      child.kill();
      process.removeAllListeners("bascule soak");
    });
    const held = heldSince(before).join("\n");
    for (const one of ["resource TCPServerWrap", "resource ProcessWrap", "listener bascule soak"]) expect(held).toContain(one);
    if (process.platform === "linux") expect(held).toContain("file socket:[N]");
  });

  it("rejects answers of another call, another plugin, or of used memory", () => {
    const { judge } = goodCall("echo", "good1", WORLD, "n1");
    const answer = (output: unknown): Parameters<typeof judge>[0] => ({ ok: true, output }) as Parameters<typeof judge>[0];
    expect(judge(answer({ nonce: "n1", plugin: "good1", found: [] }))).toBeUndefined();
    expect(judge(answer({ nonce: "n2", plugin: "good1", found: [] }))).toMatch(/^It answered/);
    expect(judge(answer({ nonce: "n1", plugin: "good2", found: [] }))).toMatch(/^It answered/);
    expect(judge(answer({ nonce: "n1", plugin: "good1", found: ["n0"] }))).toMatch(/^It answered/);
    const failure = { ok: false, error: { code: "timeout", message: "late", visible: true } } as Parameters<typeof judge>[0];
    expect(judge(failure)).toBe("timeout: late");
  });

  it("draws hostile calls that must fail", () => {
    const requests = Array.from({ length: 2_000 }, (_, index) => drawCall(drawsOf(index), WORLD, "n"));
    const spins = requests.find(({ tool, cancelMs }) => tool.endsWith("_spins") && cancelMs === undefined);
    expect(spins?.judge({ ok: true, output: 1 } as Parameters<typeof spins.judge>[0])).toBe("It answered 1");
    expect(new Set(requests.map(({ tool }) => tool.replace(/\d+/, ""))).size).toBeGreaterThan(20);
  });
});

function drawsOf(seed: number): () => number {
  let state = seed + 1;
  return () => ((state = (state * 16_807) % 2_147_483_647) % 10_000) / 10_000;
}
