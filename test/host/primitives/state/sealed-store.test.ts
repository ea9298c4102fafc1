import { describe, expect, it } from "vitest";
import { createSealedStore, type SealedStore, type SealedStoreOptions } from "../../../../host/primitives/state/sealed-store.ts";
import type { StateFile } from "../../../../host/platform/files/state-types.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const FOLDER = "/workspace/.bascule/waiting";
const never = (message: string): void => expect.unreachable(message);
const body = (length: number): Uint8Array => new Uint8Array(length).fill(7);

/** Opens stores of one project, one after the other or at the same time. */
function project(): (options?: Partial<SealedStoreOptions>) => SealedStore {
  const { states, files, random } = memoryPlatform();
  return (options) =>
    createSealedStore({
      states,
      files,
      folder: FOLDER,
      keyFile: "/home/user/.config/key",
      newId: random.uuidv7,
      onDefect: never,
      ...options,
    });
}

async function idsIn(store: SealedStore, kind = "call"): Promise<readonly string[]> {
  await store.takeOver();
  return store
    .space(kind)
    .list()
    .map(({ id }) => id);
}

describe("createSealedStore()", () => {
  it("gives the rows of an ended host to the next one, and those of a live host to none [FR2.store]", async () => {
    const open = project();
    const first = open();
    expect(await idsIn(first)).toEqual([]);
    const calls = first.space("call");
    expect(calls.put("a b", { text: "kept" }, body(3))).toBeUndefined();
    expect(calls.put("b", { text: "deleted" })).toBeUndefined();
    expect(first.space("other").put("a b", { text: "of another kind" })).toBeUndefined();
    calls.delete("b");
    const beside = open();
    expect(await idsIn(beside)).toEqual([]);
    first.close();
    // A row that comes too late is not kept.
    expect(calls.put("c", {})).toBe("the host is closed");
    const next = open();
    expect(await idsIn(next)).toEqual(["a b"]);
    const left = next.space("call");
    expect([left.head("a b"), left.head("b")]).toEqual([{ value: { text: "kept" } }, undefined]);
    expect(left.body("a b")).toMatchObject({ ok: true, bytes: Buffer.from(body(3)) });
    expect(left.body("b")).toBeUndefined();
    expect(next.space("other").head("a b")).toEqual({ value: { text: "of another kind" } });
    // The next host holds it.
    expect(await idsIn(beside)).toEqual([]);
    left.delete("a b");
    next.space("other").delete("a b");
    next.close();
    expect(await idsIn(beside)).toEqual([]);
  });

  it("refuses rows above the bounds of their kind, and replaces one within them [FR4.bounds]", () => {
    const store = project()();
    const space = store.space("call", { maximumRows: 2, maximumBytes: 10 });
    expect(space.put("a", {}, body(6))).toBeUndefined();
    expect(space.put("b", {}, body(5))).toBe("6 bytes are kept already");
    expect(store.space("other").put("b", {}, body(5))).toBeUndefined();
    expect(space.put("b", {}, body(4))).toBeUndefined();
    expect(space.put("c", {})).toBe("2 are kept already");
    expect(space.put("a", {}, body(2))).toBeUndefined();
    space.delete("b");
    expect(space.put("c", {}, body(8))).toBeUndefined();
  });

  it("says of each row that it cannot read whether it was altered or belongs to another project [FR5.names]", async () => {
    const { states, files, random } = memoryPlatform();
    let file: StateFile | undefined;
    const spied = { ...states, create: (path: string) => (file = states.create(path)) };
    const options = { files, folder: FOLDER, newId: random.uuidv7, onDefect: never };
    const first = createSealedStore({ ...options, states: spied, keyFile: "/a" });
    for (const id of ["a", "b", "c"]) first.space("call").put(id, { id }, body(3));
    const [a = body(0), b = body(0)] = [file?.head("call a"), file?.head("call b")];
    // One changed bit, and the head of another row.
    file?.put(
      "call a",
      a.map((byte, index) => (index === a.length - 1 ? byte ^ 1 : byte)),
      body(3),
    );
    file?.put("call c", b, body(3));
    first.close();
    const heads = async (keyFile: string): Promise<unknown> => {
      const store = createSealedStore({ ...options, states, keyFile });
      const ids = await idsIn(store);
      const left = ids.map((id) => [id, store.space("call").head(id)]);
      store.close();
      return left;
    };
    expect(await heads("/a")).toEqual([
      ["a", { differs: "altered" }],
      ["b", { value: { id: "b" } }],
      ["c", { differs: "altered" }],
    ]);
    expect(await heads("/b")).toEqual(["a", "b", "c"].map((id) => [id, { differs: "project" }]));
  });
});
