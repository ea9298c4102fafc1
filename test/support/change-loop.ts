/** Changes the host's files step by step, as functions and as a program that runs until it is killed. */

import { writeSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { editProject } from "../../host/plugins/bundles/edit-project.ts";
import { openLock } from "../../host/plugins/consent/lock.ts";
import { createGrantStore } from "../../host/project/grants/grants.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { openProject } from "../../host/project/project-file.ts";
import { trustedProject } from "../../host/project/trust/project-trust.ts";

export interface ChangedFiles {
  /** Performs step `n`, which is of kind `n % STEPS`. */
  take(step: number): Promise<void>;
  /** Returns the contents of the files, to compare with `stateAfter`. */
  state(): Promise<readonly unknown[]>;
  /** Returns leftover files, such as temporary ones. */
  leftovers(): Promise<readonly string[]>;
}

export const STEPS = 5;
const [GRANT, REVOKE, LOCK, TRUST, PROJECT] = [0, 1, 2, 3, 4] as const;

/** Returns the expected state after `count` steps. */
export function stateAfter(count: number): readonly unknown[] {
  const last = (kind: number): number => Math.floor((count - 1 - kind) / STEPS) * STEPS + kind;
  const said = (kind: number): number | "none" => (last(kind) < 0 ? "none" : last(kind));
  return [last(REVOKE) > last(GRANT) ? "none" : said(GRANT), said(LOCK), said(TRUST), said(PROJECT)];
}

export async function openChangedFiles(folder: string, config: string): Promise<ChangedFiles> {
  const real = currentPlatform({ log: { level: "error" } });
  const platform = { ...real, environment: { ...real.environment, cwd: folder, config } };
  const lock = await openLock(platform, `${folder}/bascule.lock`);
  const { trust } = await trustedProject(platform, await openProject(platform, undefined));
  const grants = await createGrantStore(platform, `${folder}/.bascule/grants.json`, trust);
  const bundle = { name: "words", digest: "0".repeat(64), from: "words.mcpb" };
  const steps: Readonly<Record<number, (step: number) => Promise<unknown>>> = {
    [GRANT]: (step) => grants.grant("words", "/words", { read: [String(step)] }),
    [REVOKE]: () => grants.revoke("words"),
    [LOCK]: (step) => lock.changeServer("words", () => ({ bundle: { ...bundle, version: `1.0.${step}` } })),
    [TRUST]: (step) => trust.agree([{ name: "step", about: "", value: step }]),
    [PROJECT]: (step) =>
      editProject(platform, { file: `${folder}/bascule.json`, state: `${folder}/.bascule` }, ["mcpServers", "words"], {
        command: `${step}`,
      }),
  };
  const projects = join(config, "projects");

  async function agreed(): Promise<{ readonly agreed?: { readonly step?: number }; readonly next?: unknown }> {
    const [file] = (await readdir(projects).catch(() => [])).filter((name) => name.endsWith(".json"));
    return file === undefined ? {} : (JSON.parse(await readFile(join(projects, file), "utf8")) as Awaited<ReturnType<typeof agreed>>);
  }

  return {
    take: async (step) => void (await steps[step % STEPS]?.(step)),
    async state() {
      await Promise.all([lock.refresh(), grants.refresh()]);
      const [problem] = grants.problems();
      const read = grants.list()[0]?.permissions.read;
      const version = lock.servers().get("words")?.bundle?.version;
      const project = JSON.parse(await readFile(join(folder, "bascule.json"), "utf8")) as Project;
      const granted = Array.isArray(read) ? Number(read[0]) : "none";
      return [
        problem?.message ?? granted,
        version === undefined ? "none" : Number(version.slice("1.0.".length)),
        (await agreed()).agreed?.step ?? "none",
        project.mcpServers === undefined ? "none" : Number(project.mcpServers.words.command),
      ];
    },
    async leftovers() {
      const [all, state, root] = [await readdir(projects), await readdir(join(folder, ".bascule")), await readdir(folder)];
      return [
        ...all.filter((name) => !/^[0-9a-f]{32}\.json$/u.test(name)),
        ...state.filter((name) => name !== "grants.json"),
        ...root.filter((name) => !["bascule.json", "bascule.lock", ".bascule"].includes(name)),
        ...((await agreed()).next === undefined ? [] : ["an unfinished change"]),
      ];
    },
  };
}

interface Project {
  readonly mcpServers?: { readonly words: { readonly command: string } };
}

async function main(): Promise<void> {
  const [folder = "", config = "", from = "0"] = process.argv.slice(-3);
  const files = await openChangedFiles(folder, config);
  const say = (count: number): void => void writeSync(1, `${count}\n`);
  for (let step = Number(from); ; step += 1) {
    say(step);
    await files.take(step);
  }
}

if (import.meta.main) await main();
