import { describe, expect, it } from "vitest";
import { nearestName, nearestNames } from "../../../host/tools/nearest.ts";

const COMMANDS = ["init", "dev", "list", "info", "call", "check", "grant", "grants", "revoke", "why", "reload"];

describe("nearestName()", () => {
  it.each([
    ["lst", "list"],
    ["cal", "call"],
    ["gratn", "grant"],
    ["GRANTS", "grants"],
    ["reloda", "reload"],
    ["voke", "revoke"],
  ])("suggests %s for %s [I2.nearest]", (written, meant) => {
    expect(nearestName(written, COMMANDS)).toBe(meant);
  });

  it("suggests nothing for a name without near matches [I2.nearest]", () => {
    expect(nearestName("frobnicate", COMMANDS)).toBeUndefined();
    expect(nearestName("x".repeat(100_000), COMMANDS)).toBeUndefined();
    expect(nearestName("list", [])).toBeUndefined();
    expect(nearestName("fs_read", ["grep", "word_count"])).toBeUndefined();
  });
});

describe("nearestNames()", () => {
  it("ranks the nearest first, and names that contain the wanted one before all others [D3.nearest]", () => {
    expect(nearestNames("raed", ["grep", "write", "read"])).toEqual({ nearest: ["read", "grep", "write"], total: 3 });
    expect(nearestNames("peek", ["seek", "demo_peek"])).toEqual({ nearest: ["demo_peek", "seek"], total: 2 });
  });
});
