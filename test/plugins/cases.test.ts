import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHost, type Host } from "../../host/mod.ts";
import type { JsonValue, Permissions } from "../../manifests/mod.ts";
import type { Log } from "../../host/platform/platform.ts";
import { type CaseAnswer, createCaseAnswers } from "../../host/testing/case-answers.ts";
import { REPOSITORY } from "../support/source-files.ts";

/** See plugins/README.md. */
interface PluginCase {
  readonly name: string;
  readonly tool: string;
  readonly args: JsonValue;
  readonly files?: Readonly<Record<string, string>>;
  readonly grants?: Permissions;
  readonly confirm?: boolean;
  readonly timeoutMs?: number;
  readonly answers?: readonly CaseAnswer[];
  readonly expect: {
    readonly ok: boolean;
    readonly output?: JsonValue;
    readonly error?: { readonly code: string; readonly message?: string };
    readonly files?: Readonly<Record<string, string | null>>;
  };
}

const PLUGINS = `${REPOSITORY}plugins`;

const plugins = readdirSync(PLUGINS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

function casesOf(plugin: string): readonly PluginCase[] {
  const folder = `${PLUGINS}/${plugin}/cases`;
  // The files are part of the repository.
  return readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as readonly PluginCase[]);
}

const silent: Log = { write: () => {}, child: () => silent };

/** Grants of a plugin's cases, each once. */
const grantsOf = new Map(plugins.map((plugin) => [plugin, [...new Set(casesOf(plugin).map(({ grants = {} }) => JSON.stringify(grants)))]]));

let root: string;
// One host for each set of grants: the n-th has the n-th grants of every plugin. Each case has a session with its own workspace.
const hosts: Promise<Host>[] = [];

function hostFor(plugin: string, wanted: Permissions): Promise<Host> {
  const nth = grantsOf.get(plugin)?.indexOf(JSON.stringify(wanted)) ?? 0;
  const grants = Object.fromEntries(
    [...grantsOf].flatMap(([name, texts]) => {
      const text = texts[nth];
      return text === undefined ? [] : [[name, JSON.parse(text) as Permissions]];
    }),
  );
  return (hosts[nth] ??= createHost({ plugins: [PLUGINS], config: false, workspace: root, grants, logger: silent }));
}

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "bascule-cases-")));
});

afterAll(async () => {
  for (const host of Object.values(hosts)) await (await host).close();
  await rm(root, { recursive: true, force: true });
});

describe.each(plugins)("plugin %s", (plugin) => {
  it.each(casesOf(plugin))("$tool $name [G3.cases]", async (one) => {
    const workspace = await mkdtemp(join(root, "case-"));
    for (const [path, text] of Object.entries(one.files ?? {})) {
      await mkdir(dirname(join(workspace, path)), { recursive: true });
      await writeFile(join(workspace, path), text);
    }
    const host = await hostFor(plugin, one.grants ?? {});
    const result = await host.call(`${plugin}.${one.tool}`, one.args, {
      session: host.session({ workspace }),
      confirm: () => Promise.resolve(one.confirm ?? true),
      ...(one.timeoutMs !== undefined && { timeoutMs: one.timeoutMs }),
      ...(one.answers && { answer: createCaseAnswers(one.answers, workspace).answer }),
    });

    const { ok, output, error, files = {} } = one.expect;
    expect(result.ok ? { ok: true } : { ok: false, error: result.error }).toMatchObject({
      ok,
      ...(error && { error: { code: error.code } }),
    });
    if (output !== undefined) expect(result.output).toEqual(output);
    if (error?.message !== undefined) expect(!result.ok && result.error.message.startsWith(error.message)).toBe(true);
    for (const [path, text] of Object.entries(files)) {
      expect({ path, text: await readFile(join(workspace, path), "utf8").catch(() => null) }).toEqual({ path, text });
    }
  });
});
