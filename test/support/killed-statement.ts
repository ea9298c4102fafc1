/** A program that is killed while its database runs an endless statement. Prints the database's process. Usage: `node killed-statement.ts <folder>` */

import { readdirSync, readFileSync } from "node:fs";
import { createDatabases } from "../../host/platform/databases/databases.ts";
import { currentPlatform } from "../../host/platform/mod.ts";

const [folder = ""] = process.argv.slice(2);
const { clock, log } = currentPlatform({ log: { level: "error" } });
const databases = createDatabases({ clock, log });

function ask(sql: string): Promise<unknown> {
  const body = new TextEncoder().encode(JSON.stringify({ steps: [{ sql }] }));
  const signal = new AbortController().signal;
  return databases.run(folder, { access: "write", quotaBytes: 1024 * 1024, answerBytes: 1_000, body, signal });
}

await ask("SELECT 1");
const child = readdirSync("/proc").find((name) => /^\d+$/.test(name) && isOurs(name)) ?? "";
process.stdout.write(child);
void ask("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c");

// The parent asks for the end once the statement has used some processor time.
process.stdin.on("data", () => process.kill(process.pid, "SIGKILL"));

function isOurs(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`\0${folder}/data.db\0`);
  } catch {
    return false;
  }
}
