import { describe, expect, it } from "vitest";
import { createHost } from "../../../host/mod.ts";
import { hostTool } from "../../support/tools.ts";

const TOOLS = ["first", "second"].map((name) => hostTool(name, { sideEffects: ["read"] }));

describe("host.list()", () => {
  it("creates a listing once for every list and session, until policy's decision changes [LV2.listings]", async () => {
    await using host = await createHost({ config: false, builtins: false, plugins: [], tools: TOOLS });
    const before = host.list();
    const seen = host.definitionsFor(host.session({ role: "guests" }));
    expect([before.map(({ name }) => name), same(before, host.list()), same(before, seen)]).toEqual([
      ["first", "second"],
      [true, true],
      [true, true],
    ]);
    expect(before.map((row) => Object.isFrozen(row))).toEqual([true, true]);
  });

  it("shows the current decision of policy for each tool [LV2.listings]", async () => {
    const config = { policy: { rules: [{ tool: "second", limits: { wallMs: 5 } }] } };
    await using host = await createHost({ config, builtins: false, plugins: [], tools: TOOLS });
    const listed = (): readonly unknown[] => host.list().map(({ limits }) => limits.wallMs);
    const lists = [listed()];
    const remove = host.policy.addLayer("global", { name: "closed", deny: ["second"] });
    lists.push(listed());
    remove();
    lists.push(listed());
    expect(lists).toEqual([
      [60_000, 5],
      [60_000, undefined],
      [60_000, 5],
    ]);
  });
});

function same<T>(one: readonly T[], other: readonly T[]): readonly boolean[] {
  return one.map((row, at) => row === other[at]);
}
