import { describe, expect, it } from "vitest";
import { type Audit, createAudit } from "../../../host/audit/audit.ts";
import type { HostEvent } from "../../../host/audit/events.ts";
import { createJournal, type EventStore } from "../../../host/audit/journal.ts";
import { journalWriter, retainBy } from "../../../host/host/open-events.ts";
import { createMemoryPlatform, type MemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { createService } from "../../../host/primitives/service/service.ts";

const FOLDER = "/workspace/.bascule/audit";

interface Kept {
  readonly platform: MemoryPlatform;
  readonly store: EventStore;
  readonly audit: Audit;
  /** Returns the numbers of the following events, in pages. */
  pages(after: string | number): Promise<readonly (readonly number[])[] | undefined>;
}

/** Creates a journal of small files with these events, numbered from 1. */
async function journalOf(count: number, { maximumFiles = 99, textLength = 100 } = {}): Promise<Kept> {
  const platform = createMemoryPlatform();
  const onDefect = (message: string, error?: unknown): void => expect.unreachable(`${message} ${String(error)}`);
  const service = createService({ threads: undefined, environment: platform, onDefect });
  const store = createJournal({
    ...{ clock: platform.clock, folder: FOLDER, onDefect, maximumFileBytes: 200_000, maximumFiles },
    writer: journalWriter(service, FOLDER),
    retain: retainBy(service),
  });
  await store.prepare();
  for (let number = 1; number <= count; number += 1) {
    const event = { id: `e${number}`, type: "plugin.loaded", time: number, producer: "bascule", payload: { text: "x".repeat(textLength) } };
    // The event has only the members that the test needs.
    void store.append(event as unknown as HostEvent);
    if (number % 100 === 0) await store.flush();
  }
  await store.flush();
  const audit = createAudit({ service, slices: platform.slices, store }, { auditFolder: FOLDER, checkpointFile: "/none" });
  async function pages(after: string | number): Promise<readonly (readonly number[])[] | undefined> {
    const found: (readonly number[])[] = [];
    for (let from: string | number = after; ;) {
      const page = await audit.following(from);
      if (page === undefined) return undefined;
      found.push(page.events.map(({ event }) => Number(event["time"])));
      if (page.isEnd) return found;
      from = page.last;
    }
  }
  return { platform, store, audit, pages };
}

const numbers = (from: number, to: number): readonly number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe("audit.following()", () => {
  it("returns the events after a given one, in order and in small pages, across all files [AU3.following, LV2.search]", async () => {
    const { pages, store, platform } = await journalOf(3_000);
    const found = await pages("e5");
    expect(found?.flat()).toEqual(numbers(6, 3_000));
    expect(Math.max(...(found ?? []).map(({ length }) => length))).toBeLessThan(500);
    expect((await platform.files.list(FOLDER)).length).toBeGreaterThan(2);
    expect([await pages("e3000"), await pages("none")]).toEqual([[[]], undefined]);
    await store.close();
  });

  it("returns undefined if the event was removed, or if later ones were removed meanwhile [AU3.following]", async () => {
    const { audit, pages, store } = await journalOf(6_000, { maximumFiles: 3 });
    expect([await pages("e1"), await audit.following(1)]).toEqual([undefined, undefined]);
    const found = (await pages("e5900"))?.flat();
    expect(found).toEqual(numbers(5_901, 6_000));
    await store.close();
  });

  it("skips a missing file, and reports it [AU3.following]", async () => {
    const { audit, store, platform } = await journalOf(3_000);
    const [, second, third] = (await platform.files.list(FOLDER)).map(({ name }) => name).toSorted();
    await platform.files.remove(`${FOLDER}/${second ?? ""}`);
    const damage: string[] = [];
    const seen: number[] = [];
    for (let from = 1; ;) {
      const page = await audit.following(from, (text) => damage.push(text));
      seen.push(...(page?.events ?? []).map(({ number }) => number));
      if (page === undefined || page.isEnd) break;
      from = page.last;
    }
    const [from, to] = [Number.parseInt(second ?? "", 10), Number.parseInt(third ?? "", 10) - 1];
    expect(damage).toEqual([`${third}: row ${to + 1} follows row ${from - 1}`]);
    // The first and the last row of each file are the journal's own.
    expect(seen).toEqual([...numbers(2, from - 2), ...numbers(to + 2, 3_000 + 4)]);
    await store.close();
  });
});
