/** Which files of a project stay in force in a running host after they were deleted, broken or moved. */

import { describe, expect, it, onTestFinished } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import { fileError } from "../../../host/platform/files/file-errors.ts";
import type { MemoryPlatform } from "../../../host/platform/memory/memory.ts";
import type { Files } from "../../../host/platform/platform.ts";
import { memoryPlatformWithWorkers } from "../../support/memory-platform.ts";

const ROOT = "/workspace";
const SETTINGS = `${ROOT}/.bascule/settings`;
const TRUST = "/home/user/.config/bascule/projects";
const MANIFEST = {
  ...{ schemaVersion: "1.0", name: "words", version: "1.0.0", description: "Counts words" },
  limits: { outputBytes: 2_097_152 },
  permissions: { read: ["$workspace"] },
  tools: [
    { name: "count", description: "Counts", inputSchema: { type: "object" }, sideEffects: ["read"] },
    { name: "other", description: "Answers", inputSchema: { type: "object" }, sideEffects: [] },
  ],
};
const MAIN = `export const count = async () => (await Deno.readTextFile("a.txt")).length;
export const other = () => "here";`;
const CONFIG = { policy: { rules: [{ tool: "echo", allow: false }] }, confirmation: { default: { write: "auto" } } };

interface World {
  readonly platform: MemoryPlatform;
  readonly host: Host;
  /** Paths under which reading fails. */
  readonly unreadable: Set<string>;
}

/** Creates a host in which every file has an effect. */
async function env(watch = false): Promise<World> {
  const platform = memoryPlatformWithWorkers({
    "bascule.json": JSON.stringify(CONFIG),
    "plugins/words/manifest.json": JSON.stringify(MANIFEST),
    "plugins/words/main.ts": MAIN,
    "a.txt": "abc",
    [`${SETTINGS}/words.json`]: JSON.stringify({ toolOverrides: { other: { enabled: false } } }),
  });
  const unreadable = new Set<string>();
  const host = await createHost({
    platform: { ...platform, files: withUnreadable(platform.files, unreadable) },
    plugins: ["plugins"],
    config: `${ROOT}/bascule.json`,
    trust: "agreed",
    consent: { mode: "strict", lock: true },
    watch,
  });
  onTestFinished(() => host.close());
  await host.grant("words", { read: ["$workspace"] });
  await host.accept("words", host.plugins()[0]?.digest ?? "");
  await host.places.trust?.agree(host.places.trust.withheld());
  await host.reload();
  return { platform, host, unreadable };
}

function withUnreadable(files: Files, unreadable: ReadonlySet<string>): Files {
  const open = (path: string): string => {
    const isIn = [...unreadable].some((closed) => path === closed || path.startsWith(`${closed}/`));
    if (isIn) throw fileError("permission_denied");
    return path;
  };
  return {
    ...files,
    readText: async (path) => await files.readText(open(path)),
    readBytes: async (path, maxBytes) => await files.readBytes(open(path), maxBytes),
    list: async (path) => await files.list(open(path)),
  };
}

/** Returns "holds" or "gone" for the rule of `bascule.json`, the lock's limits, the settings, the grants and the user's trust. */
async function inForce({ host }: World): Promise<object> {
  const [echo, other, count] = [await host.call("echo", { text: "x" }), await host.call("other"), await host.call("count")];
  const [plugin] = host.plugins();
  return {
    config: echo.ok ? "gone" : "holds",
    lock: plugin?.acceptedLimits === undefined ? "gone" : "holds",
    settings: other.ok ? "gone" : "holds",
    grants: count.ok ? "holds" : "gone",
    trust: host.places.project.config().confirmation.default.write === "auto" ? "holds" : "gone",
  };
}

const ALL = { config: "holds", lock: "holds", settings: "holds", grants: "holds", trust: "holds" };
type Kept = keyof typeof ALL;

async function fileOf(file: Kept, { platform }: World): Promise<string> {
  if (file === "trust") return `${TRUST}/${(await platform.files.list(TRUST)).find(({ name }) => name.endsWith(".json"))?.name ?? ""}`;
  const paths = { config: `${ROOT}/bascule.json`, lock: `${ROOT}/bascule.lock`, settings: `${SETTINGS}/words.json` };
  return file === "grants" ? `${ROOT}/.bascule/grants.json` : paths[file];
}

/** Returns every list of problems that the host shows to the user. */
function saidOf({ host }: World): string {
  const problems = [...host.grants.problems(), ...host.plugins().flatMap((plugin) => plugin.problems)];
  return [...host.notices(), ...problems.map(({ message }) => message)].join("\n");
}

type Act = (path: string, env: World) => Promise<void> | void;
const EVENTS: Readonly<Record<string, Act>> = {
  deleted: (path, { platform }) => platform.files.remove(path),
  "moved away": (path, { platform }) => platform.files.rename(path, `${path}.old`),
  emptied: (path, { platform }) => platform.plant(path, ""),
  "cut in the middle": async (path, { platform }) => platform.plant(path, (await platform.files.readText(path)).slice(0, -3)),
  "replaced by a folder": async (path, { platform }) => {
    await platform.files.remove(path);
    platform.plant(path, { directory: true });
  },
  "made unreadable": (path, { platform, unreadable }) => {
    // A new file in its place, so that a cached state of the old one does not apply.
    platform.plant(path, "{}");
    unreadable.add(path);
  },
};
const GONE = ["deleted", "moved away"];
/** Files that only allow: an unusable one allows nothing. The others also restrict, so the last good one stays. */
const ONLY_GIVE: readonly Kept[] = ["grants", "trust"];
const SAID: Readonly<Record<Kept, string>> = {
  config: "bascule.json has errors; the last good one stays in force",
  lock: "bascule.lock has errors; the last good entries stay in force",
  settings: `${SETTINGS}/words.json`,
  grants: "",
  trust: "This folder requests what you have not allowed on this machine",
};

function expectedAfter(file: Kept, isGone: boolean): object {
  if (!isGone && !ONLY_GIVE.includes(file)) return ALL;
  // Grants, limits and the allowances of bascule.json need trust; without bascule.json there is nothing to trust.
  if (file === "trust") return { ...ALL, lock: "gone", grants: "gone", trust: "gone" };
  return { ...ALL, [file]: "gone", ...(file === "config" && { trust: "gone" }) };
}

const FILES = Object.keys(ALL) as readonly Kept[];
const CELLS = FILES.flatMap((file) => Object.keys(EVENTS).map((event) => [file, event] as const));

describe("files of a project in a running host", () => {
  it.each(CELLS)("%s %s [P1.gone] [H7.gone] [G1.lastGood] [C3.gone]", async (file, event) => {
    const here = await env();
    expect(await inForce(here)).toEqual(ALL);
    const isGone = GONE.includes(event);
    await EVENTS[event]?.(await fileOf(file, here), here);
    await here.host.reload();
    expect(await inForce(here)).toEqual(expectedAfter(file, isGone));
    if (isGone) expect(here.platform.recorded.log.filter(({ level }) => level === "error")).toEqual([]);
    else expect(saidOf(here)).toContain(SAID[file]);
  });

  it.each(FILES)("%s: a deletion is noticed without a reload [P1.watched] [H7.watched] [G1.watched] [C3.watched]", async (file) => {
    const here = await env(true);
    await here.platform.files.remove(await fileOf(file, here));
    const look = async (): Promise<object> => (here.platform.advance(1_000), await inForce(here));
    await expect.poll(look, { timeout: 20_000 }).toEqual(expectedAfter(file, true));
  });

  it.each([
    ["the folder of settings", SETTINGS, "moved away", { ...ALL, settings: "gone" }],
    ["the folder of settings", SETTINGS, "replaced by a folder", { ...ALL, settings: "gone" }],
    ["the folder of settings", SETTINGS, "made unreadable", ALL],
    ["the folder of settings", SETTINGS, "replaced by a file", ALL],
    ["the host's state", `${ROOT}/.bascule`, "moved away", { ...ALL, settings: "gone", grants: "gone" }],
    ["the host's state", `${ROOT}/.bascule`, "replaced by a file", { ...ALL, settings: "gone", grants: "gone" }],
  ])(
    "%s %s is %s: its files are treated as if this had happened to them [G1.lastGood] [P1.gone]",
    async (_what, folder, event, expected) => {
      const here = await env();
      const { platform, unreadable, host } = here;
      if (event === "made unreadable") unreadable.add(folder);
      else await platform.files.rename(folder, `${folder}.old`);
      if (event === "replaced by a folder") platform.plant(folder, { directory: true });
      if (event === "replaced by a file") platform.plant(folder, "");
      await host.reload();
      expect(await inForce(here)).toEqual(expected);
      if (expected === ALL) expect(saidOf(here)).toContain(folder);
    },
  );

  it("a moved project folder takes its bascule.json along [P1.gone]", async () => {
    const here = await env();
    await here.platform.files.rename(ROOT, "/elsewhere");
    await here.host.reload();
    expect(await here.host.call("echo", { text: "x" })).toMatchObject({ ok: true });
    expect(here.host.list({ source: "plugin" })).toEqual([]);
  });
});
