/** Runs all cases and test files of a plugin (SPEC I7). */

import { type IsolationConfig, type Manifest, manifestToJson, type Permissions, raisedLimits } from "../../manifests/mod.ts";
import { createStackReader, type SharedSandbox } from "../../sandbox/mod.ts";
import { createHost } from "../host/host.ts";
import type { Host } from "../host/host-interface.ts";
import type { HostEvent } from "../audit/events.ts";
import type { HostOptions } from "../host/host-options.ts";
import { toHex } from "../platform/bytes.ts";
import { mergePermissions } from "../policy/merge-permissions.ts";
import type { Log, Platform } from "../platform/platform.ts";
import { defined } from "../primitives/defined.ts";
import { createPolicy } from "../policy/policy.ts";
import { MANIFEST_FILE } from "../plugins/folder/walk.ts";
import { caseFiles } from "./cases.ts";
import type { FileOutcome, TestEvent } from "./outcome.ts";
import { runCaseFile } from "./run-cases.ts";
import { narrowingPolicy } from "./narrowing-policy.ts";
import { runTestFile, type TestRun } from "./run-tests.ts";
import { type PluginBytes, readBytes, toTestPlugin, writeCopy } from "./test-copy.ts";

/** Options of a test run. */
interface PluginTestOptions {
  readonly platform: Platform;
  readonly manifest: Manifest;
  /** Real path of the plugin's folder. */
  readonly directory: string;
  /** Permissions of the test files, within those that the manifest requests. Cases name their own, within these and their workspace. */
  readonly grants: Permissions;
  /** Bytes of the plugin. Default: the files of its folder. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** Substring of a name, or a regular expression between slashes. */
  readonly filter?: string;
  readonly sanitizeOps?: boolean;
  readonly sanitizeResources?: boolean;
  readonly onEvent?: (event: TestEvent) => void;
  readonly signal?: AbortSignal;
  /** Runs the cases with this maximum of permissions, whatever they grant, and publishes their events; test files do not run. */
  readonly learning?: LearningRun;
  /** Default: threads. */
  readonly isolation?: IsolationConfig;
  /** Warm sandbox for all copies. Default: a sandbox for each host that the run opens. */
  readonly sandbox?: SharedSandbox;
}

/** Options to observe a plugin while its cases run. */
interface LearningRun {
  readonly maximum: Permissions;
  readonly publish: (event: HostEvent) => void;
}

/**
 * Runs the plugin's copies in a temporary folder, each in its own sandbox. The project is neither used nor changed.
 *
 * @returns one outcome per file, cases first; never rejects because of the plugin
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

/** Permissions for the temporary workspace, which is empty and deleted afterwards. */
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
  const made = `${platform.environment.tmp}/bascule-test-${toHex(platform.random.bytes(12))}`;
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

  /** Returns the host of all cases with the same grants. */
  function caseHost(granted: Permissions): Promise<Host> {
    const key = JSON.stringify(granted);
    const request = learning === undefined ? { grants: { [manifest.name]: granted } } : watched(manifest.name, learning, root);
    const host = hosts.get(key) ?? openHost(withoutDependencies(bytes), { logger: SILENT, ...request });
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
    const where = defined({ isolation: options.isolation, sandbox: options.sandbox?.open() });
    const host = await createHost({ platform, plugins, config: false, settings: false, workspace: root, ...where, ...more });
    // A test host has one user, the plugin's tester, so requested limits are accepted.
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

/** Removes the dependencies: other plugins are not loaded, and cases do not call them. */
function withoutDependencies({ manifest, files }: PluginBytes): PluginBytes {
  if (Object.keys(manifest.dependencies).length === 0 && manifest.enabled) return { manifest, files };
  const alone = { ...manifest, dependencies: {}, enabled: true };
  return { manifest: alone, files: new Map([...files, [MANIFEST_FILE, new TextEncoder().encode(manifestToJson(alone))]]) };
}

/** Matches names like the guest (`sandbox/guest/test-run.ts`). */
function toMatcher(filter: string | undefined): (name: string) => boolean {
  if (filter === undefined) return () => true;
  const expression = /^\/(.+)\/$/.exec(filter)?.[1];
  if (expression === undefined) return (name) => name.includes(filter);
  const compiled = new RegExp(expression);
  return (name) => compiled.test(name);
}

function unreadable(plugin: string): FileOutcome {
  const error = { message: "Cannot read the whole folder (run `bascule check`)", stack: "" };
  return { plugin, file: MANIFEST_FILE, kind: "tests", results: [], filtered: 0, usedOnly: false, error };
}

const SILENT: Log = { write: () => {}, child: () => SILENT };

/** The guest's text is a field of its own. */
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

/** Returns the test files among a plugin's files, by the naming rules of `deno test`. */
function testFiles(files: ReadonlyMap<string, Uint8Array>): readonly string[] {
  return [...files.keys()].filter((path) => TEST_FILE.test(path) && !/(?:^|\/)vendor\//.test(path)).toSorted();
}

const TEST_FILE = /(?:^|\/)(?:[^/]*[._])?test\.m?[jt]s$/;
