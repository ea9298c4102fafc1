/** Serves the scene's project, calls its tools, and leaves confirmations pending. */

import { createHash } from "node:crypto";
import { join } from "node:path";
import { consoleMount } from "../../host/doors/console/mount.ts";
import { openHostServer } from "../../host/doors/http/server.ts";
import { createHttpTokens } from "../../host/doors/http/tokens.ts";
import { createHost } from "../../host/host/host.ts";
import type { Host } from "../../host/host/host-interface.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { updateScene, writeScene } from "./scene.ts";

export interface Scene extends AsyncDisposable {
  readonly url: string;
  readonly host: Host;
  issueCode(): Promise<string>;
  /** Returns the addresses to show of a page, with parameters from the data. */
  addresses(id: string, path: string): Promise<readonly string[]>;
}

const AGENT = "agent-token";
/** The first calls are made as if this long ago, for the charts. */
const HISTORY_MS = 55 * 60_000;

export async function openScene(): Promise<Scene> {
  const opened = new AsyncDisposableStack();
  const { folder } = opened.use(await writeScene());
  const real = currentPlatform({ log: { level: "error" } });
  const ago = { ms: HISTORY_MS };
  const clock = { ...real.clock, now: () => real.clock.now() - ago.ms };
  const platform = { ...real, clock, environment: { ...real.environment, cwd: folder } };
  const host = await createHost({
    ...{ platform, workspace: folder, plugins: join(folder, "plugins"), watch: true, undo: true, telemetry: true },
    events: { store: true },
  });
  opened.defer(async () => await host.close());
  const sha256 = createHash("sha256").update(AGENT).digest("hex");
  const tokens = createHttpTokens({ ...platform, tokens: () => [{ name: "claude-code", sha256, scopes: ["call"] }] });
  const server = await openHostServer({
    ...{ platform, host, tokens, mounts: [consoleMount] },
    about: { version: "0.1.0", pid: 1 },
    server: { tokens: [], allowedHosts: [], allowedOrigins: [], limits: {}, host: "127.0.0.1", port: 0 },
  });
  opened.defer(async () => await server.close());
  const call = async (tool: string, args: object, more: object = {}): Promise<string> => {
    const response = await fetch(`${server.url}/v1/calls`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${AGENT}` },
      body: JSON.stringify({ tool, args, ...more }),
    });
    return ((await response.json()) as { readonly callId: string }).callId;
  };
  const shown = await act(host, call, ago);
  await updateScene(folder);
  await host.reload();
  return {
    ...{ url: server.url, host },
    issueCode: async () => await tokens.issueCode(),
    async addresses(id, path) {
      if (id === "call") return shown.map((callId) => `/calls/${callId}`);
      if (id === "confirmation")
        return host.confirmations
          .list()
          .slice(0, 3)
          .map(({ request }) => `/confirmations/${request.requestId}`);
      if (id === "plugin")
        return [
          "/plugins/weather",
          ...["permissions", "source", "tests", "log", "settings"].map((tab) => `/plugins/editor?tab=${tab}`),
          "/plugins/weather?tab=versions",
        ];
      if (id === "why") return ["/why?name=editor.save_file"];
      if (id === "run") return ["/run?tool=editor.replace_text"];
      return [path.replace(/:name\b/, "editor")];
    },
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}

/** Calls tools. @returns the ids of the calls whose pages are shown */
async function act(
  host: Host,
  call: (tool: string, args: object, more?: object) => Promise<string>,
  ago: { ms: number },
): Promise<readonly string[]> {
  await host.grant("editor", { read: ["$workspace"], write: ["$workspace"] });
  await host.grant("words", { read: ["$workspace"] });
  await host.grant("data", { read: ["$workspace"] });
  for (let at = 0; at < 30; at += 1) {
    await call("words.word_count", { path: "README.md" });
    if (at % 3 === 0) await call("words.grep", { pattern: "aurora", path: "src", ignoreCase: true });
    if (at % 5 === 0) await call("data.csv_to_json", { csv: "a,b\n1,2\n" });
    if (at % 7 === 0) await call("editor.open_file", { path: "src/missing.ts" });
    ago.ms -= HISTORY_MS / 30;
  }
  ago.ms = 0;
  const denied = await call("weather.forecast", { place: "Tromsø" });
  await call("words.word_count", { paths: 1 });
  const picture = await call("editor.swatch", {});
  const changed = await host.call(
    "editor.replace_text",
    { path: "src/forecast.ts", find: "kp: 4", by: "kp: 5" },
    { confirm: () => Promise.resolve(true) },
  );
  call("weather.slow_report", {}).catch(() => {
    // The server closes while it runs.
  });
  await call("editor.save_file", { path: "src/moon.ts", text: "export const moon = () => ({ phase: 0.42, isUp: true });\n" });
  await call("editor.replace_text", { path: "src/server.ts", find: "3000", by: "Number(process.env.PORT ?? 3000)" });
  await call("editor.delete_file", { path: "notes/ideas.md" });
  return [changed.callId, picture, denied];
}
