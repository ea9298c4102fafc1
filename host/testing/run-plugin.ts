/** Runs everything that a plugin brings to test it with: its cases and its test files (SPEC I7). */

import { type IsolationConfig, type Manifest, manifestToJson, type Permissions, raisedLimits } from "../../manifests/mod.ts";
import { createStackReader } from "../../sandbox/mod.ts";
import { createHost } from "../host/host.ts";
import type { Host } from "../host/host-interface.ts";
import type { HostEvent } from "../audit/events.ts";
import type { HostOptions } from "../host/host-options.ts";
import { mergePermissions } from "../policy/merge-permissions.ts";
import type { Log, Platform } from "../platform/platform.ts";
import { createPolicy } from "../policy/policy.ts";
import { MANIFEST_FILE } from "../plugins/folder/walk.ts";
import { caseFiles } from "./cases.ts";
import type { FileOutcome, TestEvent } from "./outcome.ts";
import { runCaseFile } from "./run-cases.ts";
import { narrowingPolicy } from "./narrowing-policy.ts";
import { runTestFile, type TestRun } from "./run-tests.ts";
import { type PluginBytes, readBytes, toTestPlugin, writeCopy } from "./test-copy.ts";

/** What is run, and how. */
export interface PluginTestOptions {
  readonly platform: Platform;
  readonly manifest: Manifest;
  /** Real path of the plugin's folder. */
  readonly directory: string;
  /** What the test files may do, within what the manifest asks for. Cases say it themselves, within this and their own workspace. */
  readonly grants: Permissions;
  /** The plugin's bytes. Default: as they are in its folder. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** Part of a name, or a regular expression between slashes. */
  readonly filter?: string;
  readonly sanitizeOps?: boolean;
  readonly sanitizeResources?: boolean;
  readonly onEvent?: (event: TestEvent) => void;
  readonly signal?: AbortSignal;
  /** Cases run within this maximum, whatever they say is granted, and their events are handed over; test files do not run. */
  readonly learning?: LearningRun;
  /** Default: threads. */
  readonly isolation?: IsolationConfig;
}

/** What a plugin is watched with while its cases run. */
export interface LearningRun {
  readonly maximum: Permissions;
  readonly publish: (event: HostEvent) => void;
}

/**
 * Runs them on copies in a temporary folder, in sandboxes of their own; nothing of the project is used or changed.
 *
 * @returns one outcome a file, cases first; never rejects for what a plugin does.
 */
export async function runPlugin(options: PluginTestOptions): Promise<readonly FileOutcome[]> {
  const { platform, manifest, directory } = options;
  const files = options.files ?? (await readBytes(platform, directory));
  if (files === undefined) return [unreadable(manifest.name)];
  const bench = await openBench(options, { manifest, files });
  try {
    const outcomes: FileOutcome[] = [];
    for (const file of caseFiles(files)) outcomes.push(await bench.runCases(file));
    if (options.learning === undefined) for (const file of testFiles(files)) outcomes.push(await bench.runTests(file));
    return outcomes;
  } finally {
    await bench.close();
  }
}

/** Empty, and gone afterwards: nobody's. */
export const OWN_WORKSPACE: Permissions = Object.freeze({ read: ["$workspace"], write: ["$workspace"] });

interface Bench {
  runCases(file: string): Promise<FileOutcome>;
  runTests(file: string): Promise<FileOutcome>;
  close(): Promise<void>;
}

async function openBench(options: PluginTestOptions, bytes: PluginBytes): Promise<Bench> {
  const { platform, filter, grants, sanitizeOps = false, sanitizeResources = false, onEvent = () => {}, learning } = options;
  const { manifest, files } = bytes;
  const signal = options.signal ?? new AbortController().signal;
  const isolated = options.isolation === undefined ? {} : { isolation: options.isolation };
  const made = `${platform.environment.tmp}/bascule-test-${hex(platform.random.bytes(12))}`;
  await platform.files.makeDirectory(made);
  const root = await platform.files.realPath(made);
  const hosts = new Map<string, Promise<Host>>();
  let workspaces = 0;
  let copies = 0;
  let forTests: Promise<TestHost> | undefined;
  let reader: Promise<(stack: string) => string> | undefined;

  async function newWorkspace(): Promise<string> {
    const folder = `${root}/workspace-${++workspaces}`;
    await platform.files.makeDirectory(folder);
    return folder;
  }

  /** One for all cases with the same grants. */
  function caseHost(granted: Permissions): Promise<Host> {
    const key = JSON.stringify(granted);
    const wish = learning === undefined ? { grants: { [manifest.name]: granted } } : watched(manifest.name, learning, root);
    const host = hosts.get(key) ?? openHost(withoutDependencies(bytes), { logger: SILENT, ...wish });
    hosts.set(key, host);
    return host;
  }

  function testHost(): Promise<TestHost> {
    forTests ??= openTestHost();
    return forTests;
  }

  async function openTestHost(): Promise<TestHost> {
    const { environment } = platform;
    const own = createPolicy({
      root,
      grants: { find: () => undefined },
      runGrants: { base: environment.cwd, perPlugin: new Map([[manifest.name, grants]]) },
      acceptedLimits: (version) => raisedLimits(version.manifest),
      folders: { tmp: environment.tmp, home: environment.home, data: `${root}/data` },
    });
    const { policy, narrow } = narrowingPolicy(own);
    return { host: await openHost(toTestPlugin(bytes, grants), { logger: guestLog(onEvent), policy }), narrow };
  }

  async function openHost(
    plugin: PluginBytes,
    more: Pick<HostOptions, "logger" | "grants" | "policy" | "learning" | "events">,
  ): Promise<Host> {
    const plugins = `${root}/plugins-${++copies}`;
    await writeCopy(platform, plugins, plugin);
    const host = await createHost({ platform, plugins, config: false, settings: false, workspace: root, ...isolated, ...more });
    // Whoever has a plugin tested, in a host that is nobody else's, lets it have the limits that it asks for.
    const [{ digest = "" } = {}] = host.plugins();
    if (Object.keys(raisedLimits(plugin.manifest)).length > 0) await host.accept(plugin.manifest.name, digest);
    return host;
  }

  return {
    runCases: (file) =>
      runCaseFile({
        ...{ plugin: manifest.name, file, platform, newWorkspace, onEvent, signal, isWanted: toMatcher(filter) },
        onlySuccesses: learning !== undefined,
        ...(learning === undefined && { mayGrant: mergePermissions(OWN_WORKSPACE, grants) }),
        text: new TextDecoder().decode(files.get(file)),
        hostWith: caseHost,
      }),
    runTests: async (file) =>
      await runTestFile({
        ...{ plugin: manifest.name, file, grants, sanitizeOps, sanitizeResources, newWorkspace, onEvent, signal },
        ...(filter !== undefined && { filter }),
        ...(await testHost()),
        authorStack: async (stack) => {
          if (stack === "") return "";
          reader ??= createStackReader(files);
          return (await reader)(stack);
        },
      }),
    async close() {
      for (const host of hosts.values()) await (await host).close();
      if (forTests !== undefined) await (await forTests).host.close();
      await platform.files.remove(root);
    },
  };
}

function watched(plugin: string, { maximum, publish }: LearningRun, base: string): Pick<HostOptions, "learning" | "events"> {
  return { learning: { plugin, maximum, base }, events: { publish, store: false } };
}

type TestHost = Pick<TestRun, "host" | "narrow">;

/** Other plugins are not there, and a case calls none. */
function withoutDependencies({ manifest, files }: PluginBytes): PluginBytes {
  if (Object.keys(manifest.dependencies).length === 0 && manifest.enabled) return { manifest, files };
  const alone = { ...manifest, dependencies: {}, enabled: true };
  return { manifest: alone, files: new Map([...files, [MANIFEST_FILE, new TextEncoder().encode(manifestToJson(alone))]]) };
}

/** The same as in the guest (`sandbox/guest/test/test-run.ts`). */
function toMatcher(filter: string | undefined): (name: string) => boolean {
  if (filter === undefined) return () => true;
  const expression = /^\/(.+)\/$/.exec(filter)?.[1];
  if (expression === undefined) return (name) => name.includes(filter);
  const compiled = new RegExp(expression);
  return (name) => compiled.test(name);
}

function unreadable(plugin: string): FileOutcome {
  const error = { message: "The folder cannot be read as a whole; `bascule check` says why", stack: "" };
  return { plugin, file: MANIFEST_FILE, kind: "tests", results: [], filtered: 0, usedOnly: false, error };
}

const SILENT: Log = { write: () => {}, child: () => SILENT };

/** What the guest logged comes in a field of its own. */
function guestLog(onEvent: (event: TestEvent) => void): Log {
  const log: Log = {
    write(_level, message, fields = {}) {
      const { text } = fields;
      if (message === "guest" && typeof text === "string") onEvent({ type: "output", text });
    },
    child: () => log,
  };
  return log;
}

/** Test files among a plugin's files, named as `deno test` looks for them. */
export function testFiles(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return [...files.keys()].filter((path) => TEST_FILE.test(path) && !/(?:^|\/)vendor\//.test(path)).toSorted();
}

const TEST_FILE = /(?:^|\/)(?:[^/]*[._])?test\.m?[jt]s$/;

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
