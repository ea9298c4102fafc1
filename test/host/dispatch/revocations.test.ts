import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../../host/call/call.ts";
import { Revocations, type UnderWay } from "../../../host/dispatch/revocations.ts";
import { createSession } from "../../../host/call/session.ts";
import { createPolicy } from "../../../host/policy/policy.ts";
import { createRegistry } from "../../../host/tools/registry.ts";
import type { Snapshot } from "../../../host/tools/snapshot.ts";
import type { RegisteredTool } from "../../../host/tools/tool.ts";
import { DEFAULT_PROJECT } from "../../../manifests/mod.ts";
import { pluginVersion, publishedTools } from "../../support/tools.ts";
import { WORKSPACE } from "../../support/memory-platform.ts";

const CALL: ToolCall = {
  callId: "c1",
  tool: "notes.run",
  args: {},
  caller: "direct",
  session: createSession({ id: "s", workspace: WORKSPACE }),
};

interface Bench {
  readonly running: UnderWay;
  readonly revocations: Revocations;
  /** Moves the grant to the version with this hash. */
  grantTo(digest: string): void;
  publish(digest: string): void;
}

/** Starts a call of the version with the hash "one". */
function bench(): Bench {
  const registry = createRegistry();
  let granted = "one";
  const READ = { read: [WORKSPACE] };
  const policy = createPolicy({
    project: DEFAULT_PROJECT,
    root: WORKSPACE,
    grants: { find: (_plugin, _directory, digest) => (digest === granted ? READ : undefined) },
  });
  const publish = (digest: string): void => {
    const tools = [{ name: "run", sideEffects: ["read"] }] as const;
    registry.replaceOwner("notes", publishedTools(pluginVersion("notes", { tools, digest, permissions: { read: ["$workspace"] } })));
  };
  publish("one");
  const toolIn = (snapshot: Snapshot): RegisteredTool => snapshot.find("notes.run") ?? expect.unreachable();
  const revocations = new Revocations(() => ({ policy, registry: registry.snapshot() }));
  const tool = toolIn(registry.snapshot());
  const decision = revocations.decide(tool, CALL);
  if (decision.kind === "deny") return expect.unreachable();
  const running = revocations.begin({ tool, call: CALL, decision, stop: new AbortController() });
  return { running, revocations, publish, grantTo: (digest) => void (granted = digest) };
}

describe("Revocations", () => {
  it("compares a call of a replaced version with its replacement, because the grant moved there [C2.revoked]", () => {
    const { running, revocations, publish, grantTo } = bench();
    publish("two");
    grantTo("two");
    revocations.recheck();
    expect([running.lost, running.stop.signal.aborted]).toEqual([undefined, false]);
    grantTo("three");
    revocations.recheck();
    const { lost } = running;
    expect([lost?.details, running.stop.signal.aborted]).toEqual([{ reason: "revoked" }, true]);
    grantTo("four");
    revocations.recheck();
    expect(running.lost).toBe(lost);
  });

  it("ignores calls that have ended [C2.revoked]", () => {
    const { running, revocations, grantTo } = bench();
    revocations.end(running);
    grantTo("none");
    revocations.recheck();
    expect([running.lost, running.stop.signal.aborted]).toEqual([undefined, false]);
  });
});
