/** A member of the clusters that `cluster.ts` measures, in a process of its own. Usage: `node cluster-member.ts <JSON of BenchMember>` */

import { openLink } from "../host/cluster/link.ts";
import { ClusterMember } from "../host/cluster/member.ts";
import { createRunCall, findHeld } from "../host/doors/cluster/run-call.ts";
import { createHost } from "../host/mod.ts";
import { createIdentities } from "../host/platform/bus/identities.ts";
import { currentPlatform } from "../host/platform/mod.ts";
import { ANSWERED_EMPTY, type BenchMember, ENDED, now, SILENT } from "./cluster-hosts.ts";

const settings = JSON.parse(process.argv[2] ?? "") as BenchMember;
const platform = currentPlatform({ log: { level: "error" } });
const { buses, slices } = platform;
const identities = createIdentities();
const identity = identities.open(settings.seed);
const host = await createHost({ plugins: `${settings.folder}/plugins`, workspace: settings.folder, config: false, logger: SILENT });
const digests = new Set([...host.listEach({})].flatMap(({ digest }) => digest ?? []));
const onDefect = (message: string, error: unknown): void => void process.stderr.write(`${message}: ${String(error)}\n`);

for (const cluster of settings.clusters) {
  const link = await openLink({ buses, platform, identities, identity, servers: [settings.server], cluster, name: settings.name });
  const runCall = createRunCall({ host, slices, onDefect });
  const member: ClusterMember = new ClusterMember({
    ...{ link, slices, onDefect, keys: () => settings.keys },
    find(digest, tool) {
      const held = findHeld(host, digest, tool);
      return held && { isIdempotent: false };
    },
    async run(call) {
      const result = await runCall(call);
      if (call.signal.aborted) link.bus.publish(ENDED, new TextEncoder().encode(String(now())));
      return result;
    },
    facts: () => ({ version: "bench", digests: [...digests], calls: member.calls, policy: "" }),
  });
  await member.start();
  member.hold(digests);
  if (cluster === settings.clusters[0] && settings.name === "member 1")
    link.bus.subscribe(ANSWERED_EMPTY, { onMessage: ({ replyTo }) => link.bus.publish(replyTo ?? "", new Uint8Array()) });
  await link.bus.roundTrip();
}
process.stdout.write("ready\n");
