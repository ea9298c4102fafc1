import { describe, expect, it } from "vitest";
import { createKeyedQueue, forEachLimited } from "../../../host/primitives/keyed-queue.ts";

/** A task that the test ends. */
function task(name: string, log: string[]): { run: () => Promise<string>; end: (error?: Error) => void } {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<void>((resolve, reject) => (end = (error) => (error === undefined ? resolve() : reject(error))));
  return {
    end: (error) => end(error),
    async run() {
      log.push(`${name} begins`);
      await ended.finally(() => log.push(`${name} ends`));
      return name;
    },
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

describe("createKeyedQueue()", () => {
  it("runs the tasks of one lane one after the other, and other lanes concurrently [H3.serial]", async () => {
    const log: string[] = [];
    const lanes = createKeyedQueue();
    const [first, second, other] = [task("first", log), task("second", log), task("other", log)];
    const results = [lanes.run("a", first.run), lanes.run("a", second.run), lanes.run("b", other.run)];
    await turns();
    expect(log).toEqual(["first begins", "other begins"]);
    second.end();
    first.end();
    other.end();
    expect(await Promise.all(results)).toEqual(["first", "second", "other"]);
    expect(log.filter((line) => !line.startsWith("other"))).toEqual(["first begins", "first ends", "second begins", "second ends"]);
  });

  it("continues after a failed task, and is idle when the last one has ended [H3.serial]", async () => {
    const log: string[] = [];
    const lanes = createKeyedQueue();
    const [first, second] = [task("first", log), task("second", log)];
    const failed = lanes.run("a", first.run);
    const done = lanes.run("a", second.run);
    let isIdle = false;
    const idle = lanes.idle().then(() => (isIdle = true));
    first.end(new Error("no"));
    await expect(failed).rejects.toThrow("no");
    await turns();
    expect({ isIdle, log }).toEqual({ isIdle: false, log: ["first begins", "first ends", "second begins"] });
    second.end();
    expect(await done).toBe("second");
    await idle;
    expect(isIdle).toBe(true);
  });
});

describe("forEachLimited()", () => {
  it("runs at most `limit` tasks at the same time", async () => {
    let underWay = 0;
    let most = 0;
    const seen: number[] = [];
    await forEachLimited([...Array.from({ length: 20 }).keys()], 3, async (item) => {
      most = Math.max(most, ++underWay);
      await turns();
      underWay -= 1;
      seen.push(item);
    });
    expect({ most, seen: seen.length }).toEqual({ most: 3, seen: 20 });
  });
});
