import { mkdtempSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createImageCache } from "../../../../host/platform/files/image-cache.ts";

describe("createImageCache()", () => {
  const before = process.env["XDG_CACHE_HOME"];
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "bascule-cache-"));
    process.env["XDG_CACHE_HOME"] = home;
  });
  afterEach(() => {
    if (before === undefined) delete process.env["XDG_CACHE_HOME"];
    else process.env["XDG_CACHE_HOME"] = before;
    rmSync(home, { recursive: true, force: true });
  });

  it("reads only images that it wrote", async () => {
    const cache = createImageCache();
    expect(await cache.read("a")).toBeUndefined();
    expect(await cache.write("a", new Uint8Array([1, 2]))).toBe(true);
    expect([...((await cache.read("a")) ?? [])]).toEqual([1, 2]);
    expect(readdirSync(join(home, "bascule", "images"))).toEqual(["a"]);
  });

  it("bounds the total size by removing the oldest files", async () => {
    const folder = join(home, "bascule", "images");
    mkdirSync(folder, { recursive: true });
    for (let index = 0; index < 40; index++) {
      const path = join(folder, `old-${index}`);
      writeFileSync(path, "");
      // A sparse file occupies no blocks.
      truncateSync(path, 16 << 20);
      utimesSync(path, index, index);
    }
    expect(await createImageCache().write("new", new Uint8Array(1))).toBe(true);
    const left = readdirSync(folder);
    expect(left).toHaveLength(16);
    expect(left).toContain("new");
    expect(left).toContain("old-39");
    expect(left).not.toContain("old-24");
  });

  it("writes complete images from several caches at once and leaves nothing else", async () => {
    const caches = Array.from({ length: 20 }, () => createImageCache());
    const written = await Promise.all(caches.map((cache) => cache.write("a", new Uint8Array(100_000).fill(7))));
    expect(written).toEqual(caches.map(() => true));
    expect(readdirSync(join(home, "bascule", "images"))).toEqual(["a"]);
    expect(await createImageCache().read("a")).toHaveLength(100_000);
  });

  it("removes the oldest files if there are too many", async () => {
    const folder = join(home, "bascule", "images");
    mkdirSync(folder, { recursive: true });
    for (let index = 0; index < 2_000; index++) {
      const path = join(folder, `old-${index}`);
      writeFileSync(path, "");
      utimesSync(path, index, index);
    }
    expect(await createImageCache().write("new", new Uint8Array(1))).toBe(true);
    const left = readdirSync(folder);
    expect(left).toHaveLength(1_000);
    expect(left).toContain("new");
    expect(left).toContain("old-1999");
    expect(left).not.toContain("old-0");
  });
});
