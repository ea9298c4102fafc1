import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { createJournals } from "../../../../host/platform/files/journals.ts";
import { identityTag, ownIdentity } from "../../../../host/platform/processes/process-identity.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const MODULE = new URL("../../../../host/platform/files/journals.ts", import.meta.url).href;
const journals = createJournals();

it("creates a journal atomically for a concurrent reader [AU3.beginning]", async () => {
  const folder = await temporaryFolder();
  const paths = Array.from({ length: 60 }, (_, index) => join(folder, `${index}.db`));
  const begin = `const { createJournals } = await import(${JSON.stringify(MODULE)});
    for (const path of ${JSON.stringify(paths)}) createJournals().open(path, "append").close();`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(begin)}`));
  const { promise: failed, reject } = Promise.withResolvers<never>();
  worker.once("error", reject);
  for (const path of paths) {
    while (!existsSync(path)) await Promise.race([failed, new Promise(setImmediate)]);
    const file = journals.open(path, "read");
    expect(file.last()).toBeUndefined();
    file.close();
  }
  expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

it.skipIf(process.platform === "win32")("removes the file that a process killed during creation left behind [AU3.beginning]", async () => {
  const folder = await temporaryFolder();
  const { pid } = spawnSync("true");
  const left = `.1.db.${identityTag({ ...ownIdentity(), pid, startedAt: "1" })}.0123456789ab.tmp`;
  await writeFile(join(folder, left), "");
  journals.open(join(folder, "1.db"), "append").close();
  expect(await readdir(folder)).toEqual(["1.db"]);
});
