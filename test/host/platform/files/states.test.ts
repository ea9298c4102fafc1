import { statSync } from "node:fs";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMemoryStates } from "../../../../host/platform/memory/memory-states.ts";
import { createStates } from "../../../../host/platform/files/states.ts";
import type { States } from "../../../../host/platform/files/state-types.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const memory = (): States =>
  createMemoryStates(
    () => {},
    () => {},
  );

describe.each([
  ["in SQLite", createStates],
  ["in memory", memory],
] as const)("state files %s", (_where, create) => {
  it("keep rows until they are deleted, for the next holder [FR2.store]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-states-"));
    const path = join(place.path, "waiting", "a.db");
    const states = create();
    const first = states.create(path);
    first.put("one", bytes("head"), bytes("body"));
    first.put("two", bytes("other"), undefined);
    first.put("one", bytes("later"), undefined);
    first.put("three", bytes("gone"), bytes("gone"));
    first.delete("three");
    // A held file belongs to its holder.
    expect(states.takeOver(path)).toBeUndefined();
    first.close();
    const next = states.takeOver(path);
    expect(next?.rows().toSorted((left, right) => (left.id < right.id ? -1 : 1))).toEqual([
      { id: "one", bytes: 0 },
      { id: "two", bytes: 0 },
    ]);
    expect(["one", "two", "three"].map((id) => next?.head(id) && Buffer.from(next.head(id) ?? []).toString())).toEqual([
      "later",
      "other",
      undefined,
    ]);
    expect([next?.body("one"), next?.body("three"), next?.body("unknown")]).toEqual([undefined, undefined, undefined]);
    for (const id of ["one", "two"]) next?.delete(id);
    next?.close();
  });

  it("have one key, which opens exactly what it sealed [FR1.sealed] [FR5.names]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-states-"));
    const states = create();
    const key = states.keyAt(join(place.path, "keys", "a.key"));
    const other = states.keyAt(join(place.path, "keys", "b.key"));
    expect(states.keyAt(join(place.path, "keys", "a.key"))).toEqual(key);
    expect([key.length, key]).not.toEqual([32, other]);
    const sealed = states.seal(key, bytes("a secret"), "about");
    expect(new TextDecoder("latin1").decode(sealed)).not.toContain("secret");
    expect(states.seal(key, bytes("a secret"), "about")).not.toEqual(sealed);
    expect(states.unseal(key, sealed, "about")).toEqual({ ok: true, bytes: Buffer.from("a secret") });
    expect(states.unseal(key, sealed, "another")).toEqual({ ok: false, differs: "altered" });
    expect(states.unseal(other, sealed, "about")).toEqual({ ok: false, differs: "project" });
    expect(states.unseal(key, sealed.subarray(0, 20), "about")).toEqual({ ok: false, differs: "altered" });
  });
});

describe("state files in SQLite", () => {
  it("are for their owner only, and are removed when they have no rows [FR1.sealed]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-states-"));
    const states = createStates();
    const path = join(place.path, "waiting", "a.db");
    const file = states.create(path);
    states.keyAt(join(place.path, "keys", "a.key"));
    const modes = [path, `${path}-wal`, join(place.path, "keys", "a.key")].map((name) => statSync(name).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    file.put("one", bytes("head"), undefined);
    file.delete("one");
    file.close();
    await expect(readFile(path)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
