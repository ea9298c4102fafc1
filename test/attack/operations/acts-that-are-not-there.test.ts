import { expect, it } from "vitest";
import { testCall } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

const WANTED = [
  "fs.symlink",
  "fs.link",
  "fs.readLink",
  "fs.chmod",
  "fs.chown",
  "fs.watch",
  "run",
  "process.spawn",
  "Deno.run",
  "net.listen",
  "net.connect",
  "dns.resolve",
  "env.set",
  "sys.hostname",
  "ffi.open",
  "worker.start",
  "eval",
  "log",
  "progress",
  "grants.add",
  "policy.set",
  "fs.readFile\0",
  "FS.READFILE",
  "fs .readFile",
];

it.each(WANTED)("attack: the unknown operation %j, with everything granted [C1.none] [B5]", async (name) => {
  const everything = { read: true, write: true, net: true, env: true, sys: true, run: true, ffi: true };
  const call = testCall({ platform: memoryPlatform({ a: "x" }), cwd: WORKSPACE, permissions: everything });
  const answer = await call.answer(name, { path: "a", from: "a", to: "b", name: "A", args: ["sh"] });
  expect(answer).toMatchObject({ ok: false, error: { name: "NotSupported" } });
  expect([call.acts, call.modified]).toEqual([[], []]);
});
