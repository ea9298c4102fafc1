/** Queries the `deno` binary: one process per permission set, any number of queries. */

import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { type Descriptor, DENO_KINDS, type OracleCase, type OracleEntry, type OraclePolicy, PROGRAMS } from "./policy.ts";

const run = promisify(execFile);

/** One answer to one query. */
export type Answer = { readonly state: string; readonly partial: boolean } | { readonly error: string; readonly message: string };

const DENO = `${import.meta.dirname}/../../node_modules/.bin/deno`;

/** Runs inside Deno. */
const SCRIPT = `console.log(JSON.stringify(JSON.parse(Deno.args[0]).map((descriptor) => {
  try {
    const { state, partial } = Deno.permissions.querySync(descriptor);
    return { state, partial };
  } catch (error) {
    return { error: error.name, message: error.message };
  }
})));
`;

const TIMEOUT_MS = 60_000;

/** Prepares a folder for `askDeno`: the script, and programs for PATH. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(`${folder}/bin`, { recursive: true });
  await writeFile(`${folder}/ask.mjs`, SCRIPT);
  for (const program of PROGRAMS) {
    await writeFile(`${folder}/bin/${program}`, "");
    await chmod(`${folder}/bin/${program}`, 0o755);
  }
}

/** Returns Deno's answers, in order. @throws {Error} if Deno refuses the permission set */
export async function askDeno({ by, policy, queries }: OracleCase, folder: string): Promise<readonly Answer[]> {
  if (by === "set") await writeFile(`${folder}/deno.json`, JSON.stringify({ permissions: { oracle: policy } }));
  const given = by === "set" ? ["--config=deno.json", "-P=oracle"] : ["--no-config", ...toFlags(policy)];
  const { stdout } = await runDeno(
    ["--quiet", "--no-prompt", "--no-lock", "--no-remote", "--no-npm", ...given, "ask.mjs", JSON.stringify(queries)],
    folder,
  );
  return JSON.parse(stdout) as readonly Answer[];
}

/** Runs a script below `folder` with these flags; PATH is `bin` in the folder. */
export function runDeno(
  args: readonly string[],
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const own = { PATH: `${folder}/bin`, HOME: folder, DENO_DIR: `${folder}/.deno`, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  return run(DENO, ["run", ...args], { cwd: folder, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024, env: { ...own, ...variables } });
}

/** Formats the whole set as `--allow-read=a,b --deny-net …`. */
export function toFlags(policy: OraclePolicy): readonly string[] {
  return DENO_KINDS.flatMap((kind) => {
    const entry: OracleEntry = policy[kind] ?? {};
    return (["allow", "deny", "ignore"] as const).flatMap((verb) => toFlag(`--${verb}-${kind}`, entry[verb]));
  });
}

function toFlag(flag: string, items: boolean | readonly string[] | undefined): readonly string[] {
  if (items === true) return [flag];
  if (items === undefined || items === false || items.length === 0) return [];
  return [`${flag}=${items.map((item) => item.replaceAll(",", ",,")).join(",")}`];
}

/** Returns a shell command that shows Deno's answer to one query. */
export function reproducer(policy: OraclePolicy, descriptor: Descriptor, folder: string): string {
  const flags = toFlags(policy).map((flag) => (/^[\w=,./:-]+$/.test(flag) ? flag : `'${flag.replaceAll("'", `'\\''`)}'`));
  return [
    `mkdir -p ${folder}/bin && cd ${folder} && PATH="$PATH:${folder}/bin" deno run --no-prompt --no-config ${flags.join(" ")} - <<'EOF'`,
    `console.log(Deno.permissions.querySync(${JSON.stringify(descriptor)}))`,
    "EOF",
  ].join("\n");
}
