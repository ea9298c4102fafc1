import { describe, expect, it } from "vitest";
import type { HostEvent } from "../../../host/audit/events.ts";
import type { KeptEvent } from "../../../host/audit/search.ts";
import type { ClientOperations, Watched } from "../../../host/doors/operations.ts";
import { openSocketDoor } from "../../../host/doors/socket/socket.ts";
import { connectToHost } from "../../../host/doors/socket/socket-client.ts";
import { watchEvents } from "../../../host/doors/watch-events.ts";
import { createOperations } from "../../../host/doors/host-operations.ts";
import { createHost } from "../../../host/mod.ts";
import { createMemoryPlatform } from "../../../host/platform/mod.ts";
import type { LineConnection } from "../../../host/platform/platform.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const event = (id: string, payload: object = {}): HostEvent => ({ id, type: "tool.called", payload }) as unknown as HostEvent;

/** A host whose journal answers when the test says so. */
function fakeHost(): {
  readonly host: Parameters<typeof watchEvents>[0];
  emit(event: HostEvent): void;
  answer(events: readonly HostEvent[], damage?: string): void;
  readonly listeners: ReadonlySet<unknown>;
} {
  const listeners = new Set<(event: HostEvent) => void>();
  const { promise, resolve } = Promise.withResolvers<{ readonly events: readonly HostEvent[]; readonly damage?: string }>();
  const search = async (_filter: unknown, _limit: unknown, onDamage?: (damage: string) => void): Promise<readonly KeptEvent[]> => {
    const { events, damage } = await promise;
    if (damage !== undefined) onDamage?.(damage);
    return events.map((kept, number) => ({ number, event: kept as unknown as KeptEvent["event"] }));
  };
  const host = {
    subscribe: (listener: (event: HostEvent) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    audit: { search },
  };
  return {
    // Only these two members are used.
    host: host as unknown as Parameters<typeof watchEvents>[0],
    emit: (emitted) => listeners.forEach((listener) => listener(emitted)),
    answer: (events, damage) => resolve({ events, ...(damage !== undefined && { damage }) }),
    listeners,
  };
}

describe("watchEvents()", () => {
  it("sends the journal's newest events, then what happened meanwhile, each once, until it is aborted [DI4.watch]", async () => {
    const { host, emit, answer, listeners } = fakeHost();
    const stop = new AbortController();
    const got: Watched[] = [];
    const watching = watchEvents(host, 10, { signal: stop.signal, onEvent: (watched) => got.push(watched) });
    emit(event("2"));
    emit(event("3"));
    answer([event("1"), event("2")], "row 0 cannot be read");
    await expect.poll(() => got).toHaveLength(4);
    emit(event("4"));
    expect(got).toEqual([{ damage: "row 0 cannot be read" }, ...["1", "2", "3", "4"].map((id) => ({ event: event(id) }))]);
    stop.abort();
    await watching;
    emit(event("5"));
    expect([got.length, listeners.size]).toEqual([5, 0]);
  });

  it("bounds what it holds: 1 MiB of the journal, and 1,024 events while that is read [DI4.watch]", async () => {
    const { host, emit, answer } = fakeHost();
    const stop = new AbortController();
    const got: Watched[] = [];
    const watching = watchEvents(host, 500, { signal: stop.signal, onEvent: (watched) => got.push(watched) });
    for (let index = 0; index < 1_030; index += 1) emit(event(`new ${index}`));
    answer(["a", "b", "c"].map((id) => event(id, { text: "x".repeat(500_000) })));
    await expect.poll(() => got.at(-1)).toEqual({ missed: 6 });
    expect(got.slice(0, 3).map((watched) => "event" in watched && watched.event["id"])).toEqual(["b", "c", "new 0"]);
    expect(got).toHaveLength(2 + 1_024 + 1);
    stop.abort();
    await watching;
  });
});

describe("watch() over the socket", () => {
  it("shows a client the calls of others, and ends with the client's signal or the host [DI4.watch-socket]", async () => {
    const platform = memoryPlatform();
    await using host = await createHost({ platform, config: false });
    const open = (): ClientOperations =>
      createOperations({ host, files: platform.files, slices: platform.slices, session: host.session(), about: { version: "1", pid: 1 } });
    const door = await openSocketDoor({ platform, stateDirectory: "/p/.bascule", open });
    const [watcher, caller] = [await connectToHost(platform, "/p/.bascule"), await connectToHost(platform, "/p/.bascule")];
    const stop = new AbortController();
    const types: unknown[] = [];
    const onEvent = (watched: Watched): void => void ("event" in watched && types.push(watched.event["type"]));
    const watching = watcher?.operations.watch(0, { signal: stop.signal, onEvent });
    await watcher?.operations.status();
    await caller?.operations.call({ tool: "echo", args: { text: "hi" } }, { signal: stop.signal });
    await expect.poll(() => types).toEqual(expect.arrayContaining(["tool.called", "tool.completed"]));
    stop.abort();
    await watching;
    const lost = watcher?.operations.watch(0, { signal: new AbortController().signal, onEvent: () => {} });
    const error = lost?.catch((thrown: unknown) => thrown);
    await door.close();
    expect(await error).toMatchObject({
      code: "closed",
      message: "The host that served this project has stopped (start it again; `bascule waiting` lists the calls that it continues)",
    });
  });

  it("drops and counts events while the client does not read [DI4.watch-slow]", async () => {
    const platform = createMemoryPlatform();
    const sent: unknown[] = [];
    let unsent = 0;
    let hear = (_line: string): void | Promise<void> => {};
    const connection: LineConnection = {
      send: (line) => void sent.push(JSON.parse(line)),
      sendPieces: () => expect.unreachable(),
      get unsent() {
        return unsent;
      },
      onLine: (listener) => void (hear = listener),
      onClose: () => {},
      close: () => {},
    };
    let emit = (_watched: Watched): void => {};
    const sockets = {
      ...platform.sockets,
      listen: (_path: string, onConnection: (connection: LineConnection) => void) => {
        onConnection(connection);
        return Promise.resolve({ close: () => Promise.resolve() });
      },
    };
    const operations = {
      watch: (_recent: number, { onEvent }: { readonly onEvent: typeof emit }) => {
        emit = onEvent;
        return new Promise(() => {});
      },
    };
    // Only `watch` is called.
    const open = (): ClientOperations => operations as unknown as ClientOperations;
    const door = await openSocketDoor({ platform: { ...platform, sockets }, stateDirectory: "/p/.bascule", open });
    await hear(`{"id":1,"op":"watch","params":{"recent":501}}`);
    await hear(`{"id":2,"op":"watch","params":{"recent":500}}`);
    emit({ event: { id: "a" } });
    unsent = 5 * 1024 * 1024;
    emit({ event: { id: "b" } });
    emit({ missed: 4 });
    unsent = 0;
    emit({ event: { id: "c" } });
    expect(sent).toEqual([
      { id: 1, ok: false, error: { code: "invalid_request", message: 'Expected "recent" to be a whole number from 0 to 500' } },
      { id: 2, event: "watched", value: { event: { id: "a" } } },
      { id: 2, event: "watched", value: { missed: 5 } },
      { id: 2, event: "watched", value: { event: { id: "c" } } },
    ]);
    await door.close();
  });
});
