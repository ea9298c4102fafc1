/** Requirements of every bus (SPEC CL): the one in memory, and NATS. */

import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Bus, BusMessage, BusOptions, BusValue, BusValues } from "../../host/platform/bus/bus-types.ts";

export interface BusSetup {
  connect(name: string, onStatus?: BusOptions["onStatus"]): Promise<Bus>;
  /** Cuts one connection off. */
  cut(name: string): void;
  heal(name: string): void;
  /** Ends the server without a warning. */
  kill(): Promise<void>;
  /** Starts it again, with what it had accepted. */
  restart(): Promise<void>;
}

const BUCKET = { ttlMs: 0, maxBytes: 16_777_216 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (message: { readonly bytes: Uint8Array } | undefined): string | undefined =>
  message === undefined ? undefined : new TextDecoder().decode(message.bytes);
const failsWith = (code: string): object => expect.objectContaining({ name: "BusError", code }) as object;

/** Registers the suite. */
export function describeBus(name: string, setup: () => Promise<BusSetup>): void {
  describe(`${name}: messages`, () => describeMessages(setup));
  describe(`${name}: values`, () => describeValues(setup));
  describe(`${name}: objects`, () => describeObjects(setup));
  describe(`${name}: a lost connection`, () => describeLoss(setup));
}

interface Opened extends BusSetup {
  readonly a: Bus;
  readonly b: Bus;
}

/** Two connections, which end with the test. */
async function open(setup: () => Promise<BusSetup>): Promise<Opened> {
  const made = await setup();
  const connect: BusSetup["connect"] = async (name, onStatus) => {
    const bus = await made.connect(name, onStatus);
    onTestFinished(() => bus.close());
    return bus;
  };
  return { ...made, connect, a: await connect("a"), b: await connect("b") };
}

/** Collects what a subscription gets. Returns once the server knows of it. */
async function collect(bus: Bus, subject: string, queue?: string): Promise<BusMessage[]> {
  const got: BusMessage[] = [];
  bus.subscribe(subject, { ...(queue !== undefined && { queue }), onMessage: (message) => void got.push(message) });
  await bus.roundTrip();
  return got;
}

function answer(bus: Bus, subject: string, reply: (message: BusMessage) => string): void {
  bus.subscribe(subject, {
    onMessage(message) {
      if (message.replyTo !== undefined) bus.publish(message.replyTo, bytes(reply(message)));
    },
  });
}

function describeMessages(setup: () => Promise<BusSetup>): void {
  it("carries bytes to each subscription, by exact subjects, `*` and `>` [CL1.subjects]", async () => {
    const { a, b } = await open(setup);
    const [exact, star, rest] = [await collect(b, "x.y.z"), await collect(b, "x.*.z"), await collect(a, "x.>")];
    const sent = Uint8Array.from({ length: 256 }, (_, at) => at);
    a.publish("x.y.z", sent, "answers.here");
    a.publish("x", bytes("none"));
    a.publish("x.other.z", bytes("star"));
    await vi.waitFor(() => expect([exact.length, star.length, rest.length]).toEqual([1, 2, 2]));
    expect(exact).toEqual([{ subject: "x.y.z", bytes: sent, replyTo: "answers.here" }]);
    expect(star.map((message) => message.subject)).toEqual(["x.y.z", "x.other.z"]);
    expect(star[1]?.replyTo).toBeUndefined();
  });

  it("gives each message to one of a queue, and to each queue [CL1.queue]", async () => {
    const { a, b } = await open(setup);
    const sharing = [await collect(a, "work", "members"), await collect(b, "work", "members")];
    const [other, alone] = [await collect(b, "work", "other"), await collect(b, "work")];
    for (let count = 0; count < 100; count += 1) a.publish("work", bytes(String(count)));
    await vi.waitFor(() => expect([other.length, alone.length]).toEqual([100, 100]));
    await vi.waitFor(() => expect(sharing.flat()).toHaveLength(100));
    expect(new Set(sharing.flat().map(text)).size).toBe(100);
    expect(sharing.every((got) => got.length > 0)).toBe(true);
  });

  it("answers requests, and many at once without mixing them up [CL1.request]", async () => {
    const { a, b } = await open(setup);
    answer(b, "echo", (message) => `got ${text(message)}`);
    await b.roundTrip();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => a.request("echo", bytes(`${at}`), { timeoutMs: 30_000 })));
    expect(answers.map(text)).toEqual(Array.from({ length: 50 }, (_, at) => `got ${at}`));
  });

  it("reports at once that nothing subscribes to a subject [CL1.no-responders]", async () => {
    const { a, b } = await open(setup);
    // Without the report, the test would end only after its own time limit.
    await expect(a.request("nothing", bytes(""), { timeoutMs: 3_600_000 })).rejects.toEqual(failsWith("no_responders"));
    const drained = b.subscribe("was.here", { onMessage: () => {} });
    await drained.drain();
    await expect(a.request("was.here", bytes(""), { timeoutMs: 3_600_000 })).rejects.toEqual(failsWith("no_responders"));
  });

  it("bounds the wait for an answer, and ends it when the caller cancels [CL3.bounded]", async () => {
    const { a, b } = await open(setup);
    const heard = await collect(b, "silent");
    await expect(a.request("silent", bytes(""), { timeoutMs: 20 })).rejects.toEqual(failsWith("timeout"));
    const stop = new AbortController();
    const waiting = a.request("silent", bytes(""), { timeoutMs: 3_600_000, signal: stop.signal });
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    stop.abort();
    await expect(waiting).rejects.toEqual(failsWith("cancelled"));
    await expect(a.request("silent", bytes(""), { timeoutMs: 1_000, signal: stop.signal })).rejects.toEqual(failsWith("cancelled"));
    await a.roundTrip();
    expect(heard).toHaveLength(2);
  });

  it("refuses a message larger than the server accepts [CL3.too-large]", async () => {
    const { a } = await open(setup);
    const large = new Uint8Array(a.maxMessageBytes + 1);
    const got = await collect(a, "large");
    a.publish("large", large.subarray(1));
    expect(() => a.publish("large", large)).toThrow(failsWith("too_large"));
    await expect(a.request("large", large, { timeoutMs: 1_000 })).rejects.toEqual(failsWith("too_large"));
    const values = await a.values("large", BUCKET);
    await expect(values.put("key", large)).rejects.toEqual(failsWith("too_large"));
    await vi.waitFor(() => expect(got.map((message) => message.bytes.length)).toEqual([a.maxMessageBytes]));
  });

  it("drains a subscription: what was sent is handled, and nothing after it [CL7.drain]", async () => {
    const { a, b } = await open(setup);
    const got: string[] = [];
    const subscription = b.subscribe("drained", { queue: "q", onMessage: (message) => void got.push(text(message) ?? "") });
    await b.roundTrip();
    for (let count = 0; count < 500; count += 1) a.publish("drained", bytes(`${count}`));
    await a.roundTrip();
    await subscription.drain();
    expect(got).toHaveLength(500);
    a.publish("drained", bytes("late"));
    await a.roundTrip();
    await b.roundTrip();
    expect(got).toHaveLength(500);
    await subscription.drain();
  });

  it("handles what is under way before it closes, and refuses everything after that [CL7.close]", async () => {
    const { a, b } = await open(setup);
    const got = await collect(b, "closing");
    for (let count = 0; count < 100; count += 1) a.publish("closing", bytes(`${count}`));
    await a.close();
    await b.roundTrip();
    await b.close();
    await b.close();
    expect(got).toHaveLength(100);
    expect(() => b.publish("closing", bytes(""))).toThrow(failsWith("closed"));
    expect(() => b.subscribe("closing", { onMessage: () => {} })).toThrow(failsWith("closed"));
    await expect(b.request("closing", bytes(""), { timeoutMs: 1_000 })).rejects.toEqual(failsWith("closed"));
    await expect(b.roundTrip()).rejects.toEqual(failsWith("closed"));
    await expect(b.values("closing", BUCKET)).rejects.toEqual(failsWith("closed"));
  });
}

function describeValues(setup: () => Promise<BusSetup>): void {
  it("creates, reads, replaces, lists and removes values [CL2.values]", async () => {
    const { a, b } = await open(setup);
    const [near, far] = [await a.values("calls", BUCKET), await b.values("calls", BUCKET)];
    const first = await near.create("a.b", bytes("1"));
    expect(first).toBeGreaterThan(0);
    expect(await far.get("a.b")).toEqual({ bytes: bytes("1"), revision: first });
    const second = await far.update("a.b", bytes("2"), first ?? 0);
    expect(second).toBeGreaterThan(first ?? 0);
    expect(await near.update("a.b", bytes("old"), first ?? 0)).toBeUndefined();
    expect(await near.create("a.b", bytes("old"))).toBeUndefined();
    const third = await near.put("a.c", bytes(""));
    expect(third).toBeGreaterThan(second ?? 0);
    expect([...(await far.keys("a."))].toSorted()).toEqual(["a.b", "a.c"]);
    expect(await far.keys("b.")).toEqual([]);
    await near.remove("a.b");
    expect(await far.get("a.b")).toBeUndefined();
    expect(await far.keys("")).toEqual(["a.c"]);
    expect(await far.update("a.b", bytes("gone"), second ?? 0)).toBeUndefined();
    expect(await far.get("missing")).toBeUndefined();
    expect(await far.create("a.b", bytes("again"))).toBeGreaterThan(third);
    expect(text(await near.get("a.b"))).toBe("again");
    expect((await near.get("a.c"))?.bytes).toEqual(bytes(""));
  });

  it("lets one of many win each race to create or replace a value [CL2.race]", async () => {
    const { a, b } = await open(setup);
    const [near, far] = [await a.values("race", BUCKET), await b.values("race", BUCKET)];
    const each = <T>(run: (values: BusValues, at: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: 20 }, (_, at) => run(at % 2 === 0 ? near : far, at)));
    for (let round = 0; round < 5; round += 1) {
      const created = await each((values, at) => values.create(`key.${round}`, bytes(`${at}`)));
      const [won, ...others] = created.filter((revision) => revision !== undefined);
      expect([typeof won, others]).toEqual(["number", []]);
      expect((await near.get(`key.${round}`))?.revision).toBe(won);
      const updated = await each((values, at) => values.update(`key.${round}`, bytes(`next ${at}`), won ?? 0));
      const winner = updated.findIndex((revision) => revision !== undefined);
      expect(updated.filter((revision) => revision !== undefined)).toHaveLength(1);
      expect(text(await near.get(`key.${round}`))).toBe(`next ${winner}`);
    }
  });

  it("lets two hosts open a new bucket at the same time [CL2.open]", async () => {
    const { a, b } = await open(setup);
    const opened = await Promise.all([a, b, a, b].map((bus) => bus.values("new", BUCKET)));
    await opened[0]?.put("key", bytes("value"));
    expect(text(await opened[3]?.get("key"))).toBe("value");
  });

  it("removes values that were not changed for the bucket's time [CL2.ttl]", async () => {
    const { a } = await open(setup);
    const values = await a.values("short", { ...BUCKET, ttlMs: 500 });
    await values.put("key", bytes("value"));
    expect(text(await values.get("key"))).toBe("value");
    await expect.poll(() => values.get("key")).toBeUndefined();
    expect(await values.keys("")).toEqual([]);
    expect(await values.create("key", bytes("new"))).toBeDefined();
  });

  it("refuses a value for which the bucket has no room, and keeps the others [CL2.full]", async () => {
    const { a } = await open(setup);
    const values = await a.values("small", { ttlMs: 0, maxBytes: 50_000 });
    await values.put("first", new Uint8Array(20_000));
    await values.put("second", new Uint8Array(20_000));
    await expect(values.put("third", new Uint8Array(20_000))).rejects.toEqual(failsWith("too_large"));
    expect((await values.get("first"))?.bytes).toHaveLength(20_000);
  });

  it("watches: first what is there, then each change [CL4.watch]", async () => {
    const { a, b } = await open(setup);
    const [near, far] = [await a.values("watched", BUCKET), await b.values("watched", BUCKET)];
    await near.put("members.one", bytes("1"));
    await near.put("members.gone", bytes("x"));
    await near.put("other.one", bytes("x"));
    await near.remove("members.gone");
    const seen: (readonly [string, string | undefined])[] = [];
    const watch = await far.watch("members.*", (key, value) => void seen.push([key, text(value)]));
    expect(seen).toEqual([["members.one", "1"]]);
    await near.put("members.two", bytes("2"));
    await near.put("other.two", bytes("x"));
    await near.put("members.one", bytes("3"));
    await near.remove("members.two");
    const all = [
      ["members.one", "1"],
      ["members.two", "2"],
      ["members.one", "3"],
      ["members.two", undefined],
    ];
    await vi.waitFor(() => expect(seen.at(-1)).toEqual(["members.two", undefined]));
    expect(seen).toEqual(all);
    watch.stop();
    await near.put("members.one", bytes("4"));
    await far.get("members.one");
    await b.roundTrip();
    expect(seen).toEqual(all);
  });
}

function describeObjects(setup: () => Promise<BusSetup>): void {
  it("keeps values larger than a message, and never reads more than it may [CL3.objects]", async () => {
    const { a, b } = await open(setup);
    const [near, far] = [await a.objects("large", BUCKET), await b.objects("large", BUCKET)];
    const large = Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 7_919) % 251);
    await near.put("some name/with: any characters", large);
    expect(Buffer.from(large).equals((await far.get("some name/with: any characters", 3_000_000)) ?? bytes(""))).toBe(true);
    await expect(far.get("some name/with: any characters", 2_999_999)).rejects.toEqual(failsWith("too_large"));
    expect(await far.get("missing", 1_000)).toBeUndefined();
    await near.put("some name/with: any characters", bytes("small"));
    expect(await far.get("some name/with: any characters", 1_000)).toEqual(bytes("small"));
    await near.put("empty", bytes(""));
    expect(await far.get("empty", 0)).toEqual(bytes(""));
    await far.remove("some name/with: any characters");
    expect(await near.get("some name/with: any characters", 1_000)).toBeUndefined();
    await far.remove("missing");
  });
}

function describeLoss(setup: () => Promise<BusSetup>): void {
  it("refuses to send while one connection is cut, and goes on without a gap [CL6.cut]", async () => {
    const { connect, cut, heal, b } = await open(setup);
    const statuses: string[] = [];
    const cuttable = await connect("cut", (status) => void statuses.push(status));
    const [near, far] = [await cuttable.values("gap", BUCKET), await b.values("gap", BUCKET)];
    const seen = new Map<string, string | undefined>();
    await near.watch(">", (key, value) => void seen.set(key, text(value)));
    const got = await collect(cuttable, "messages");
    await far.put("before", bytes("1"));
    await vi.waitFor(() => expect(seen.get("before")).toBe("1"));

    cut("cut");
    await vi.waitFor(() => expect(statuses).toEqual(["disconnected"]));
    expect(() => cuttable.publish("messages", bytes("lost"))).toThrow(failsWith("disconnected"));
    await expect(cuttable.request("messages", bytes("lost"), { timeoutMs: 1_000 })).rejects.toEqual(failsWith("disconnected"));
    await expect(near.put("lost", bytes("lost"))).rejects.toEqual(failsWith("disconnected"));
    for (const key of ["before", "one", "two"]) await far.put(key, bytes("2"));
    await far.remove("one");
    b.publish("messages", bytes("missed"));
    await b.roundTrip();

    heal("cut");
    await vi.waitFor(() => expect(statuses).toEqual(["disconnected", "connected"]), { timeout: 30_000 });
    await vi.waitFor(() => expect(seen.get("two")).toBe("2"), { timeout: 30_000 });
    await far.put("after", bytes("3"));
    await vi.waitFor(() => expect(seen.get("after")).toBe("3"), { timeout: 30_000 });
    expect([seen.get("before"), seen.get("one"), seen.has("lost")]).toEqual(["2", undefined, false]);
    await cuttable.roundTrip();
    b.publish("messages", bytes("again"));
    await vi.waitFor(() => expect(got.map(text)).toEqual(["again"]));
    expect(await near.get("lost")).toBeUndefined();
  });

  it("keeps what was accepted when the server is killed, and continues with it [CL6.killed]", async () => {
    const { connect, kill, restart } = await open(setup);
    const statuses: string[] = [];
    const a = await connect("survivor", (status) => void statuses.push(status));
    const b = await connect("other");
    const [near, far] = [await a.values("kept", BUCKET), await b.values("kept", BUCKET)];
    const objects = await a.objects("kept", BUCKET);
    const seen = new Map<string, BusValue | undefined>();
    await far.watch(">", (key, value) => void seen.set(key, value));
    answer(b, "echo", (message) => text(message) ?? "");
    await b.roundTrip();
    const written: (readonly [string, number])[] = [];
    for (let count = 0; count < 200; count += 1)
      written.push([`key.${count}`, (await near.create(`key.${count}`, bytes(`${count}`))) ?? 0]);
    await objects.put("object", bytes("kept"));

    await kill();
    await vi.waitFor(() => expect(statuses).toEqual(["disconnected"]));
    await expect(near.get("key.1")).rejects.toEqual(failsWith("disconnected"));
    await expect(objects.get("object", 1_000)).rejects.toEqual(failsWith("disconnected"));
    await restart();
    await vi.waitFor(() => expect(statuses).toEqual(["disconnected", "connected"]), { timeout: 30_000 });

    expect([...(await near.keys("key."))].toSorted()).toEqual(written.map(([key]) => key).toSorted());
    for (const [key, revision] of written.slice(-20)) expect((await near.get(key))?.revision).toBe(revision);
    expect(text({ bytes: (await objects.get("object", 1_000)) ?? bytes("") })).toBe("kept");
    const [, revision] = written.at(-1) ?? ["", 0];
    expect(await near.update("key.199", bytes("new"), revision)).toBeGreaterThan(revision);
    await vi.waitFor(() => expect(text(seen.get("key.199"))).toBe("new"), { timeout: 30_000 });
    expect(seen.size).toBe(200);
    await vi.waitFor(async () => expect(text(await a.request("echo", bytes("hi"), { timeoutMs: 5_000 }))).toBe("hi"), { timeout: 30_000 });
  });

  it("closes at once while the server is away [CL6.close]", async () => {
    const { kill, a, b } = await open(setup);
    a.subscribe("any", { onMessage: () => {} });
    const values = await b.values("any", BUCKET);
    await values.watch(">", () => {});
    await kill();
    await vi.waitFor(() => expect(() => a.publish("any", bytes(""))).toThrow(failsWith("disconnected")));
    await Promise.all([a.close(), b.close()]);
    expect(() => a.publish("any", bytes(""))).toThrow(failsWith("closed"));
  });
}
