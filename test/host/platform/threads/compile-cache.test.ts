import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { compileCacheVariable } from "../../../../host/platform/threads/compile-cache.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

describe.skipIf(process.platform === "win32")("compileCacheVariable()", () => {
  it("names the folder without links, so that it is the one that was checked [DI5.cache]", async () => {
    const folder = await temporaryFolder();
    const [shared, own] = [join(folder, "shared"), join(folder, "own")];
    for (const path of [shared, own]) mkdirSync(path, { mode: 0o700 });
    chmodSync(shared, 0o1777);
    // In such a folder another user may have put the link, and can make it lead elsewhere.
    symlinkSync(own, join(shared, "bascule"));
    vi.stubEnv("XDG_CACHE_HOME", shared);
    expect(compileCacheVariable()).toEqual({ NODE_COMPILE_CACHE: join(own, "compile") });
  });

  it.each([
    ["the group", 0o720],
    ["all", 0o702],
  ])("is empty if others can write to the folder: %s [DI5.cache]", async (_who, mode) => {
    const cache = await temporaryFolder();
    const compiled = join(cache, "bascule/compile");
    mkdirSync(compiled, { recursive: true, mode: 0o700 });
    vi.stubEnv("XDG_CACHE_HOME", cache);
    expect(compileCacheVariable()).toEqual({ NODE_COMPILE_CACHE: compiled });
    chmodSync(compiled, mode);
    expect(compileCacheVariable()).toEqual({});
  });
});
