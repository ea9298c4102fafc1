import { describe, expect, it } from "vitest";
import type { HostEvent } from "../../../host/audit/events.ts";
import { createHostMark } from "../../../host/audit/host-mark.ts";
import { createJournal } from "../../../host/audit/journal.ts";
import { LOST_CALLS } from "../../../host/audit/lost-calls.ts";
import { journalWriter, retainBy } from "../../../host/host/open-events.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createSealedStore } from "../../../host/primitives/state/sealed-store.ts";
import { createService } from "../../../host/primitives/service/service.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const fail = (message: string): void => expect.unreachable(message);

const platform = currentPlatform({ log: { level: "error" } });
const env = { ...platform, turn: () => Promise.resolve() };

type Told = readonly [type: string, callId: string, payload?: object];

/** Appends the events of one host. */
async function tell(folder: string, host: string, told: readonly Told[], bounds: object = {}): Promise<void> {
  const onDefect = (message: string, error?: unknown): void => expect.unreachable(`${message} ${String(error)}`);
  const service = createService({ threads: undefined, environment: platform, onDefect });
  const store = createJournal({
    ...{ writer: journalWriter(service, folder), retain: retainBy(service), clock: platform.clock, folder, onDefect, ...bounds },
    host: () => host,
  });
  await store.prepare();
  void store.append({ type: "session.opened", sessionId: "s", id: "0", time: 1, producer: "bascule", payload: { owner: "ada" } });
  for (const [type, callId, payload = {}] of told) {
    const event = {
      type,
      callId,
      sessionId: "s",
      id: `${type} ${callId}`,
      time: 1,
      producer: "bascule",
      payload: { tool: "t", ...payload },
    };
    // A draft of any type.
    void store.append(event as unknown as HostEvent);
  }
  await store.close();
}

async function lostIn(folder: string, ...hosts: readonly string[]): Promise<unknown> {
  const found = await LOST_CALLS.run({ folder, hosts: hosts.map((id) => ({ id, sinceMs: 0 })) }, env as never);
  return found.map(({ event, owner, hasBegun }) => [event["type"], event["callId"], owner, hasBegun]);
}

describe("LOST_CALLS", () => {
  it("are those of ended hosts that began and have no end, whatever their arguments spell [FR2.lost]", async () => {
    const folder = await temporaryFolder();
    await tell(folder, "a", [
      ["tool.called", "ended"],
      ["tool.called", "lost", { arguments: { type: "tool.completed", callId: "lost" } }],
      ["tool.confirmation_requested", "asked"],
      ["tool.confirmation_requested", "answered"],
      ["tool.confirmation_resolved", "answered"],
      ["tool.called", "frozen"],
      ["tool.called", "asks"],
      ["tool.confirmation_requested", "asks"],
      ["tool.confirmation_resolved", "asks"],
      ["tool.completed", "ended"],
      ["tool.denied", "refused"],
    ]);
    // The commit of a call that has ended needs a confirmation of its own.
    await tell(folder, "b", [
      ["tool.confirmation_requested", "ended"],
      ["tool.confirmation_resolved", "ended"],
      ["tool.resumed", "frozen"],
      ["tool.called", "of b"],
    ]);
    const ofA = [
      ["tool.called", "lost", "ada", true],
      ["tool.confirmation_requested", "asked", "ada", false],
      ["tool.called", "asks", "ada", true],
    ];
    expect(await lostIn(folder, "a")).toEqual(ofA);
    expect(await lostIn(folder, "b")).toEqual([
      ["tool.called", "frozen", "ada", true],
      ["tool.called", "of b", "ada", true],
    ]);
    expect(await lostIn(folder, "c")).toEqual([]);
    await tell(folder, "c", [["tool.failed", "lost"]]);
    expect(await lostIn(folder, "a")).toEqual(ofA.slice(1));
  });

  it("are found in the files since their host began, and not in a folder without a journal [FR2.lost]", async () => {
    const folder = await temporaryFolder();
    const many = Array.from({ length: 100 }, (_, index): Told => ["tool.called", `call ${index}`, { sideEffects: [] }]);
    await tell(folder, "a", many.slice(0, 50), { maximumFileBytes: 1_000 });
    await tell(folder, "b", many.slice(50), { maximumFileBytes: 1_000 });
    expect(await lostIn(folder, "a")).toHaveLength(50);
    expect(await lostIn(folder, "b", "a")).toHaveLength(100);
    expect(await lostIn(`${folder}/none`, "a")).toEqual([]);
  });
});

describe("createHostMark()", () => {
  it("is found by the next host, unless its host has closed [FR2.lost]", async () => {
    const { states, files, random } = memoryPlatform();
    const open = async (): Promise<ReturnType<typeof createHostMark> & { end(): void }> => {
      const store = createSealedStore({ states, files, folder: "/kept", keyFile: "/key", newId: random.uuidv7, onDefect: fail });
      await store.takeOver();
      const onDefect = (message: string): void => expect.unreachable(message);
      return { ...createHostMark({ store: store.space("host"), newId: random.uuidv7, now: () => 7, onDefect }), end: store.close };
    };
    const first = await open();
    const id = first.id();
    expect([first.ended(), first.id()]).toEqual([[], id]);
    first.end();
    const second = await open();
    second.id();
    expect(second.ended()).toEqual([{ id, sinceMs: 7 }]);
    second.release();
    second.end();
    const third = await open();
    expect(third.ended()).toEqual([{ id, sinceMs: 7 }]);
    third.ended().forEach(third.settle);
    expect(third.ended()).toEqual([]);
  });
});
