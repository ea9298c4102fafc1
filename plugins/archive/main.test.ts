import assert from "node:assert/strict";
import { archive_extract, archive_file, archive_open } from "./main.ts";

/** Returns a minimal tar file: one header and the contents of one file. */
function tarOf(name: string, content: string): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(1024);
  const put = (at: number, text: string): void => block.set(new TextEncoder().encode(text), at);
  put(0, name);
  put(124, content.length.toString(8).padStart(11, "0"));
  put(148, "        0ustar");
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  put(512, content);
  return block;
}

async function writePacked(path: string, name: string): Promise<void> {
  const packed = new Blob([tarOf(name, "hello")]).stream().pipeThrough(new CompressionStream("gzip"));
  await Deno.writeFile(path, new Uint8Array(await new Response(packed).arrayBuffer()));
}

Deno.test("looks into a tar.gz file and unpacks it", async () => {
  const path = "good.tar.gz";
  await writePacked(path, "a/b.txt");
  const { format, members } = await archive_open({ path });
  assert.deepEqual([format, members.map(({ name }) => name)], ["tar.gz", ["a/b.txt"]]);
  assert.equal((await archive_file({ path, member: "a/b.txt" })).text, "hello");
  await archive_extract({ path, to: "out" });
  assert.equal(await Deno.readTextFile("out/a/b.txt"), "hello");
});

Deno.test("does not unpack a member outside of the folder", async () => {
  await writePacked("bad.tar.gz", "../b.txt");
  await assert.rejects(archive_extract({ path: "bad.tar.gz", to: "out" }), /leads out of the folder/u);
});
