import { describe, expect, it } from "vitest";
import { createEventBus, type EventBus, type EventBusOptions } from "../../../host/audit/event-bus.ts";
import { createLogSink } from "../../../host/audit/log-sink.ts";
import { EVENT_TYPES, type HostEvent } from "../../../host/audit/events.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

function bus(options: Partial<EventBusOptions> = {}): { readonly bus: EventBus; readonly defects: string[] } {
  const defects: string[] = [];
  let next = 0;
  return {
    defects,
    bus: createEventBus({ newId: () => `id-${++next}`, now: () => 1_000, onDefect: (message) => defects.push(message), ...options }),
  };
}

const loaded = (
  plugin: string,
): { readonly type: "plugin.loaded"; readonly plugin: string; readonly payload: object } & Extract<HostEvent, { type: "plugin.loaded" }> =>
  ({ type: "plugin.loaded", plugin, payload: { version: "1.0.0" } }) as never;

describe("createEventBus()", () => {
  it("adds an envelope to each event and calls every listener, in order [AU1]", () => {
    const { bus: events } = bus();
    const seen: HostEvent[] = [];
    events.subscribe((event) => seen.push(event));
    events.emit(loaded("a"));
    events.emit(loaded("b"));
    expect(seen).toEqual([
      { id: "id-1", type: "plugin.loaded", time: 1_000, producer: "bascule", plugin: "a", payload: { version: "1.0.0" } },
      { id: "id-2", type: "plugin.loaded", time: 1_000, producer: "bascule", plugin: "b", payload: { version: "1.0.0" } },
    ]);
    expect(Object.isFrozen(seen[0])).toBe(true);
    expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);
  });

  it("survives listeners that throw, and reports them", () => {
    const { bus: events, defects } = bus();
    const seen: string[] = [];
    events.subscribe(() => {
      throw new Error("broken");
    });
    const stop = events.subscribe((event) => seen.push(event.id));
    events.emit(loaded("a"));
    stop();
    events.emit(loaded("b"));
    expect(seen).toEqual(["id-1"]);
    expect(defects).toEqual(["An event listener threw", "An event listener threw"]);
  });

  it("gives every reader all later events until the bus is closed [AU1]", async () => {
    const { bus: events } = bus();
    events.emit(loaded("before"));
    const one = events.events();
    events.emit(loaded("a"));
    const two = events.events();
    const waiting = (async () => {
      const plugins: (string | undefined)[] = [];
      for await (const event of one) plugins.push(event.plugin);
      return plugins;
    })();
    events.emit(loaded("b"));
    events.close();
    events.emit(loaded("after"));
    expect(await waiting).toEqual(["a", "b"]);
    expect(await two.next()).toMatchObject({ value: { plugin: "b" } });
    expect(await two.next()).toEqual({ done: true, value: undefined });
    expect(await events.events().next()).toEqual({ done: true, value: undefined });
  });

  it("buffers a bounded number of events for a slow reader, and reports it once", async () => {
    const { bus: events, defects } = bus({ bufferSize: 2 });
    const reader = events.events();
    for (const plugin of ["a", "b", "c", "d"]) events.emit(loaded(plugin));
    expect([(await reader.next()).value.plugin, (await reader.next()).value.plugin]).toEqual(["c", "d"]);
    expect(defects).toEqual(["An event reader is more than 2 events or 16777216 bytes behind; it loses the oldest"]);
  });

  it("buffers bounded bytes for a slow reader, but always the last event [LV1.slow-readers]", async () => {
    const output = Array.from({ length: 100 }, () => ({}));
    // The size of a list with a hundred objects, plus the envelope.
    const { bus: events, defects } = bus({ bufferBytes: 2 * 7_000 });
    const [reader, other] = [events.events(), events.events()];
    const completed = (callId: string) => ({ type: "tool.completed", callId, payload: { output } }) as never;
    for (const callId of ["a", "b", "c", "d"]) events.emit(completed(callId));
    const read = async (): Promise<unknown> => (await reader.next()).value?.callId;
    expect([await read(), await read()]).toEqual(["c", "d"]);
    events.emit({ type: "tool.completed", callId: "e", payload: { output: "x".repeat(20_000) } } as never);
    expect(await read()).toBe("e");
    for (const callId of ["f", "g"]) events.emit(completed(callId));
    expect([await read(), await read()]).toEqual(["f", "g"]);
    expect((await other.next()).value.callId).toBe("f");
    expect(defects).toEqual(
      Array.from({ length: 2 }, () => "An event reader is more than 1024 events or 14000 bytes behind; it loses the oldest"),
    );
  });

  it("drops a reader that stops reading", async () => {
    const { bus: events, defects } = bus({ bufferSize: 1 });
    for await (const _event of startedWith(events)) break;
    for (const plugin of ["a", "b", "c"]) events.emit(loaded(plugin));
    expect(defects).toEqual([]);
  });

  it("redacts payloads before listeners receive them [AU4]", () => {
    const { bus: events } = bus({ redact: () => ({ hidden: true }) });
    const seen: HostEvent[] = [];
    events.subscribe((event) => seen.push(event));
    events.emit(loaded("a"));
    expect(seen[0]?.payload).toEqual({ hidden: true });
  });
});

function startedWith(events: EventBus): AsyncIterableIterator<HostEvent> {
  const reader = events.events();
  events.emit(loaded("first"));
  return reader;
}

describe("createLogSink()", () => {
  it("writes each event as one field of one line, at a higher level for failures [AU4, AU7]", () => {
    const { log, recorded } = memoryPlatform();
    const write = createLogSink(log);
    const event = { id: "1", time: 1, producer: "p" } as const;
    for (const type of EVENT_TYPES) write({ ...event, type, payload: { text: "\n" } } as never);
    expect(recorded.log).toHaveLength(EVENT_TYPES.length);
    expect(recorded.log.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
      "tool.failed",
      "tool.input_invalid",
      "tool.denied",
      "plugin.failed",
      "plugin.quarantined",
      "capability.denied",
    ]);
    expect(recorded.log[0]?.fields).toEqual({ event: { ...event, type: "tool.registered", payload: { text: "\n" } } });
  });
});
