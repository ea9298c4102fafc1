import { describe, expect, it } from "vitest";
import type { RunCall } from "../../../host/cluster/accepted-call.ts";
import type { ClusterLinks } from "../../../host/cluster/links.ts";
import { createHostExecutor } from "../../../host/routes/host.ts";
import { createRemoteExecutor } from "../../../host/routes/remote.ts";
import { createSecrets } from "../../../host/capabilities/secrets/secrets.ts";
import { createRegistry } from "../../../host/tools/registry.ts";
import type { Executor } from "../../../host/tools/execution.ts";
import type { PluginVersion, RegisteredTool, Tool } from "../../../host/tools/tool.ts";
import { executorSuite } from "../../conformance/executor.ts";
import { toExecute } from "../../support/behaviour.ts";
import { createTestCluster, DIGEST, resultOf, type TestCluster } from "../../support/cluster.ts";
import { executionOf, routeOptions, type TestExecution } from "../../support/execution.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

const URL_OF_CLUSTER = "nats://127.0.0.1:4222";

/** The tool as the caller holds it: the member's has the same digest. */
function heldTool(): RegisteredTool {
  const tool = createRegistry({ newId: () => "id" }).register(hostTool("work", {}, () => null));
  const version = { name: "demo", digest: DIGEST } as unknown as PluginVersion;
  return { ...tool, qualifiedName: "demo.work", plugin: "demo", binding: { kind: "plugin", version } };
}

/** Creates the route to one member. */
function route(run: RunCall, platform = memoryPlatform()): { readonly execute: Executor; readonly cluster: TestCluster } {
  const cluster = createTestCluster(undefined, platform);
  const opening = (async () => {
    await cluster.member("alpha", run);
    return (await cluster.caller("web")).link;
  })();
  const clusters: ClusterLinks = { open: () => opening, close: async () => undefined };
  const secrets = createSecrets({ platform, sources: () => ({}), root: WORKSPACE });
  const parts = { clusters, members: () => cluster.members, remotes: () => ({ farm: { url: URL_OF_CLUSTER, cluster: "test" } }) };
  return { execute: createRemoteExecutor({ ...routeOptions(platform), secrets, ...parts }), cluster };
}

executorSuite("remote route on a cluster: the", () => {
  let behave: Tool["execute"] = () => null;
  let begun = 0;
  let calls = 0;
  const platform = memoryPlatform();
  const far = routeOptions(platform);
  const runFar = createHostExecutor(far);
  const { execute } = route(async ({ callId, args, signal, timeoutMs, onProgress }) => {
    const tool = createRegistry({ newId: () => "id" }).register(
      hostTool("work", {}, (given, context) => {
        begun += 1;
        return behave(given, context);
      }),
    );
    // Arguments of a test are JSON.
    const given = { tool, args: args as TestExecution["args"] & {}, signal, limits: { wallMs: timeoutMs }, call: { callId, onProgress } };
    const outcome = await runFar(executionOf(given));
    return new TextEncoder().encode(JSON.stringify({ ...outcome, status: outcome.ok ? "success" : "error" }));
  }, platform);
  return {
    execute,
    events: far.events,
    advance: platform.advance,
    begun: () => begun,
    execution: (behaviour, { args, signal, wallMs } = {}) => {
      behave = toExecute(behaviour);
      calls += 1;
      return executionOf({
        tool: heldTool(),
        // The cluster answers a repeated id with its first result.
        call: { callId: `call-${calls}` },
        ...(args !== undefined && { args }),
        ...(signal && { signal }),
        ...(wallMs !== undefined && { limits: { wallMs } }),
      });
    },
  };
});

describe("the remote route on a cluster", () => {
  it("refuses tools of no plugin, because members know plugins by their bytes [CL1.bytes]", async () => {
    const { execute, cluster } = route(async () => resultOf(1));
    const tool = createRegistry({ newId: () => "id" }).register(hostTool("work", {}, () => null));
    expect(await cluster.settle(execute(executionOf({ tool })))).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining("know plugins by their bytes") },
    });
  });

  it("keeps a lost call apart from one that did not happen [CL2.lost]", async () => {
    const lost = { ok: false, error: { code: "unavailable", message: "It is lost", details: { lost: true, mayHaveHappened: true } } };
    const { execute, cluster } = route(async () => new TextEncoder().encode(JSON.stringify(lost)));
    expect(await cluster.settle(execute(executionOf({ tool: heldTool() })))).toMatchObject(lost);
  });

  it("limits the result to what this host's call may return [CL3.limits]", async () => {
    const { execute, cluster } = route(async () => resultOf("x".repeat(3_000_000)));
    expect(await cluster.settle(execute(executionOf({ tool: heldTool(), limits: { outputBytes: 1_000 } })))).toMatchObject({
      ok: false,
      error: { code: "resource_exhausted", details: { limit: "outputBytes" } },
    });
  });

  it("passes the trace, the owner and yielded values on [CL3.trace]", async () => {
    const seen: unknown[] = [];
    const { execute, cluster } = route(async ({ traceparent, owner, caller, onYield }) => {
      seen.push({ traceparent, owner, caller });
      await onYield({ n: 1 });
      return resultOf("end");
    });
    const yielded: unknown[] = [];
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const call = { traceparent, onYield: (value: unknown): void => void yielded.push(value) };
    expect(await cluster.settle(execute(executionOf({ tool: heldTool(), call })))).toMatchObject({ ok: true, output: "end" });
    expect({ seen, yielded }).toEqual({ seen: [{ traceparent, owner: cluster.callers["web"], caller: "web" }], yielded: [{ n: 1 }] });
  });

  it("says what is wrong if the server does not answer [CL6.server]", async () => {
    const platform = memoryPlatform();
    const { BusError } = await import("../../../host/platform/bus/bus-types.ts");
    const clusters: ClusterLinks = {
      open: () => Promise.reject(new BusError("refused", "nats://127.0.0.1:4222 refuses connections (start it)")),
      close: async () => undefined,
    };
    const secrets = createSecrets({ platform, sources: () => ({}), root: WORKSPACE });
    const execute = createRemoteExecutor({
      ...routeOptions(platform),
      secrets,
      clusters,
      remotes: () => ({ farm: { url: URL_OF_CLUSTER } }),
    });
    expect(await execute(executionOf({ tool: heldTool() }))).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining('the cluster "farm" cannot be used: nats://127.0.0.1:4222 refuses') },
    });
  });
});
