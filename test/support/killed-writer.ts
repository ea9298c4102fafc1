/** A program that is killed while a tool writes a file. Usage: `node killed-writer.ts <workspace>` */

import { createHost } from "../../host/mod.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import type { GuardedFiles } from "../../host/platform/platform.ts";
import { hostTool } from "./tools.ts";

const [workspace = ""] = process.argv.slice(2);
const platform = currentPlatform({ log: { level: "error" } });

/** Writes the first half of the data, then kills the process. */
const writeBytes: GuardedFiles["writeBytes"] = async (path, data, options) => {
  await platform.guarded.writeBytes(path, data.subarray(0, data.length / 2), options);
  if (data.length > 100) process.kill(process.pid, "SIGKILL");
};
const write = hostTool("edit", { sideEffects: ["write"] }, async (_args, { workspace: files }) => {
  await files.write("made.txt", "short");
  await files.write("a.txt", "x".repeat(1_000));
  return null;
});

await using host = await createHost({
  platform: { ...platform, guarded: { ...platform.guarded, writeBytes } },
  tools: [() => ({ ...write(), changesByContext: true })],
  workspace,
  config: { confirmation: { perTool: { edit: "auto" } }, undo: { keep: true } },
  undo: true,
});
await host.call("edit", {}, { callId: "killed" });
