import { describe, expect, it } from "vitest";
import { createActCollector } from "../../../host/audit/acts.ts";
import type { JsonObject } from "../../../manifests/mod.ts";

function collector(): ReturnType<typeof createActCollector> {
  return createActCollector({
    plugin: "demo",
    requires: (tool) =>
      tool === "peek" ? [{ capability: "read", arg: "path" }] : tool === "get" ? [{ capability: "net", arg: "url" }] : [],
    bases: { workspace: "/project", plugin: "/project/plugins/demo" },
  });
}

function used(value: string, more: JsonObject = {}): JsonObject {
  const payload = { permission: "read", value, decision: "granted", layer: "user grant", ...more };
  return {
    type: payload.decision === "granted" ? "capability.used" : "capability.denied",
    time: 5,
    plugin: "demo",
    callId: "c1",
    sessionId: "s1",
    payload,
  };
}

describe("createActCollector()", () => {
  it("counts equal acts once, with their calls and refusals [P9.evidence]", () => {
    const { add, collected } = collector();
    add({ type: "tool.called", time: 1, plugin: "demo", callId: "c1", sessionId: "s1", payload: { tool: "demo.other", arguments: {} } });
    add(used("/project/a"));
    add(used("/project/a", { decision: "denied" }));
    add({ ...used("/project/a"), callId: "c2" });
    add({ ...used("/elsewhere"), plugin: "another" });
    expect(collected()).toEqual({
      acts: [
        { kind: "read", value: "/project/a", tool: "other", count: 2, refused: 1, calls: ["c1"] },
        { kind: "read", value: "/project/a", count: 1, refused: 0, calls: ["c2"] },
      ],
      calls: 1,
      dropped: 0,
      since: 1,
      until: 5,
    });
  });

  it("counts what arguments name, also in calls refused because of it [P9.requires]", () => {
    const { add, collected } = collector();
    const call = { time: 1, plugin: "demo", sessionId: "s1" };
    add({ ...call, type: "tool.called", callId: "c1", payload: { tool: "demo.peek", arguments: { path: "/project/a" } } });
    add({ ...call, type: "tool.denied", callId: "c2", payload: { tool: "peek", code: "fs_denied", arguments: { path: "docs/../b" } } });
    add({ ...call, type: "tool.denied", callId: "c3", payload: { tool: "peek", code: "permission_denied", arguments: { path: "c" } } });
    add({ ...call, type: "tool.called", callId: "c4", payload: { tool: "get", arguments: { url: "https://a.example/x" } } });
    expect(collected().acts.map(({ kind, value, refused }) => [kind, value, refused])).toEqual([
      ["read", "/project/a", 0],
      ["read", "/project/b", 1],
      ["net", "a.example:443", 0],
    ]);
  });

  it("maps acts in another session's workspace to this one [P9.workspace]", () => {
    const { add, collected } = collector();
    add({ type: "session.opened", sessionId: "s1", time: 0, payload: { workspace: "/tmp/case-1" } });
    add(used("/tmp/case-1/docs/a"));
    add(used("/tmp/case-10/docs/a"));
    expect(collected().acts.map(({ value }) => value)).toEqual(["/project/docs/a", "/tmp/case-10/docs/a"]);
  });

  it("maps acts in a session whose workspace is the root of the file system [P9.workspace]", () => {
    const { add, collected } = collector();
    add({ type: "session.opened", sessionId: "s1", time: 0, payload: { workspace: "/" } });
    add(used("/docs/a"));
    expect(collected().acts.map(({ value }) => value)).toEqual(["/project/docs/a"]);
  });

  it("keeps the name of a refusing layer that no grant can change [P9.maximum]", () => {
    const { add, collected } = collector();
    add(used("/project/a", { decision: "denied", layer: "host state" }));
    add(used("/project/b", { decision: "denied", layer: "manifest" }));
    expect(collected().acts.map(({ refusedBy }) => refusedBy)).toEqual(["host state", undefined]);
  });
});
