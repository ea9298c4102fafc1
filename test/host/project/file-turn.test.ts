import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLock } from "../../../host/plugins/consent/lock.ts";
import { inFileTurn } from "../../../host/project/file-turn.ts";
import { createGrantStore } from "../../../host/project/grants/grants.ts";
import { createMemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { openTrustStore } from "../../../host/project/trust/trust-store.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SCRIPT = fileURLToPath(new URL("../../support/file-changer.ts", import.meta.url));
const BUSY = "/project/.bascule/x.busy";

describe("inFileTurn()", () => {
  it(
    "loses no change that two processes make at the same time, of bascule.lock, the grants, the trust file and bascule.json [H7.processes]",
    { timeout: 120_000 },
    async () => {
      const base = await temporaryFolder();
      const [folder, config] = [join(base, "project"), join(base, "config")];
      await mkdir(folder);
      await writeFile(join(folder, "bascule.json"), "{}");
      const count = 8;
      const children = ["a", "b"].map((name) =>
        spawn(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), SCRIPT, folder, config, name, String(count)], {
          stdio: ["pipe", "pipe", "inherit"],
        }),
      );
      onTestFinished(() => children.forEach((child) => void child.kill("SIGKILL")));
      await Promise.all(children.map((child) => once(child.stdout, "data")));
      const ended = children.map((child) => once(child, "exit"));
      for (const child of children) child.stdin.write("go\n");
      expect((await Promise.all(ended)).map(([code]) => code as number)).toEqual([0, 0]);

      const names = ["a", "b"].flatMap((name) => Array.from({ length: count }, (_, index) => `${name}-${index}`));
      const real = currentPlatform({ log: { level: "error" } });
      const platform = { ...real, environment: { ...real.environment, config } };
      expect([...(await openLock(platform, join(folder, "bascule.lock"))).servers().keys()].toSorted()).toEqual(names);
      const grants = await createGrantStore(platform, join(folder, ".bascule/grants.json"));
      expect(grants.list().map(({ plugin }) => plugin)).toEqual(names);
      const store = await openTrustStore(platform, folder);
      expect([...store.agreed().demands.keys()].toSorted()).toEqual([".bascule/grants.json", ...names]);
      const { mcpServers } = JSON.parse(await readFile(join(folder, "bascule.json"), "utf8")) as { readonly mcpServers: object };
      expect(Object.keys(mcpServers).toSorted()).toEqual(names);
      // No lock file is left.
      expect((await readdir(join(folder, ".bascule"))).toSorted()).toEqual(["grants.json"]);
      expect(await readdir(join(config, "projects"))).toHaveLength(1);
    },
  );

  it("takes over the lock of an ended process, and no other [H7.processes]", async () => {
    const platform = createMemoryPlatform({ files: { [BUSY]: "of a process that ended" } });
    const { clock } = platform;
    const begunMs = clock.monotonic();
    const done: number[] = [];
    const work = inFileTurn(platform, BUSY, async () => void done.push(clock.monotonic() - begunMs));
    let isGivenOn = false;
    while (done.length === 0) {
      platform.advance(500);
      // Lets the in-memory work run until its next timer.
      await new Promise((resolve) => void setTimeout(resolve, 0));
      if (clock.monotonic() - begunMs < 9_000 || isGivenOn) continue;
      isGivenOn = true;
      await platform.files.writeAtomic(BUSY, "of a process that lives, and has it now");
    }
    await work;
    // Ten seconds after the last change of hands, not after the first look.
    expect(done[0]).toBeGreaterThan(19_000);
    expect(done[0]).toBeLessThan(21_500);
    expect(await platform.files.lstat(BUSY)).toBeUndefined();
  });

  it("runs the work again if the lock was taken before it wrote, and does not touch another's lock [H7.processes]", async () => {
    const platform = createMemoryPlatform();
    const tries: string[] = [];
    await inFileTurn(platform, BUSY, async (check) => {
      tries.push("read");
      if (tries.length === 1) await platform.files.remove(BUSY);
      await check();
      tries.push("written");
    });
    expect(tries).toEqual(["read", "read", "written"]);

    const lost = inFileTurn(platform, BUSY, async (check) => {
      await platform.files.writeAtomic(BUSY, "another's");
      queueMicrotask(() => void platform.files.remove(BUSY));
      await check();
    });
    await expect(lost).rejects.toMatchObject({ code: "busy" });
  });
});
