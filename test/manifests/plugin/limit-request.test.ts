import { describe, expect, it } from "vitest";
import { limitText, parseManifest, raisedLimits } from "../../../manifests/mod.ts";
import { manifest, tool } from "../../host/plugins/folder/harness.ts";

function raised(parts: Readonly<Record<string, unknown>>): unknown {
  const parsed = parseManifest(manifest("words", parts));
  return parsed.ok ? raisedLimits(parsed.value) : parsed.problems;
}

describe("raisedLimits()", () => {
  it("returns the limits requested above the defaults, with the longest time of all tools [B3.requests]", () => {
    expect(raised({})).toEqual({});
    expect(raised({ limits: { memoryBytes: 1, cpuMs: 10_000, outputBytes: 2_000_000, wallMs: 40_000 } })).toEqual({
      wallMs: 40_000,
      outputBytes: 2_000_000,
    });
    const tools = [tool("quick", { timeoutMs: 5 }), tool("slow", { timeoutMs: 600_000 })];
    expect(raised({ limits: { wallMs: 40_000 }, tools })).toEqual({ wallMs: 600_000 });
  });

  it("never exceeds the ceilings, so that the user confirms no more than those [B3.ceilings]", () => {
    expect(raised({ limits: { memoryBytes: 1e15, loadMs: 1e9, timers: 1e9 } })).toEqual({ memoryBytes: 512 * 1024 * 1024, loadMs: 30_000 });
  });

  it("counts the times of the older spelling [M9] [B3.requests]", () => {
    const about = { schema_version: "1.0", name: "words", version: "1.0.0", description: "Older" };
    const older = JSON.stringify({ ...about, tools: [{ name: "slow", description: "Slow", timeout_ms: 600_000 }] });
    const parsed = parseManifest(older);
    expect(parsed.ok && raisedLimits(parsed.value)).toEqual({ wallMs: 600_000 });
  });
});

describe("limitText()", () => {
  it("formats sizes and times for people [B3.text]", () => {
    const texts = [
      limitText("memoryBytes", 256 * 1024 * 1024),
      limitText("logBytes", 300 * 1024),
      limitText("outputBytes", 1_000_001),
      limitText("wallMs", 90_500),
      limitText("pendingOperations", 1_024),
    ];
    expect(texts).toEqual(["256 MiB", "300 KiB", "1000001 bytes", "90.5 s", "1024"]);
  });
});
