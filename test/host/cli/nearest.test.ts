import { describe, expect, it } from "vitest";
import { nearest } from "../../../host/cli/nearest.ts";

const COMMANDS = ["init", "dev", "list", "info", "call", "check", "grant", "grants", "revoke", "why", "reload"];

describe("nearest()", () => {
  it.each([
    ["lst", "list"],
    ["cal", "call"],
    ["gratn", "grant"],
    ["GRANTS", "grants"],
    ["reloda", "reload"],
  ])("takes %s for %s [I2.nearest]", (written, meant) => {
    expect(nearest(written, COMMANDS)).toBe(meant);
  });

  it("suggests nothing for what is near nothing [I2.nearest]", () => {
    expect(nearest("frobnicate", COMMANDS)).toBeUndefined();
    expect(nearest("x".repeat(100_000), COMMANDS)).toBeUndefined();
    expect(nearest("list", [])).toBeUndefined();
  });
});
