import { expect, it } from "vitest";
import { createSandbox } from "../../../sandbox/mod.ts";
import { EMPTY_IMAGE, INVOCATION, NOTHING_USED, PLUGIN, scriptedWorkers } from "../../support/scripted-worker.ts";

it("drops the lines of a log listener that throws, without an exception in the message handler [B5.defect]", async () => {
  const { launcher, workers } = scriptedWorkers();
  const defects: string[] = [];
  const sandbox = createSandbox(launcher, { maximumWorkers: 1, engine: "plain", onDefect: (message) => void defects.push(message) });
  const loading = sandbox.load(PLUGIN);
  await expect.poll(() => workers[0]?.requests.at(-1)?.type).toBe("load");
  workers[0]?.say({ type: "loaded", number: 1, image: EMPTY_IMAGE });
  await loading;
  const answer = sandbox.invoke({
    ...INVOCATION,
    onLogs() {
      throw new TypeError("log.child is not a function");
    },
  });
  await expect.poll(() => workers[0]?.requests.at(-1)?.type).toBe("call");
  const number = 2;
  expect(() => workers[0]?.say({ type: "logs", number, lines: [["info", "a line"]] })).not.toThrow();
  workers[0]?.say({ type: "done", number, parts: [], text: '"done"', used: NOTHING_USED, lines: [["info", "another"]] });
  await sandbox.close();
  await answer;
  expect(defects).toEqual(Array(defects.length).fill("A listener for log lines threw: TypeError: log.child is not a function"));
  expect(defects.length).toBeGreaterThan(0);
});

it("ends the worker and its calls on a defect of the host in handling its message, without an exception in the handler [B5.defect]", async () => {
  const { launcher, workers } = scriptedWorkers();
  const sandbox = createSandbox(launcher, {
    maximumWorkers: 1,
    engine: "plain",
    // The listener for defects throws, too.
    onDefect() {
      throw new Error("the disk is full");
    },
  });
  const loading = sandbox.load(PLUGIN);
  await expect.poll(() => workers[0]?.requests.at(-1)?.type).toBe("load");
  workers[0]?.say({ type: "loaded", number: 1, image: EMPTY_IMAGE });
  await loading;
  let isBroken = false;
  const answer = sandbox.invoke({
    ...INVOCATION,
    get limits() {
      if (!isBroken) return INVOCATION.limits;
      isBroken = false;
      throw new Error("a defect");
    },
    onLogs() {
      throw new TypeError("log.child is not a function");
    },
  });
  await expect.poll(() => workers[0]?.requests.at(-1)?.type).toBe("call");
  expect(() => workers[0]?.say({ type: "logs", number: 2, lines: [["info", "its listener throws"]] })).not.toThrow();
  expect(workers[0]?.ended).toBe(false);
  isBroken = true;
  expect(() => workers[0]?.say({ type: "logs", number: 2, lines: [["info", "a line"]] })).not.toThrow();
  expect(isBroken).toBe(false);
  expect(await answer).toMatchObject({ ok: false, fault: { kind: "lost" } });
  await sandbox.close();
});
