import { describe, expect, it } from "vitest";
import { createEventBus } from "../../../../host/audit/event-bus.ts";
import type { HostEvent } from "../../../../host/audit/events.ts";
import type { Audit } from "../../../../host/audit/audit.ts";
import { createEventStreams, type EventStreams } from "../../../../host/doors/http/event-streams.ts";
import type { JsonObject } from "../../../../manifests/mod.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { httpDoor, SseReader, TOKENS, textOf } from "../../../support/http-door.ts";
import { hostTool } from "../../../support/tools.ts";

const ADMIN = { id: "admin-1", name: "admin", scopes: ["admin"], isPerson: false } as const;

/** Creates streams of a bus, with a journal that holds the given rows. */
function streamsOf(
  options: {
    readonly recorded?: () => readonly HostEvent[];
    readonly bufferBytes?: number;
    readonly isKnown?: () => boolean;
    readonly onDefect?: (error: unknown) => void;
    readonly flushed?: () => Promise<undefined>;
  } = {},
): {
  readonly bus: ReturnType<typeof createEventBus>;
  readonly streams: EventStreams;
  readonly emit: (plugin: string) => void;
  readonly platform: ReturnType<typeof memoryPlatform>;
} {
  const platform = memoryPlatform();
  const bus = createEventBus({ newId: platform.random.uuidv7, now: platform.clock.now, onDefect: () => undefined });
  const { recorded = () => [], bufferBytes } = options;
  const following: Audit["following"] = async (after) => {
    const rows = recorded();
    const from = typeof after === "number" ? after : rows.findIndex(({ id }) => id === after) + 1;
    if (from === 0) return undefined;
    // Events are JSON; only their types lack an index signature.
    const events = rows
      .slice(from, from + 100)
      .map((event, index) => ({ number: from + index + 1, event: event as unknown as JsonObject }));
    return { events, last: from + events.length, isEnd: from + events.length === rows.length };
  };
  const streams = createEventStreams({
    host: {
      events: { [Symbol.asyncIterator]: () => bus.events() },
      audit: { flush: options.flushed ?? (async () => undefined), following },
    },
    clock: platform.clock,
    slices: platform.slices,
    sessions: { ownerOf: () => undefined },
    tokens: { isKnown: () => options.isKnown?.() ?? true },
    most: 2,
    onDefect: (error) => {
      if (options.onDefect === undefined) throw error;
      options.onDefect(error);
    },
    ...(bufferBytes !== undefined && { bufferBytes }),
  });
  return { bus, streams, platform, emit: (plugin) => bus.emit({ type: "plugin.loaded", plugin, payload: {} }) };
}

describe("GET /v1/events", () => {
  it("ends a stream before the next event if its token was removed [I4.revoked]", async () => {
    let isKnown = true;
    const { streams, emit } = streamsOf({ isKnown: () => isKnown });
    const stream = new SseReader(await streams.open(ADMIN, {}));
    emit("first");
    expect((await stream.next())?.data["plugin"]).toBe("first");
    isKnown = false;
    emit("second");
    expect(await stream.next()).toBeUndefined();
  });

  it("sends an admin all events, and other tokens those of their own sessions [I4.events]", async () => {
    await using door = await httpDoor({ tools: [hostTool("repeat")] });
    const all = new SseReader(await door.request("/v1/events?type=tool.completed", { token: TOKENS.admin }));
    const mine = new SseReader(await door.request("/v1/events?type=tool.completed"));
    await door.ask("/v1/calls", { token: TOKENS.other, body: { tool: "repeat", args: { of: "other" } } });
    await door.ask("/v1/calls", { body: { tool: "repeat", args: { of: "call" } } });
    const first = await all.next();
    expect([first?.event, first?.id, first?.data]).toEqual([
      "tool.completed",
      first?.data["id"],
      expect.objectContaining({ type: "tool.completed" }),
    ]);
    expect([first?.data["payload"], (await all.next())?.data["payload"]]).toMatchObject([
      { output: { of: "other" } },
      { output: { of: "call" } },
    ]);
    expect((await mine.next())?.data["payload"]).toMatchObject({ output: { of: "call" } });
    const { body } = await door.ask("/v1/sessions", { body: {} });
    expect((await door.ask(`/v1/events?sessionId=${textOf(body, "sessionId")}`, { token: TOKENS.other })).status).toBe(404);
  });

  it("resumes after the client's last event from memory [I4.resume]", async () => {
    const { streams, emit } = streamsOf();
    const first = new SseReader(await streams.open(ADMIN, {}));
    for (const plugin of ["a", "b", "c"]) emit(plugin);
    const seen = await first.next();
    await first.cancel();
    const second = new SseReader(await streams.open(ADMIN, { lastEventId: seen?.id ?? "" }));
    emit("d");
    expect([await second.next(), await second.next(), await second.next()].map((frame) => frame?.data["plugin"])).toEqual(["b", "c", "d"]);
  });

  it("resumes from the journal if memory no longer has the event, without duplicates, and reports a gap if the event is unknown [I4.resume]", async () => {
    const past: HostEvent[] = [];
    const { streams, emit, bus } = streamsOf({ recorded: () => past.slice(0, 1_030) });
    bus.subscribe((event) => past.push(event));
    // In two steps, so that the streams' reader keeps up.
    for (let n = 0; n < 600; n += 1) emit(`p${n}`);
    await new Promise(setImmediate);
    for (let n = 600; n < 1_100; n += 1) emit(`p${n}`);
    await new Promise(setImmediate);
    const reader = new SseReader(await streams.open(ADMIN, { lastEventId: past[2]?.id ?? "" }));
    for (let n = 3; n < 1_100; n += 1) expect((await reader.next())?.data["plugin"]).toBe(`p${n}`);
    await reader.cancel();
    const lost = new SseReader(await streams.open(ADMIN, { lastEventId: "018cc251-f400-7000-8000-000000000000" }));
    expect(await lost.next()).toMatchObject({ event: "gap", data: { reason: "unknown" } });
    emit("later");
    expect((await lost.next())?.data["plugin"]).toBe("later");
  });

  it("drops a client that reads too slowly, and sends it the last event's id [I4.slow-reader]", async () => {
    const { streams, emit } = streamsOf({ bufferBytes: 1_000 });
    const reader = new SseReader(await streams.open(ADMIN, {}));
    for (let n = 0; n < 50; n += 1) emit(`p${n}`);
    await new Promise(setImmediate);
    const plugins: unknown[] = [];
    let last: string | undefined;
    let frame = await reader.next();
    for (; frame?.event === "plugin.loaded"; frame = await reader.next()) {
      plugins.push(frame.data["plugin"]);
      last = frame.id;
    }
    expect(frame).toEqual({ event: "gap", id: undefined, data: { reason: "slow", lastEventId: last } });
    expect(await reader.next()).toBeUndefined();
    const again = new SseReader(await streams.open(ADMIN, { lastEventId: last ?? "" }));
    expect((await again.next())?.data["plugin"]).toBe(`p${plugins.length}`);
  });

  it("keeps a quiet stream alive, and limits the streams of one token [I4.events, I4.flood]", async () => {
    const { streams, platform } = streamsOf();
    const response = await streams.open(ADMIN, {});
    const other = await streams.open(ADMIN, {});
    await expect(streams.open(ADMIN, {})).rejects.toMatchObject({ code: "too_many" });
    await other.body?.cancel();
    await (await streams.open(ADMIN, {})).body?.cancel();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const text = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    expect(await text()).toBe("retry: 2000\n\n");
    platform.advance(15_000);
    expect(await text()).toBe(": \n\n");
    streams.close();
    expect((await reader.read()).done).toBe(true);
  });

  it("counts the stream of a disconnected client while the journal is still read for it [I4.flood]", async () => {
    const reading = Promise.withResolvers<undefined>();
    const { streams } = streamsOf({ flushed: () => reading.promise });
    const wanted = { lastEventId: "01920000-0000-7000-8000-000000000000" };
    for (let n = 0; n < 2; n += 1) await (await streams.open(ADMIN, wanted)).body?.cancel();
    await expect(streams.open(ADMIN, wanted)).rejects.toMatchObject({ code: "too_many" });
    reading.resolve(undefined);
    await new Promise(setImmediate);
    await (await streams.open(ADMIN, wanted)).body?.cancel();
    streams.close();
  });

  it("reports a gap if the journal cannot be read, and continues from there [I4.resume]", async () => {
    const defects: unknown[] = [];
    const { streams, emit } = streamsOf({
      recorded: () => {
        throw new Error("disk error");
      },
      onDefect: (error) => defects.push(error),
    });
    const lastEventId = "01920000-0000-7000-8000-000000000000";
    const reader = new SseReader(await streams.open(ADMIN, { lastEventId }));
    expect(await reader.next()).toEqual({ event: "gap", id: undefined, data: { reason: "unknown", lastEventId } });
    emit("later");
    expect([(await reader.next())?.data["plugin"], defects]).toEqual(["later", [new Error("disk error")]]);
    streams.close();
  });

  it.each([
    ["1 MiB from memory", 800, 4_000],
    ["16 MiB from the journal", 5_000, 4_000],
    ["10,000 events", 25_000, 10],
  ])("resumes after more than %s without a gap [I4.resume-large]", async (_what, count, length) => {
    const past: HostEvent[] = [];
    const { streams, emit, bus } = streamsOf({ recorded: () => past });
    bus.subscribe((event) => past.push(event));
    for (let n = 0; n < count; n += 1) {
      emit(`p${n} ${"x".repeat(length)}`);
      // Lets the streams' reader keep up.
      if (n % 500 === 499) await new Promise(setImmediate);
    }
    const reader = new SseReader(await streams.open(ADMIN, { lastEventId: past[0]?.id ?? "" }));
    const seen: unknown[] = [];
    while (seen.length < count - 1) seen.push((await reader.next())?.id);
    expect(seen).toEqual(past.slice(1).map(({ id }) => id));
    emit("live");
    expect((await reader.next())?.data["plugin"]).toBe("live");
    await reader.cancel();
  });

  it("resumes after more than 10,000 events and 1 MiB of a host's journal [I4.resume-large]", async () => {
    await using door = await httpDoor({ tools: [hostTool("repeat")] });
    await door.ask("/v1/calls", { body: { tool: "repeat", args: { first: true } } });
    await door.host.audit.flush();
    const [first] = await door.host.audit.search({ type: "tool.called" });
    const fields = { "last-event-id": textOf(first?.event ?? {}, "id") };
    const { body } = await door.ask("/v1/sessions");
    const session = door.host.session({ id: textOf((body["sessions"] as unknown as JsonObject[])[0] ?? {}, "sessionId") });
    for (let n = 0; n < 5_200; n += 1) await door.host.call("repeat", { n, text: "x".repeat(100) }, { session });
    const reader = new SseReader(await door.request("/v1/events?type=tool.completed", { fields }));
    expect((await reader.next())?.data["payload"]).toMatchObject({ output: { first: true } });
    for (let n = 0; n < 5_200; n += 1) expect((await reader.next())?.data["payload"]).toMatchObject({ output: { n } });
    await reader.cancel();
  });

  it("buffers no more for a client that reconnects and reads nothing than for any other [I4.resume-bounded]", async () => {
    const past: HostEvent[] = [];
    let pages = 0;
    const { streams, emit, bus } = streamsOf({
      recorded: () => {
        pages += 1;
        return past;
      },
      bufferBytes: 10_000,
    });
    bus.subscribe((event) => past.push(event));
    for (let n = 0; n < 3_000; n += 1) {
      emit(`p${n}`);
      if (n % 500 === 499) await new Promise(setImmediate);
    }
    const response = await streams.open(ADMIN, { lastEventId: past[0]?.id ?? "" });
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(pages).toBe(1);
    const reader = new SseReader(response);
    for (let n = 1; n < 3_000; n += 1) expect((await reader.next())?.data["plugin"]).toBe(`p${n}`);
    await reader.cancel();
  });

  it("sends no duplicates and no old events if other hosts write to the journal too [I4.resume]", async () => {
    const past: HostEvent[] = [];
    const { streams, emit, bus } = streamsOf({ recorded: () => past });
    const other = streamsOf();
    bus.subscribe((event) => past.push(event));
    other.bus.subscribe((event) => past.push(event));
    emit("mine, old");
    // Ids of the same millisecond are not ordered across hosts.
    other.platform.advance(5);
    other.emit("theirs");
    const { id: lastEventId = "" } = past.at(-1) ?? {};
    other.emit("theirs, missed");
    await new Promise(setImmediate);
    const reader = new SseReader(await streams.open(ADMIN, { lastEventId }));
    expect((await reader.next())?.data["plugin"]).toBe("theirs, missed");
    emit("mine, live");
    expect((await reader.next())?.data["plugin"]).toBe("mine, live");
    await reader.cancel();
  });

  it("refuses an invalid id [I4.malformed]", async () => {
    await using door = await httpDoor();
    expect(await door.ask("/v1/events", { fields: { "last-event-id": "../../x" } })).toMatchObject({
      status: 400,
      body: { code: "invalid_request" },
    });
  });
});
