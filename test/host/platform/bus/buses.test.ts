import { describe } from "vitest";
import { createMemoryBusServer } from "../../../../host/platform/memory/memory-bus.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { describeBus } from "../../../conformance/bus.ts";
import { HAS_NATS, NATS_TITLE, startNatsServer, startWire, type Wire } from "../../../support/nats-server.ts";

const { buses, clock } = currentPlatform();

describeBus("memory", async () => {
  const server = createMemoryBusServer(clock);
  return {
    connect: (name, onStatus) => server.buses.connect({ servers: ["memory"], name, ...(onStatus !== undefined && { onStatus }) }),
    cut: (name) => server.cut(name),
    heal: (name) => server.heal(name),
    kill: async () => server.cut(),
    restart: async () => server.heal(),
  };
});

describe.skipIf(!HAS_NATS)(NATS_TITLE, () => {
  describeBus("NATS", async () => {
    const server = await startNatsServer();
    const wires = new Map<string, Wire>();
    return {
      async connect(name, onStatus) {
        const wire = await startWire(server.port);
        wires.set(name, wire);
        return await buses.connect({ servers: [wire.url], name, ...(onStatus !== undefined && { onStatus }) });
      },
      cut: (name) => wires.get(name)?.cut(),
      heal: (name) => wires.get(name)?.heal(),
      kill: server.kill,
      restart: server.start,
    };
  });
});
