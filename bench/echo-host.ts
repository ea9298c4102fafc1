/** A host with one 2 KB plugin on disk and events on, for rows that measure whole calls. */

import { createHost, type Host, type HostOptions, type Session } from "../host/mod.ts";
import { ECHO_ARGS } from "./fresh.ts";
import { mustBe } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";
import { temporaryPlugins } from "./plugin-folder.ts";

export interface EchoHost extends AsyncDisposable {
  readonly host: Host;
  /** Makes one whole call. @throws {Error} if the answer differs from what was sent. */
  echo(session?: Session): Promise<void>;
  /** Adds an entry and returns how many the plugin remembers: 1 if every call is fresh. */
  remember(key: string): Promise<unknown>;
  /** @throws {Error} if any call so far emitted other events than its start and its completion. */
  mustHaveToldAll(): void;
}

export async function startEchoHost(options: Pick<HostOptions, "isolation"> = {}): Promise<EchoHost> {
  const project = await temporaryPlugins();
  await project.write("echo", PLUGIN_2KB, ["echo", "remember", "words"]);
  let calls = 0;
  const told = { "tool.called": 0, "tool.completed": 0 };
  const host = await createHost({
    plugins: `${project.path}/plugins`,
    workspace: project.path,
    config: false,
    ...options,
    events: {
      publish({ type }) {
        if (type === "tool.called" || type === "tool.completed") told[type]++;
      },
    },
  });
  async function call(tool: string, args: Readonly<Record<string, string | number>>, session?: Session): Promise<unknown> {
    calls++;
    const result = await host.call(tool, args, session === undefined ? {} : { session });
    if (!result.ok) throw new Error(result.error.message);
    return result.output;
  }
  return {
    host,
    echo: async (session) => mustBe(await call("echo_echo", ECHO_ARGS, session), ECHO_ARGS),
    remember: (key) => call("echo_remember", { key, value: 1 }),
    mustHaveToldAll: () => mustBe(told, { "tool.called": calls, "tool.completed": calls }),
    async [Symbol.asyncDispose]() {
      await host.close();
      await project[Symbol.asyncDispose]();
    },
  };
}

const IN_FLIGHT = 32;

/** A client that always keeps `inFlight` calls running. */
export async function flood(host: EchoHost, calls: number): Promise<void> {
  const session = host.host.session({ concurrency: IN_FLIGHT });
  let left = calls;
  const client = async (): Promise<void> => {
    while (left-- > 0) await host.echo(session);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
}
