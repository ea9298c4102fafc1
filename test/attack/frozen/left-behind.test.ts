import { cp, mkdtempDisposable, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Host } from "../../../host/mod.ts";
import { type Defects, frozen, NAP, napping } from "./projects.ts";

const ASKS = `export const nap = async () => (await Deno.permissions.request({ name: "env", variable: "SECRET" })).state;`;
const never = (): Promise<undefined> => new Promise(() => {});

describe("calls that ended hosts left", { timeout: 60_000 }, () => {
  it("keep their confirmations, also where several hosts left more than one may ask [FR2.room]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-frozen-"));
    const open = await napping(place.path, [], ASKS, { env: ["SECRET"] });
    const askAll = async (host: Host, name: string): Promise<void> => {
      const session = host.session({ owner: "ada", concurrency: 16 });
      const calls = Array.from({ length: 16 }, (_, index) => host.call("nap", {}, { callId: `${name} ${index}`, session, confirm: never }));
      await frozen(host, 16);
      await host.close();
      await Promise.all(calls);
    };
    const hosts = [await open(), await open()] as const;
    // Both run at the same time, so that neither takes over the calls of the other.
    await Promise.all(hosts.map(async (host, index) => await askAll(host, `host ${index}`)));
    await using next = await open();
    expect([next.waiting().length, next.confirmations.list().length]).toEqual([32, 32]);
    for (const { request } of next.confirmations.list())
      next.confirmations.answer(request.requestId, { approve: true, hash: request.hash });
    await expect.poll(() => next.result("host 1 15"), { timeout: 20_000 }).toMatchObject({ output: "granted" });
    await expect.poll(() => next.waiting()).toEqual([]);
  });

  it("end as lost if what was kept of them was altered, and do not run again [FR2.lost] [FR5.damaged]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-frozen-"));
    const [state, killed] = [join(place.path, ".bascule"), join(place.path, "killed")];
    const defects: Defects = [];
    const open = await napping(place.path, defects, NAP);
    const first = await open();
    const session = first.session({ owner: "ada" });
    const left = first.call("nap", { ms: 60_000 }, { callId: "left", session });
    await frozen(first, 1);
    await first.audit.flush();
    // The state of a host that was killed now.
    for (const name of ["waiting", "audit"]) await cp(join(state, name), join(killed, name), { recursive: true });
    await first.close();
    await left;
    for (const name of ["waiting", "audit"]) {
      await rm(join(state, name), { recursive: true, force: true });
      await rename(join(killed, name), join(state, name));
    }
    const [file = ""] = (await readdir(join(state, "waiting"))).filter((name) => name.endsWith(".db"));
    const database = new DatabaseSync(join(state, "waiting", file));
    expect(database.prepare("UPDATE heads SET head = zeroblob(100) WHERE id = 'call left'").run().changes).toBe(1);
    database.close();
    await using next = await open();
    const again = next.call("nap", { ms: 60_000 }, { callId: "left", session: next.session({ owner: "ada" }) });
    expect(await again).toMatchObject({ ok: false, callId: "left", error: { code: "lost" } });
    expect(defects).toEqual([expect.stringContaining("The waiting call left cannot continue: what was kept of it was altered")]);
  });
});
