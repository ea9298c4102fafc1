import { describe, expect, it } from "vitest";
import { answerOperation } from "../../../host/capabilities/mod.ts";
import { lookTask } from "../../../host/effects/undo/look-task.ts";
import { recordUndo } from "../../../host/effects/undo/record-undo.ts";
import { createUndoStore } from "../../../host/effects/undo/undo-store.ts";
import { errorName, testCall, toBytes } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

const BOUNDS = { maxBytes: 1_000_000, maxAgeMs: 1_000_000 };
const STATE = "/state";

/** Each path is outside of the grant, or leads out of it. */
const ACTS: readonly [string, Readonly<Record<string, string | boolean | number>>][] = [
  ["fs.writeFile", { path: "link" }],
  ["fs.writeFile", { path: "link", append: true }],
  ["fs.writeFile", { path: "folder/secret.txt" }],
  ["fs.truncate", { path: "link" }],
  ["file.open", { path: "link", write: true }],
  ["fs.copyFile", { from: "mine.txt", to: "link" }],
  ["fs.copyFile", { from: "mine.txt", to: "folder/secret.txt" }],
  ["fs.rename", { from: "mine.txt", to: "folder/secret.txt" }],
  ["fs.rename", { from: "folder/secret.txt", to: "new.txt" }],
  ["fs.remove", { path: "folder/secret.txt" }],
  ["fs.remove", { path: "folder/deep", recursive: true }],
  ["fs.remove", { path: ".", recursive: true }],
  ["fs.rename", { from: ".", to: "new" }],
  ["fs.mkdir", { path: "folder/new/er", recursive: true }],
  ["workspace.patch", { path: "link", old: "secret", replacement: "" }],
];

describe("attack: a refused write, so that undo copies the file that it names", () => {
  it.each(ACTS)("%s %j leaves nothing in the undo folder [E8.undo-refused, PA4]", async (name, args) => {
    const platform = memoryPlatform({
      "mine.txt": "mine",
      link: { link: "/outside/secret.txt" },
      folder: { link: "/outside" },
      "/outside/secret.txt": "secret",
      "/outside/deep/key": "key",
    });
    const store = createUndoStore(platform, STATE, () => BOUNDS);
    const guarded = recordUndo({
      below: platform.guarded,
      files: platform.files,
      look: (wanted) => lookTask(wanted, platform),
      open: () => store.open({ callId: "c1", tool: "t", atMs: 5 }),
      onError: (error) => {
        throw error;
      },
    });
    const { context } = testCall({
      platform: { ...platform, guarded },
      cwd: WORKSPACE,
      permissions: { read: ["$workspace"], write: ["$workspace"] },
    });

    expect(errorName(await answerOperation({ name, args, bytes: toBytes("x") }, context))).toBe("NotCapable");
    expect(await store.list()).toEqual([]);
    expect(await platform.files.lstat(`${STATE}/undo`)).toBeUndefined();
    expect(await platform.files.readText("/outside/secret.txt")).toBe("secret");
  });
});
