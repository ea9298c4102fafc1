import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { FileError, type FileErrorCode } from "../../../host/platform/platform.ts";
import { inRoot, openBench, pluginFiles } from "../../host/plugins/folder/harness.ts";
import { DEADLINE, liveRoot } from "./live-root.ts";

const isRoot = process.getuid?.() === 0;

describe("a plugin with an unreadable file", () => {
  it.skipIf(isRoot)("is refused, and its last good version serves until the file is readable again [H5]", async () => {
    const env = await liveRoot({ ...pluginFiles("a", "one"), "a/lib/x.ts": "" });
    for (const path of ["a/main.ts", "a/lib", "a"]) {
      await chmod(join(env.root, path), 0);
      await expect.poll(() => env.directory.status()[0]?.state, DEADLINE).toBe("failed");
      expect(env.code("a_run")).toBe("one");
      await chmod(join(env.root, path), 0o755);
      await expect.poll(() => env.directory.status()[0]?.state, DEADLINE).toBe("loaded");
    }
  });

  it.each([
    ["permission_denied", "failed", 'Cannot read "main.ts": permission denied'],
    ["other", "failed", 'Cannot read "main.ts": other'],
    ["busy", "failed", "Keeps changing while it is read"],
  ] as const)("is refused when its code answers %s, and its last good version serves [H5]", async (code: FileErrorCode, state, message) => {
    const memory = createMemoryPlatform({ files: inRoot({ ...pluginFiles("a", "one"), ...pluginFiles("b") }) });
    let isBroken = false;
    const guarded: typeof memory.guarded = {
      ...memory.guarded,
      readBytes: (path, options) =>
        isBroken && path.path === "/plugins/a/main.ts"
          ? Promise.reject(new FileError(code, "No"))
          : memory.guarded.readBytes(path, options),
    };
    const { directory, code: codeOf } = openBench({ platform: { ...memory, guarded } });
    await directory.scan();
    memory.advance(1_000);
    memory.plant("/plugins/a/main.ts", "two");
    isBroken = true;
    await directory.reloadChanged();
    expect(directory.status()).toMatchObject([{ state, lastGood: true, problems: [{ message }] }, { state: "loaded" }]);
    expect(codeOf("a_run")).toBe("one");
    isBroken = false;
    memory.advance(1_000);
    memory.plant("/plugins/a/main.ts", "three");
    await directory.reloadChanged();
    expect(codeOf("a_run")).toBe("three");
  });
});
