import { describe, expect, it } from "vitest";
import { createEventBus } from "../../../../host/audit/event-bus.ts";
import type { HostEvent } from "../../../../host/audit/events.ts";
import type { KeptEvent } from "../../../../host/audit/search.ts";
import { createEventStreams, type EventStreams } from "../../../../host/doors/http/event-streams.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { httpDoor, SseReader, TOKENS, textOf } from "../../../support/http-door.ts";
import { hostTool } from "../../../support/tools.ts";

const ADMIN = { id: "admin-1", name: "admin", scopes: ["admin"], isPerson: false } as const;

/** Streams of a bus, with a record that holds what it is given. */
function streamsOf(
  options: { readonly recorded?: () => readonly HostEvent[]; readonly bufferBytes?: number; readonly isKnown?: () => boolean } = {},
): {
  readonly bus: ReturnType<typeof createEventBus>;
  readonly streams: EventStreams;
  readonly emit: (plugin: string) => void;
  readonly platform: ReturnType<typeof memoryPlatform>;
} {
  const platform = memoryPlatform();
  const bus = createEventBus({ newId: platform.random.uuidv7, now: platform.clock.now, onDefect: () => undefined });
  const { recorded = () => [], bufferBytes } = options;
  const search = async (): Promise<readonly KeptEvent[]> =>
    // Events are JSON; their types just have no index signature.
    recorded().map((event, number) => ({ number, event: event as unknown as KeptEvent["event"] }));
  const streams = createEventStreams({
    host: { events: { [Symbol.asyncIterator]: () => bus.events() }, audit: { flush: async () => undefined, search } },
    clock: platform.clock,
    slices: platform.slices,
    sessions: { ownerOf: () => undefined },
    tokens: { isKnown: () => options.isKnown?.() ?? true },
    most: 2,
    onDefect: (error) => {
      throw error;
    },
    ...(bufferBytes !== undefined && { bufferBytes }),
  });
  return { bus, streams, platform, emit: (plugin) => bus.emit({ type: "plugin.loaded", plugin, payload: {} }) };
}

describe("GET /v1/events", () => {
  it("ends a stream whose token was taken away, before the next event [I4.revoked]", async () => {
    let isKnown = true;
    const { streams, emit } = streamsOf({ isKnown: () => isKnown });
    const stream = new SseReader(await streams.open(ADMIN, {}));
    emit("first");
    expect((await stream.next())?.data["plugin"]).toBe("first");
    isKnown = false;
    emit("second");
    expect(await stream.next()).toBeUndefined();
  });

  it("gives an admin every event, and others those of their own sessions [I4.events]", async () => {
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

  it("goes on where a client left off, from memory [I4.resume]", async () => {
    const { streams, emit } = streamsOf();
    const first = new SseReader(await streams.open(ADMIN, {}));
    for (const plugin of ["a", "b", "c"]) emit(plugin);
    const seen = await first.next();
    await first.cancel();
    const second = new SseReader(await streams.open(ADMIN, { lastEventId: seen?.id ?? "" }));
    emit("d");
    expect([await second.next(), await second.next(), await second.next()].map((frame) => frame?.data["plugin"])).toEqual(["b", "c", "d"]);
  });

  it("goes on from the record where memory has forgotten, without doubles, and says so where nothing knows [I4.resume]", async () => {
    const past: HostEvent[] = [];
    const { streams, emit, bus } = streamsOf({ recorded: () => past.slice(0, 1_030) });
    bus.subscribe((event) => past.push(event));
    // In two steps, so that the streams' own reader keeps up.
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

  it("drops a client that reads too slowly, and says where it was [I4.slow-reader]", async () => {
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

  it("keeps a quiet stream alive, and lets one token have so many [I4.events, I4.flood]", async () => {
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

  it("counts no stream that could not be opened [I4.flood]", async () => {
    let fails = true;
    const { streams } = streamsOf({
      recorded: () => {
        if (fails) throw new Error("The disk is gone");
        return [];
      },
    });
    const lastEventId = "01920000-0000-7000-8000-000000000000";
    for (let n = 0; n < 3; n += 1) await expect(streams.open(ADMIN, { lastEventId })).rejects.toThrow("The disk is gone");
    fails = false;
    expect((await streams.open(ADMIN, { lastEventId })).status).toBe(200);
    streams.close();
  });

  it("refuses an id that is none [I4.malformed]", async () => {
    await using door = await httpDoor();
    expect(await door.ask("/v1/events", { fields: { "last-event-id": "../../x" } })).toMatchObject({
      status: 400,
      body: { code: "invalid_request" },
    });
  });
});
