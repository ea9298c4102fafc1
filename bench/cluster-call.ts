/** `cluster_call`: time that a cluster adds to a local call, against an empty request of NATS, p50 (SPEC CL, appendix D). */

import { startBenchCluster } from "./cluster-hosts.ts";
import { type Bench, compareCalls, type Measured, mustBe } from "./measure.ts";

const ARGS = { text: "hello" };

export const clusterCall: Bench = {
  id: "cluster_call",
  async run(): Promise<Measured> {
    await using cluster = await startBenchCluster(1);
    const times = await compareCalls(
      {
        cluster: async () => mustBe(await cluster.call(1, "echo", ARGS), ARGS),
        local: async () => mustBe(await cluster.callHere("echo", ARGS), ARGS),
        request: () => cluster.request(),
      },
      { rounds: 40, calls: 25, warmCalls: 1_000 },
    );
    const [whole, local, request] = [times.medianMs("cluster"), times.medianMs("local"), times.medianMs("request")];
    return {
      value: (whole - local) * 1_000,
      unit: "us",
      baseline: request * 1_000,
      ratio: times.ratio("cluster", "request") - times.ratio("local", "request"),
      note: `a call on a cluster ${(whole * 1_000).toFixed(0)} us, on this host ${(local * 1_000).toFixed(0)}, two writes of JetStream included`,
    };
  },
};
