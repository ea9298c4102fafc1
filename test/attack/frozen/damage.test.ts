import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createStates } from "../../../host/platform/files/states.ts";
import { createSealedStore, type SealedStore } from "../../../host/primitives/state/sealed-store.ts";
import { REPOSITORY } from "../../../scripts/run-command.ts";

/** A row of a call, in a file that may grow to 300 KB, like one on a full disk. */
const FULL = (folder: string): string => `
import { createStates } from ${JSON.stringify(join(REPOSITORY, "host/platform/files/states.ts"))};
const file = createStates().create(${JSON.stringify(join(folder, "a.db"))});
const bytes = (length) => new Uint8Array(length);
file.put("call kept", bytes(10), bytes(37_000));
try { for (let index = 0; ; index++) file.put("call more-" + index, bytes(10), bytes(100)); } catch { /* The disk is full. */ }
console.log(typeof file.delete("call kept"));
process.kill(process.pid, "SIGKILL");`;

async function open(folder: string, defects: string[]): Promise<SealedStore> {
  let count = 0;
  const store = createSealedStore({
    ...{ states: createStates(), folder, keyFile: join(folder, "key"), newId: () => `new-${count++}` },
    files: { list: () => Promise.resolve(readdirSync(folder).map((name) => ({ name, kind: "file" as const }))) },
    onDefect: (message, error) => defects.push(`${message}: ${String(error)}`),
  });
  await store.takeOver();
  return store;
}

const idsOf = (store: SealedStore): readonly string[] =>
  store
    .space("call")
    .list()
    .map(({ id }) => id);

describe("what was kept of calls", { timeout: 60_000 }, () => {
  it.skipIf("Deno" in globalThis)("does not come back if it cannot be removed because the disk is full [FR2.once]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-frozen-"));
    writeFileSync(join(place.path, "program.ts"), FULL(place.path));
    const program = spawn("bash", ["-c", `ulimit -f 300; trap '' XFSZ; exec node program.ts`], { cwd: place.path });
    let said = "";
    program.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    await once(program, "close");
    expect(said).toBe("string\n");
    const defects: string[] = [];
    const store = await open(place.path, defects);
    expect([idsOf(store), defects]).toEqual([[], []]);
    store.close();
  });

  it("is lost with its file only, if that is damaged [FR5.damaged]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-frozen-"));
    const [good, bad] = [join(place.path, "good"), join(place.path, "bad")].map((folder) => `${folder}.db`) as [string, string];
    const defects: string[] = [];
    const first = await open(place.path, defects);
    for (const id of ["a", "b", "c"]) first.space("call").put(id, { id }, new Uint8Array(9_000).fill(1));
    first.close();
    copyFileSync(join(place.path, "new-0.db"), good);
    // Not a database, and one with a page of noise in the middle.
    writeFileSync(bad, "nothing of SQLite".repeat(100));
    const second = await open(place.path, defects);
    expect(idsOf(second)).toEqual(["a", "b", "c"]);
    expect(defects).toEqual([expect.stringContaining('bad.db" cannot be read')]);
    // The copy came back with nothing.
    for (const id of ["a", "b", "c"]) second.space("call").delete(id);
    second.close();
    expect(readdirSync(place.path).filter((name) => name.endsWith(".db"))).toEqual(["bad.db"]);
    expect(existsSync(good)).toBe(false);
  });

  it("is refused where a page of its file is damaged, and nothing else is [FR5.damaged]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-frozen-"));
    const defects: string[] = [];
    const first = await open(place.path, defects);
    for (let index = 0; index < 20; index++) first.space("call").put(`call-${index}`, { index }, new Uint8Array(9_000).fill(1));
    first.close();
    const path = join(place.path, "new-0.db");
    const descriptor = openSync(path, "r+");
    // The pages behind the schema: rows of some calls, not the list of all of them.
    writeSync(descriptor, new Uint8Array(4_096 * 12).fill(0xff), 0, 4_096 * 12, statSync(path).size - 4_096 * 20);
    const second = await open(place.path, defects);
    const calls = second.space("call");
    const bodies = idsOf(second).map((id) => calls.body(id)?.ok);
    expect(new Set(bodies)).toEqual(new Set([true, false]));
    expect(idsOf(second).map((id) => calls.head(id)?.value)).toEqual(idsOf(second).map((id) => ({ index: Number(id.slice(5)) })));
    second.close();
  });
});
