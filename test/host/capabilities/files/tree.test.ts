import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerOperation, type BridgeContext } from "../../../../host/capabilities/mod.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import type { Permissions } from "../../../../manifests/mod.ts";
import type { HostAnswer } from "../../../../sandbox/mod.ts";
import { testCall } from "../../../support/bridge-context.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const platform = currentPlatform();

interface World {
  readonly folder: string;
  readonly ask: (name: string, args: object) => Promise<HostAnswer>;
  /** Paths that were read in one go. */
  readonly plain: string[];
  readonly denied: () => readonly string[];
}

/** @param reads `plain`: as on a host; `each`: as in a dry run */
async function start(permissions: Permissions, reads: "plain" | "each" = "plain", operationBytes = 1024 * 1024): Promise<World> {
  const folder = await temporaryFolder();
  const files = { "a.md": "aé", "b/c.md": "c", "b/.d/e.md": "hidden", "b/f.txt": "f", "secret/s.md": "secret", "empty.md": "" };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await symlink(join(folder, "secret"), join(folder, "b", "link"));
  await symlink(join(folder, "secret", "s.md"), join(folder, "b", "link.md"));
  await symlink(join(folder, "a.md"), join(folder, "b", "same.md"));
  const call = testCall({ platform, cwd: folder, permissions, operationBytes });
  const plain: string[] = [];
  const readPlain: BridgeContext["readPlain"] = async (paths, limits) => {
    const read = platform.files.readPlain(paths, limits);
    plain.push(...paths.filter((_, index) => read[index] !== undefined).map((path) => path.slice(folder.length + 1)));
    return read;
  };
  const context = { ...call.context, ...(reads === "plain" && { readPlain }) };
  const denied = (): readonly string[] =>
    call.acts.filter(({ decision }) => decision === "denied").map(({ value }) => value.slice(folder.length + 1));
  return { folder, plain, denied, ask: async (name, args) => await answerOperation({ name, args: args as never }, context) };
}

const GRANTED = { read: { allow: ["$workspace"], deny: ["secret"] } };

/** Returns the files' texts, or the names of their errors. */
function texts(answer: HostAnswer): unknown {
  if (!answer.ok) return answer.error;
  const { lengths, errors } = answer.value as unknown as { readonly lengths: string; readonly errors: readonly [number, string][] };
  let at = 0;
  return lengths.split(",").map((length, index) => {
    at += Number(length);
    const failed = errors.find(([where]) => where === index);
    return failed?.[1] ?? new TextDecoder().decode(answer.bytes?.subarray(at - Number(length), at));
  });
}

describe("tree.walk", () => {
  it("returns the files below a folder, without links, hidden names and what is denied [AX3.walk]", async () => {
    const { ask, denied } = await start(GRANTED);
    expect(await ask("tree.walk", { path: "." })).toMatchObject({ value: ["./a.md", "./b/c.md", "./b/f.txt", "./empty.md"] });
    expect(denied()).toEqual(["secret"]);
    expect(await ask("tree.walk", { path: "b", extensions: [".md"], hidden: true })).toMatchObject({ value: ["b/.d/e.md", "b/c.md"] });
  });

  it("is refused as a listing is, and bounded [AX3.walk]", async () => {
    const { ask } = await start(GRANTED);
    expect(await ask("tree.walk", { path: "secret" })).toMatchObject({ ok: false, error: { name: "NotCapable" } });
    expect(await ask("tree.walk", { path: "b/link" })).toMatchObject({ ok: false, error: { name: "NotCapable" } });
    expect(await ask("tree.walk", { path: "missing" })).toMatchObject({ ok: false, error: { name: "NotFound" } });
    const small = await start(GRANTED, "plain", 20);
    expect(await small.ask("tree.walk", { path: "." })).toMatchObject({ ok: false, error: { name: "RangeError", code: "EFBIG" } });
  });
});

describe.each(["plain", "each"] as const)("tree.read (%s)", (reads) => {
  it("reads each file with the checks of a single read [AX3.read-many]", async () => {
    const { ask, plain, denied } = await start(GRANTED, reads);
    const paths = ["a.md", "b/c.md", "secret/s.md", "b/link.md", "b/same.md", "b/../a.md", "b/link/s.md", "nope", "b", "empty.md", ""];
    expect(texts(await ask("tree.read", { paths }))).toEqual([
      ...["aé", "c", "NotCapable", "NotCapable", "aé", "aé", "NotCapable", "NotFound", "IsADirectory", "", "NotFound"],
    ]);
    expect(plain).toEqual(reads === "plain" && process.platform === "linux" ? ["a.md", "b/c.md", "a.md", "empty.md"] : []);
    expect(denied().toSorted()).toEqual(["b/link.md", "b/link/s.md", "secret/s.md"]);
  });

  it("answers with as many files as fit, and refuses too many paths [AX3.read-many]", async () => {
    const { ask, folder } = await start(GRANTED, reads, 1_000);
    for (const name of ["x", "y", "z"]) await writeFile(join(folder, name), name.repeat(300));
    expect(texts(await ask("tree.read", { paths: ["x", "y", "z"] }))).toEqual(["x".repeat(300)]);
    await writeFile(join(folder, "large"), "l".repeat(501));
    expect(texts(await ask("tree.read", { paths: ["large", "x"] }))).toEqual(["Error", "x".repeat(300)]);
    expect(await ask("tree.read", { paths: Array.from({ length: 1_001 }, () => "x") })).toMatchObject({ error: { name: "RangeError" } });
  });
});
