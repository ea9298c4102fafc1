import { describe, expect, it } from "vitest";
import { imageFileName, readImageFile, writeImageFile } from "../../../sandbox/pool/image-file.ts";
import { baseImage } from "../../support/in-thread.ts";

describe("image file", () => {
  it("restores the image that it was written from", async () => {
    const image = await baseImage();
    const read = await readImageFile(await writeImageFile(image));
    expect({ ...read, bytes: undefined }).toEqual({ ...image, bytes: undefined });
    expect(Buffer.compare(new Uint8Array(read?.bytes ?? new SharedArrayBuffer(0)), new Uint8Array(image.bytes))).toBe(0);
  });

  it("is rejected if a bit is wrong or a part is missing", async () => {
    const file = await writeImageFile(await baseImage());
    for (const at of [0, 31, 33, 40, 5_000, file.length - 1]) {
      const damaged = new Uint8Array(file);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      expect(await readImageFile(damaged), `bit at ${at}`).toBeUndefined();
    }
    expect(await readImageFile(file.subarray(0, file.length - 1))).toBeUndefined();
    expect(await readImageFile(new Uint8Array(3))).toBeUndefined();
  });

  it("has another name for another engine or another host language", async () => {
    expect(await imageFileName(new Uint8Array([1]), "en")).not.toBe(await imageFileName(new Uint8Array([2]), "en"));
    expect(await imageFileName(new Uint8Array([1]), "en")).not.toBe(await imageFileName(new Uint8Array([1]), "de"));
    expect(await imageFileName(new Uint8Array([1]), "en")).toMatch(/^[0-9a-f]{64}$/);
  });
});
