import { describe, expect, it } from "vitest";
import { createSealedStore, type SealedStore, type SealedStoreOptions } from "../../../../host/primitives/state/sealed-store.ts";
import type { StateFile } from "../../../../host/platform/files/state-types.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const FOLDER = "/workspace/.bascule/waiting";
const body = (length: number): Uint8Array => new Uint8Array(length).fill(7);

/** Opens stores of one project, one after the other or at the same time. */
function project(): (options?: Partial<SealedStoreOptions>) => SealedStore {
  const { states, files, random } = memoryPlatform();
  return (options) =>
    createSealedStore({ states, files, folder: FOLDER, keyFile: "/home/user/.config/key", newId: random.uuidv7, ...options });
}

describe("createSealedStore()", () => {
  it("gives the rows of an ended host to the next one, and those of a live host to none [FR2.store]", async () => {
    const open = project();
    const first = open();
    expect(await first.takeOver()).toEqual([]);
    expect(first.put("a", { text: "kept" }, body(3))).toBeUndefined();
    expect(first.put("b", { text: "deleted" })).toBeUndefined();
    first.delete("b");
    const beside = open();
    expect(await beside.takeOver()).toEqual([]);
    first.close();
    const next = open();
    expect(await next.takeOver()).toEqual([{ id: "a", bytes: expect.any(Number), head: { text: "kept" } }]);
    expect(next.body("a")).toMatchObject({ ok: true, bytes: Buffer.from(body(3)) });
    expect(next.body("b")).toBeUndefined();
    // The next host holds it.
    expect(await beside.takeOver()).toEqual([]);
    next.delete("a");
    next.close();
    expect(await beside.takeOver()).toEqual([]);
  });

  it("refuses rows above its bounds, and replaces one within them [FR4.bounds]", () => {
    const store = project()({ maximumRows: 2, maximumBytes: 10 });
    expect(store.put("a", {}, body(6))).toBeUndefined();
    expect(store.put("b", {}, body(5))).toBe("6 bytes are kept already");
    expect(store.put("b", {}, body(4))).toBeUndefined();
    expect(store.put("c", {})).toBe("2 are kept already");
    expect(store.put("a", {}, body(2))).toBeUndefined();
    store.delete("b");
    expect(store.put("c", {}, body(8))).toBeUndefined();
  });

  it("says of each row that it cannot read whether it was altered or belongs to another project [FR5.names]", async () => {
    const { states, files, random } = memoryPlatform();
    let file: StateFile | undefined;
    const spied = { ...states, create: (path: string) => (file = states.create(path)) };
    const options = { files, folder: FOLDER, newId: random.uuidv7 };
    const first = createSealedStore({ ...options, states: spied, keyFile: "/a" });
    for (const id of ["a", "b", "c"]) first.put(id, { id }, body(3));
    const rows = new Map(file?.rows().map((row) => [row.id, row.head]));
    const [a = body(0), b = body(0)] = [rows.get("a"), rows.get("b")];
    // One changed bit, and the head of another row.
    file?.put(
      "a",
      a.map((byte, index) => (index === a.length - 1 ? byte ^ 1 : byte)),
      body(3),
    );
    file?.put("c", b, body(3));
    first.close();
    const heads = async (keyFile: string): Promise<unknown> => {
      const store = createSealedStore({ ...options, states, keyFile });
      const left = (await store.takeOver()).map(({ id, head, differs }) => [id, head, differs]);
      store.close();
      return left;
    };
    expect(await heads("/a")).toEqual([
      ["a", undefined, "altered"],
      ["b", { id: "b" }, undefined],
      ["c", undefined, "altered"],
    ]);
    expect(await heads("/b")).toEqual(["a", "b", "c"].map((id) => [id, undefined, "project"]));
  });
});
