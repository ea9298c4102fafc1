import { describe, expect, it } from "vitest";
import { createGivenLimits } from "../../../host/plugins/consent/given-limits.ts";
import { openLock } from "../../../host/plugins/consent/lock.ts";
import { createGrantStore, type GrantStore } from "../../../host/project/grants/grants.ts";
import { createMemoryPlatform, type MemoryPlatform } from "../../../host/platform/memory/memory.ts";
import type { Files, Platform } from "../../../host/platform/platform.ts";
import { inFileTurn } from "../../../host/project/file-turn.ts";
import { openProject } from "../../../host/project/project-file.ts";
import { limitsTrustRequest } from "../../../host/project/trust/trust-requests.ts";
import { type ProjectTrust, trustedProject } from "../../../host/project/trust/project-trust.ts";
import { openTrustStore } from "../../../host/project/trust/trust-store.ts";
import { killChanges } from "../../support/kill-changes.ts";
import { FUZZ_SEED } from "../../support/seed.ts";

const CONFIG = "/project/bascule.json";
const FILE = "/project/.bascule/grants.json";
const BUSY = "/project/.bascule/x.busy";
const CHANGING = ["createNew", "writeAtomic", "remove", "rename", "makeDirectory"] as const;

function newPlatform(): MemoryPlatform {
  return createMemoryPlatform({ cwd: "/project", files: { [CONFIG]: "{}" } });
}

/** The same machine as seen by another process, which is killed before or after its n-th change of a file. */
function killedAt(
  platform: Platform,
  n: number,
  when: "before" | "after",
): Platform & { readonly dead: Promise<void>; readonly count: () => number } {
  let count = 0;
  const { promise: dead, resolve: die } = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  const wrap = <K extends (typeof CHANGING)[number]>(name: K): Files[K] =>
    (async (...args: never[]) => {
      const isLast = count === n;
      count += 1;
      if (count > n + 1) return await never;
      const change = platform.files[name] as (...all: never[]) => Promise<unknown>;
      if (isLast && when === "before") return (die(), await never);
      const answer = await change(...args);
      return isLast ? (die(), await never) : answer;
    }) as Files[K]; // Same parameters and result as the wrapped function.
  const files = { ...platform.files, ...Object.fromEntries(CHANGING.map((name) => [name, wrap(name)])) };
  const environment = { ...platform.environment, self: { ...platform.environment.self, pid: 7 } };
  return { ...platform, files, environment, dead, count: () => count };
}

async function trustOf(platform: Platform): Promise<ProjectTrust> {
  return (await trustedProject(platform, await openProject(platform, undefined))).trust;
}

async function storeOf(platform: Platform): Promise<GrantStore> {
  return await createGrantStore(platform, FILE, await trustOf(platform));
}

/** Kills a process before and after each of its file changes, in a new run each, until all changes are covered. */
async function atEveryChange(
  prepare: (platform: MemoryPlatform) => Promise<void>,
  change: (platform: Platform) => Promise<unknown>,
  look: (platform: MemoryPlatform) => Promise<void>,
): Promise<number> {
  for (let n = 0; ; n += 1) {
    for (const when of ["before", "after"] as const) {
      const platform = newPlatform();
      await prepare(platform);
      const killed = killedAt(platform, n, when);
      const isWhole = await Promise.race([killed.dead.then(() => false), change(killed).then(() => true)]);
      if (isWhole) return n;
      await look(platform);
    }
  }
}

async function paths(platform: Platform): Promise<readonly string[]> {
  const below = async (folder: string): Promise<readonly string[]> =>
    (await platform.files.list(folder)).map(({ name }) => `${folder}/${name}`);
  return [...(await below("/project/.bascule")), ...(await below(`${platform.environment.config}/projects`))];
}

describe("a process that is killed while it changes files", () => {
  it.each([
    ["grants something", (store: GrantStore) => store.grant("words", "/words", { net: true })],
    ["takes something back", (store: GrantStore) => store.revoke("words", { read: true })],
    ["takes everything back", (store: GrantStore) => store.revoke("words")],
  ])("leaves the old or the new grants if it %s [C3.killed]", async (_, change) => {
    const before = newPlatform();
    const given = await storeOf(before);
    await given.grant("words", "/words", { read: true });
    const old = given.list().map(({ permissions }) => permissions);
    await change(given);
    const next = given.list().map(({ permissions }) => permissions);

    const changes = await atEveryChange(
      async (platform) => void (await (await storeOf(platform)).grant("words", "/words", { read: true })),
      async (platform) => await change(await storeOf(platform)),
      async (platform) => {
        const store = await storeOf(platform);
        expect(store.problems()).toEqual([]);
        expect([old, next]).toContainEqual(store.list().map(({ permissions }) => permissions));
        await store.grant("notes", "/notes", { net: true });
        expect(store.list().filter(({ plugin }) => plugin === "notes")).toHaveLength(1);
        const { file, agreed } = await openTrustStore(platform, "/project");
        expect([await paths(platform), agreed().next]).toEqual([[FILE, file], undefined]);
      },
    );
    // Writes three files, each under a lock.
    expect(changes).toBeGreaterThan(8);
  });

  it("leaves the old or the new accepted limits [B3.killed]", async () => {
    const limits = [{ cpuMs: 60_000 }, { cpuMs: 90_000 }] as const;
    const give = async (platform: Platform, index: 0 | 1): Promise<void> => {
      const [lock, given] = [await openLock(platform, "/project/bascule.lock"), createGivenLimits(await trustOf(platform))];
      await given.refresh(lock.entries());
      // A separate file stands in for the limits in the lock.
      await given.give("words", limits[index], () => platform.files.writeAtomic("/project/limits", JSON.stringify(limits[index])));
    };
    await atEveryChange(
      (platform) => give(platform, 0),
      async (platform) => {
        const given = createGivenLimits(await trustOf(platform));
        await given.refresh(new Map([["words", { name: "words", acceptedLimits: limits[0] }]]) as never);
        await given.give("words", limits[1], () => platform.files.writeAtomic("/project/limits", JSON.stringify(limits[1])));
      },
      async (platform) => {
        const found = JSON.parse(await platform.files.readText("/project/limits")) as (typeof limits)[number];
        expect(await (await trustOf(platform)).isAgreed(limitsTrustRequest("words", found))).toBe(true);
      },
    );
  });

  it("releases its lock at once, wherever it was killed, even while it takes over the lock of another killed process [H7.killed]", async () => {
    for (const isTaking of [false, true]) {
      await atEveryChange(
        async (platform) => {
          await platform.files.makeDirectory("/project/.bascule");
          if (isTaking) await platform.files.createNew(BUSY, JSON.stringify({ turn: "x", ...platform.environment.self, pid: 9 }));
        },
        (platform) => inFileTurn(platform, BUSY, async () => {}),
        async (platform) => {
          let pauses = 0;
          let isDone = false;
          const work = inFileTurn(platform, BUSY, async () => void (isDone = true));
          for (; !isDone && pauses < 10; pauses += 1) {
            await new Promise((resolve) => void setTimeout(resolve, 0));
            if (!isDone) platform.advance(15);
          }
          await work;
          // One pause more if the killed process was taking over a lock.
          expect(pauses).toBeLessThanOrEqual(2);
          expect(await platform.files.list("/project/.bascule")).toEqual([]);
        },
      );
    }
  });

  it("names the process that it waits for, and never takes the lock of a live one [H7.holder]", async () => {
    const platform = newPlatform();
    await platform.files.makeDirectory("/project/.bascule");
    await platform.files.createNew(BUSY, JSON.stringify({ turn: "x", ...platform.environment.self }));
    const refused = inFileTurn(platform, BUSY, async () => {}).catch((error: unknown) => error);
    let isOver = false;
    void refused.then(() => (isOver = true));
    while (!isOver) {
      platform.advance(500);
      await new Promise((resolve) => void setTimeout(resolve, 0));
    }
    const error = await refused;
    expect(error).toMatchObject({
      code: "busy",
      message: `process 1 is changing the file (delete "${BUSY}" if that process does nothing)`,
    });
    expect(platform.recorded.log).toMatchObject([{ level: "warn", message: `Waiting for process 1, which holds "${BUSY}"` }]);
  });

  it("leaves every file whole at random moments, and no remains after the next change [H7.killed, C3.killed]", async () => {
    // `npm run soak -- --kills 300` runs this for longer.
    expect(await killChanges(6, FUZZ_SEED), `FUZZ_SEED=${FUZZ_SEED}`).toEqual([]);
  });
});
