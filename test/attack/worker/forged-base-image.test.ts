import { expect, it } from "vitest";
import { createSandbox } from "../../../sandbox/mod.ts";
import { EMPTY_BASE, scriptedWorkers } from "../../support/scripted-worker.ts";

it("attack: the first worker sends a base image that the host cannot store [B4.host] [B5.worker]", async () => {
  const { launcher, workers } = scriptedWorkers({ isReady: false });
  const kept: string[] = [];
  const defects: string[] = [];
  const sandbox = createSandbox(
    { ...launcher, writeCache: async (name) => kept.push(name) > 0 },
    { engine: "plain", onDefect: (message) => void defects.push(message) },
  );
  await expect.poll(() => workers[0]?.requests.at(-1)?.type, { timeout: 15_000 }).toBe("boot");
  const { facts, handles } = EMPTY_BASE;
  for (const base of [
    { ...EMPTY_BASE, facts: undefined },
    { ...EMPTY_BASE, facts: { ...facts, dataEnd: 10n } },
    { ...EMPTY_BASE, facts: { ...facts, stackTop: Number.NaN } },
    { ...EMPTY_BASE, facts: { ...facts, timeImport: {} } },
    { ...EMPTY_BASE, handles: { ...handles, entry: {} } },
    { ...EMPTY_BASE, bytes: new ArrayBuffer(8) },
  ])
    workers[0]?.say({ type: "ready", base });
  expect(defects).toEqual([]);
  const cyclic: Record<string, unknown> = { ...facts };
  cyclic["self"] = cyclic;
  workers[0]?.say({ type: "ready", base: { ...EMPTY_BASE, facts: cyclic } });
  await expect.poll(() => defects, { timeout: 15_000 }).toEqual([expect.stringMatching(/^Cannot keep the base image: TypeError: /)]);
  expect(kept).toEqual([]);
  await sandbox.close();
});
