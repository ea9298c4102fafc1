import { createUser } from "@nats-io/nkeys";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Bus, BusOptions } from "../../../../host/platform/bus/bus-types.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { HAS_NATS, NATS_TITLE, startNatsServer, startWire } from "../../../support/nats-server.ts";

const { buses } = currentPlatform();
const BUCKET = { ttlMs: 0, maxBytes: 1_048_576 };
const nothing = new Uint8Array();
const failsWith = (code: string, message: string | RegExp): object =>
  expect.objectContaining({ name: "BusError", code, message: expect.stringMatching(message) as string }) as object;

async function connect(url: string, options: Partial<BusOptions> = {}): Promise<Bus> {
  const bus = await buses.connect({ servers: [url], name: "test", ...options });
  onTestFinished(() => bus.close());
  return bus;
}

describe.skipIf(!HAS_NATS)(NATS_TITLE, () => {
  it("waits a bounded time for the first connection, and connects to a server that starts meanwhile [CL6.connect]", async () => {
    const server = await startNatsServer();
    await server.kill();
    const refused = buses.connect({ servers: [server.url], name: "test", connectMs: 200 });
    await expect(refused).rejects.toEqual(
      failsWith("disconnected", /No connection to nats:\/\/127\.0\.0\.1:\d+ within 200 ms: .*refused.*Check that nats-server runs/),
    );
    const waiting = connect(server.url, { connectMs: 30_000 });
    await server.start();
    expect(await (await waiting).roundTrip()).toBeGreaterThan(0);
  });

  it("connects to another server if the first is away [CL6.servers]", async () => {
    const [away, server] = [await startNatsServer(), await startNatsServer()];
    await away.kill();
    const bus = await buses.connect({ servers: [away.url, server.url], name: "test" });
    onTestFinished(() => bus.close());
    expect(await bus.roundTrip()).toBeGreaterThan(0);
  });

  it("says how to enable JetStream if the server has none, and still carries messages [CL2.jetstream]", async () => {
    const server = await startNatsServer({ jetstream: false });
    const bus = await connect(server.url);
    const advice = failsWith("refused", /JetStream is not enabled on 127\.0\.0\.1:\d+: start nats-server with -js/);
    await expect(bus.values("calls", BUCKET)).rejects.toEqual(advice);
    await expect(bus.objects("large", BUCKET)).rejects.toEqual(advice);
    const got = vi.fn<() => void>();
    bus.subscribe("x", { onMessage: got });
    bus.publish("x", nothing);
    await bus.roundTrip();
    expect(got).toHaveBeenCalledOnce();
  });

  it("says how to make room if the server has too little for a bucket [CL2.room]", async () => {
    const server = await startNatsServer({ jetstream: "max_file_store: 1MB" });
    const bus = await connect(server.url);
    await expect(bus.values("calls", { ttlMs: 0, maxBytes: 1_073_741_824 })).rejects.toEqual(
      failsWith("refused", /no room.*max_file_store/),
    );
  });

  it("proves who it is with an NKey, and is refused with another one or none [CL6.nkey]", async () => {
    const [member, other] = [createUser(), createUser()];
    const seed = (user: typeof member): string => new TextDecoder().decode(user.getSeed());
    const permissions = "{ publish: { deny: [ forbidden ] }, subscribe: { deny: [ secret ] } }";
    const config = `authorization { users: [ { nkey: ${member.getPublicKey()}, permissions: ${permissions} } ] }`;
    const server = await startNatsServer({ config });
    const advice = failsWith("refused", /does not know this host's key: add its public key to the users of nats-server/);
    await expect(buses.connect({ servers: [server.url], name: "test" })).rejects.toEqual(advice);
    await expect(buses.connect({ servers: [server.url], name: "test", seed: seed(other) })).rejects.toEqual(advice);
    await expect(buses.connect({ servers: [server.url], name: "test", seed: "SUNONSENSE" })).rejects.toEqual(failsWith("refused", /seed/));
    const bus = await connect(server.url, { seed: seed(member) });
    await (await bus.values("calls", BUCKET)).put("key", nothing);
    await expect(bus.request("forbidden", nothing, { timeoutMs: 3_600_000 })).rejects.toEqual(
      failsWith("refused", /forbidden: .* does not permit it/),
    );
  });

  it("connects with NKeys again after the server was killed [CL6.nkey-again]", async () => {
    const member = createUser();
    const server = await startNatsServer({ config: `authorization { users: [ { nkey: ${member.getPublicKey()} } ] }` });
    const onStatus = vi.fn<(status: string) => void>();
    const bus = await connect(server.url, { seed: new TextDecoder().decode(member.getSeed()), onStatus });
    await server.kill();
    await vi.waitFor(() => expect(onStatus).toHaveBeenLastCalledWith("disconnected"));
    await server.start();
    await vi.waitFor(() => expect(onStatus).toHaveBeenLastCalledWith("connected"), { timeout: 30_000 });
    expect(await bus.roundTrip()).toBeGreaterThan(0);
  });

  it("sends nothing to a server without TLS if the address asks for it [CL6.tls]", async () => {
    const server = await startNatsServer();
    const url = server.url.replace("nats://", "tls://");
    await expect(buses.connect({ servers: [url], name: "test", connectMs: 300 })).rejects.toEqual(
      failsWith("disconnected", /does not support 'tls'/),
    );
  });

  it("bounds every wait while the network swallows everything [CL6.silent]", async () => {
    const server = await startNatsServer();
    const wire = await startWire(server.port);
    const bus = await connect(wire.url);
    const values = await bus.values("calls", BUCKET);
    const objects = await bus.objects("large", BUCKET);
    wire.hold();
    const silent = failsWith("timeout", /did not answer in time|no answer within/);
    const outcomes = await Promise.allSettled([
      bus.request("any", nothing, { timeoutMs: 100 }),
      values.get("key"),
      values.create("key", nothing),
      values.keys(""),
      values.watch(">", () => {}),
      bus.values("other", BUCKET),
      objects.get("object", 1),
      bus.roundTrip(),
    ]);
    expect(outcomes.map((outcome) => (outcome.status === "rejected" ? (outcome.reason as unknown) : outcome.value))).toEqual(
      outcomes.map(() => silent),
    );
    await bus.close();
  });

  it("notices a silent network by itself, and is connected again when it carries [CL6.half-open]", async () => {
    const server = await startNatsServer();
    const wire = await startWire(server.port);
    const onStatus = vi.fn<(status: string) => void>();
    const bus = await connect(wire.url, { onStatus });
    wire.hold();
    await vi.waitFor(() => expect(onStatus).toHaveBeenLastCalledWith("disconnected"), { timeout: 45_000, interval: 100 });
    wire.heal();
    await vi.waitFor(() => expect(onStatus).toHaveBeenLastCalledWith("connected"), { timeout: 45_000, interval: 100 });
    expect(await bus.roundTrip()).toBeGreaterThan(0);
  });

  it("refuses to send more than a server takes in that reads slowly [CL3.slow]", async () => {
    const server = await startNatsServer();
    const wire = await startWire(server.port);
    const bus = await connect(wire.url);
    wire.hold();
    const piece = new Uint8Array(1_000_000);
    let sent = 0;
    const flood = (): void => {
      for (; sent < 200; sent += 1) bus.publish("slow", piece);
    };
    expect(flood).toThrow(failsWith("disconnected", /reads too slowly/));
    expect(sent).toBe(67);
  });

  it("delivers all that another connection sends at once, far more than those 64 MiB [CL3.flood]", async () => {
    const server = await startNatsServer({ config: "max_pending: 512MB" });
    const [from, to] = [await connect(server.url), await connect(server.url)];
    let got = 0;
    to.subscribe("flood", { onMessage: ({ bytes }) => void (got += bytes.length) });
    await to.roundTrip();
    const piece = new Uint8Array(1_000_000);
    for (let count = 0; count < 150; count += 1) {
      from.publish("flood", piece);
      if (count % 10 === 9) await from.roundTrip();
    }
    await vi.waitFor(() => expect(got).toBe(150_000_000), { timeout: 30_000 });
  });

  it("opens an empty bucket if the server lost its folder [CL6.empty]", async () => {
    const [first, second] = [await startNatsServer(), await startNatsServer()];
    const wire = await startWire(first.port);
    const onStatus = vi.fn<(status: string) => void>();
    const bus = await connect(wire.url, { onStatus });
    const values = await bus.values("calls", BUCKET);
    const seen = vi.fn<(key: string) => void>();
    await values.watch(">", seen);
    for (let count = 0; count < 10; count += 1) await values.put("key", nothing);
    await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(10));
    wire.cut();
    await vi.waitFor(() => expect(onStatus).toHaveBeenLastCalledWith("disconnected"));
    wire.lead(second.port);
    wire.heal();
    await vi.waitFor(() => expect(onStatus).toHaveBeenLastCalledWith("connected"), { timeout: 30_000 });
    expect(await values.create("new", nothing)).toBe(1);
    await vi.waitFor(() => expect(seen).toHaveBeenLastCalledWith("new", expect.anything()), { timeout: 30_000 });
  });

  it("creates a bucket again for the first write after the server lost its folder [CL6.empty]", async () => {
    const [first, second] = [await startNatsServer(), await startNatsServer()];
    const wire = await startWire(first.port);
    const onStatus = vi.fn<(status: string) => void>();
    const bus = await connect(wire.url, { onStatus });
    const [members, calls] = [await bus.values("members", BUCKET), await bus.values("calls", BUCKET)];
    await members.put("key", nothing);
    const revision = (await calls.create("key", nothing)) ?? 0;
    wire.cut();
    await vi.waitFor(() => expect(onStatus).toHaveBeenLastCalledWith("disconnected"));
    wire.lead(second.port);
    wire.heal();
    await vi.waitFor(() => expect(onStatus).toHaveBeenLastCalledWith("connected"), { timeout: 30_000 });
    expect(await members.put("key", nothing)).toBe(1);
    expect(await calls.update("key", nothing, revision)).toBeUndefined();
    expect(await calls.get("key")).toBeUndefined();
  });
});
