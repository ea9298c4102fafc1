import { describeOwnFiles, describePlatform } from "../../conformance/platform.ts";
import { createGuardedFiles } from "../../../host/platform/files/guarded-files.ts";
import { createLinuxWalk, hasLinuxWalk } from "../../../host/platform/files/linux-walk.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import type { MemoryAnswer, MemoryRequest } from "../../../host/platform/memory/memory-network.ts";
import { createPortableWalk } from "../../../host/platform/files/portable-walk.ts";
import { httpServer } from "../../support/hostile-server.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { plantOnDisk } from "../../support/plant.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const platform = currentPlatform();

describePlatform("memory", async () => {
  let answer: (request: MemoryRequest) => MemoryAnswer = () => ({});
  const memory = memoryPlatform({}, { network: { serve: (request) => answer(request) } });
  return {
    platform: memory,
    root: "/workspace",
    plant: async (path, entry) => memory.plant(path, entry),
    serve: async (given) => {
      answer = given;
      return "http://127.0.0.1:8080";
    },
  };
});

/** A real server with the interface of the one in memory. */
async function serve(answer: (request: MemoryRequest) => MemoryAnswer): Promise<string> {
  const { origin } = await httpServer((request, response) => {
    const pieces: Uint8Array[] = [];
    request.on("data", (piece: Uint8Array) => pieces.push(piece));
    request.on("end", () => {
      const fields = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
      const answered = answer({ url: `${origin}${request.url}`, method: request.method ?? "", fields, body: Buffer.concat(pieces) });
      for (const [name, value] of answered.fields ?? []) response.setHeader(name, value);
      response.writeHead(answered.status ?? 200, answered.statusText ?? "OK").end(answered.body);
    });
  });
  return origin;
}

describePlatform(platform.name, async () => ({ platform, root: await temporaryFolder(), plant: plantOnDisk, serve }));

const brief = currentPlatform({ brief: true });
describeOwnFiles(`${brief.name}, brief`, async () => ({ platform: brief, root: await temporaryFolder(), plant: plantOnDisk, serve }));

// Tests the portable walk of other systems here too.
if (hasLinuxWalk()) {
  const portable = { ...platform, guarded: createGuardedFiles(createPortableWalk(), platform.environment.os) };
  describePlatform(`${platform.name} without /proc`, async () => ({
    platform: portable,
    root: await temporaryFolder(),
    plant: plantOnDisk,
    serve,
  }));
  const linux = { ...platform, guarded: createGuardedFiles(createLinuxWalk(), platform.environment.os) };
  describePlatform(`${platform.name} with /proc`, async () => ({
    platform: linux,
    root: await temporaryFolder(),
    plant: plantOnDisk,
    serve,
  }));
}
