import { TypeRegistry } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { describe, expect, it } from "vitest";
import { EVENT_SCHEMAS } from "../../../host/audit/event-schemas.ts";
import { EVENT_TYPES } from "../../../host/audit/events.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { returns } from "../../support/fake-sandbox.ts";
import { testHost } from "../../support/test-host.ts";
import { hostTool, pluginVersion, publishedTools } from "../../support/tools.ts";

// TypeBox checks plain JSON Schemas with the same keywords as its own.
TypeRegistry.Set("Unsafe", (schema: { type?: string }, value) => schema.type !== "object" || (typeof value === "object" && value !== null));

describe("EVENT_SCHEMAS", () => {
  it("has a schema for every type [AU1]", () => {
    expect(Object.keys(EVENT_SCHEMAS)).toEqual([...EVENT_TYPES]);
  });

  it("accepts what the host emits, and not a payload of another type [AU1]", async () => {
    const writes = hostTool("save", { sideEffects: ["write"] }, async (_args, { workspace, progress }) => {
      progress({ done: 1 });
      await workspace.write("a.txt", "x");
      return workspace.read("/etc/passwd");
    });
    const host = testHost({
      platform: memoryPlatform(),
      tools: [writes],
      project: { policy: { rules: [{ tool: "denied", allow: false }] } },
    });
    host.registry.register(hostTool("denied"));
    host.registry.replaceOwner(
      "words",
      publishedTools(pluginVersion("words", { tools: [{ name: "run", inputSchema: { type: "object", required: ["a"] } }] })),
    );
    host.sandbox.guests.set("run", returns(1));
    await host.call("save", {}, { confirm: async () => true });
    await host.call("denied");
    await host.call("run");
    await host.call("run", { a: 1 });
    expect(new Set(host.types())).toEqual(
      new Set([
        "tool.confirmation_requested",
        "tool.confirmation_resolved",
        "tool.called",
        "tool.output_delta",
        "capability.used",
        "capability.denied",
        "tool.failed",
        "tool.denied",
        "tool.input_invalid",
        "tool.completed",
      ]),
    );
    for (const { type, payload } of host.events) expect([...Value.Errors(EVENT_SCHEMAS[type], payload)], type).toEqual([]);
    expect(Value.Check(EVENT_SCHEMAS["tool.completed"], host.events[0]?.payload)).toBe(false);
  });
});
