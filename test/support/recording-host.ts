/** A host in memory that records its calls, with helpers to read and replay recordings. */

import { createHost, type Host, type HostCallOptions, type HostOptions, type JsonValue, type ToolResult } from "../../host/mod.ts";
import type { Recording } from "../../host/call/recording.ts";
import { readRecording } from "../../host/effects/recordings/recording-file.ts";
import { replayIn, type ReplayOutcome } from "../../host/testing/replay.ts";
import { createRecordingStore, type RecordingStore } from "../../host/effects/recordings/store.ts";
import type { MemoryPlatform } from "../../host/platform/memory/memory.ts";
import { createSandbox, type Sandbox } from "../../sandbox/mod.ts";
import { createWorkerLauncher } from "../../host/platform/threads/workers.ts";
import { memoryPlatform, WORKSPACE } from "./memory-platform.ts";

export interface RecordingHost extends AsyncDisposable {
  readonly host: Host;
  readonly platform: MemoryPlatform;
  readonly store: RecordingStore;
  /** Calls `demo.run`, by default with recording. */
  call(args?: JsonValue, options?: HostCallOptions): Promise<ToolResult>;
  /** Reads a recording. @throws {Error} if it does not exist or is unreadable */
  recording(callId: string): Promise<Recording>;
  replay(recording: Recording, files?: Readonly<Record<string, string>>): Promise<ReplayOutcome>;
}

const DEMO_MANIFEST = {
  schemaVersion: "1.0",
  name: "demo",
  version: "1.0.0",
  description: "Is recorded",
  permissions: { read: ["$workspace"], write: ["$workspace"] },
  tools: [{ name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: ["read", "write"] }],
};

export interface RecordingHostOptions extends HostOptions {
  /** Additional members of the plugin's manifest. */
  readonly manifest?: object;
  /** Additional files of the plugin. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** @param main the plugin's module, which exports `run` */
export async function recordingHost(main: string, options: RecordingHostOptions = {}): Promise<RecordingHost> {
  const { manifest = {}, env = {}, files: added = {}, ...more } = options;
  const files = { "manifest.json": JSON.stringify({ ...DEMO_MANIFEST, ...manifest }), "main.ts": main, "own.txt": "its own", ...added };
  const planted = Object.fromEntries(Object.entries(files).map(([path, text]) => [`plugins/demo/${path}`, text]));
  const platform = memoryPlatform(
    { ...planted, "a.txt": "one", "b.txt": "two", "bascule.json": "{}" },
    { env, workers: createWorkerLauncher() },
  );
  const grants = { demo: { read: true, write: true } } as const;
  const host = await createHost({
    platform,
    plugins: "plugins",
    config: { confirmation: { perTool: { "demo.run": "auto" } } },
    grants,
    ...more,
  });
  const store = createRecordingStore(platform, `${WORKSPACE}/.bascule`);
  /** Sandbox of the replays, created at the first one. */
  let sandbox: Sandbox | undefined;
  return {
    host,
    platform,
    store,
    call: (args = {}, request = {}) => host.call("demo.run", args, { record: true, ...request }),
    async recording(callId) {
      const read = await readRecording((await store.read(callId)) ?? "");
      if (!read.ok) throw new Error(read.message);
      return read.recording;
    },
    async replay(recording, changed = {}) {
      const kept = await store.readPlugin(recording.digest);
      const bytes = Object.entries(changed).map(([path, text]) => [path, new TextEncoder().encode(text)] as const);
      // Changed files need another digest, because images are cached by digest.
      const digest = bytes.length === 0 ? recording.digest : `${recording.digest}-${JSON.stringify(changed).length}`;
      const signal = new AbortController().signal;
      sandbox ??= createSandbox(platform.workers, { maximumWorkers: 1 });
      return await replayIn(sandbox, {
        recording: { ...recording, digest },
        files: new Map([...(kept ?? []), ...bytes]),
        signal,
        platform,
      });
    },
    async [Symbol.asyncDispose]() {
      await host.close();
      await sandbox?.close();
    },
  };
}
