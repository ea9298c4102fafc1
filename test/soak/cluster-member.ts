/** One member of the soak's cluster, in a process that is killed. Usage: `node cluster-member.ts <JSON of MemberSettings>` */

import type { ClusterCall } from "../../host/cluster/accepted-call.ts";
import { type KeyList, openLink } from "../../host/cluster/link.ts";
import { ClusterMember } from "../../host/cluster/member.ts";
import { createIdentities } from "../../host/platform/bus/identities.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { DIGEST, doWork, MAY_REPEAT, type MemberSettings } from "./cluster-work.ts";

const settings = JSON.parse(process.argv[2] ?? "") as MemberSettings;
const platform = currentPlatform({ brief: true, log: { level: "error" } });
const identities = createIdentities();
const keys: { readonly members: KeyList; readonly callers: KeyList } = settings.keys;
const { buses } = platform;
const { server, name } = settings;
const identity = identities.open(settings.seed);
const link = await openLink({ buses, platform, identities, identity, servers: [server], cluster: "soak", name });

const member: ClusterMember = new ClusterMember({
  ...{ link, slices: platform.slices, keys: () => keys },
  find: (digest, tool) => (digest === DIGEST ? { isIdempotent: tool === MAY_REPEAT } : undefined),
  run: (call: ClusterCall) => doWork(call, settings.effects),
  facts: () => ({ version: "soak", digests: [DIGEST], calls: member.calls, policy: "" }),
  // Deaths of the server are expected; the harness judges by answers and effects.
  onDefect: () => undefined,
});

async function start(): Promise<void> {
  for (;;) {
    try {
      return await member.start();
    } catch {
      // The server is away.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

process.once("SIGTERM", () => {
  void member
    .drain(20_000)
    .then(() => member.close())
    .then(() => link.close())
    .finally(() => process.exit(0));
});
await start();
member.hold(new Set([DIGEST]));
process.stdout.write("ready\n");
