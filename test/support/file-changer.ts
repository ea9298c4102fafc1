/** A program that changes files that several processes share: the lock, the grants, the trust store and `bascule.json`. */

import { editProject } from "../../host/plugins/bundles/edit-project.ts";
import { openLock } from "../../host/plugins/consent/lock.ts";
import { createGrantStore } from "../../host/project/grants/grants.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { openProject } from "../../host/project/project-file.ts";
import { trustedProject } from "../../host/project/trust/project-trust.ts";

const [folder = "", config = "", name = "", count = "0"] = process.argv.slice(-4);
const real = currentPlatform({ log: { level: "error" } });
const platform = { ...real, environment: { ...real.environment, cwd: folder, config } };
const lock = await openLock(platform, `${folder}/bascule.lock`);
const { trust } = await trustedProject(platform, await openProject(platform, undefined));
const grants = await createGrantStore(platform, `${folder}/.bascule/grants.json`, trust);
// Wait until the other process is ready too.
process.stdout.write("ready\n");
await new Promise<void>((resolve) => process.stdin.once("data", () => resolve()));
for (let index = 0; index < Number(count); index += 1) {
  const mine = `${name}-${index}`;
  await Promise.all([
    lock.changeServer(mine, () => ({ tools: new Map() })),
    trust.agree([{ name: mine, about: "", value: index }]),
    grants.grant(mine, `/${mine}`, { read: true }),
    editProject(platform, { file: `${folder}/bascule.json`, state: `${folder}/.bascule` }, ["mcpServers", mine], { command: mine }),
  ]);
}
process.exit(0);
