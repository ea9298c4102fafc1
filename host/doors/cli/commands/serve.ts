/** `bascule serve`: serves the project's plugins over HTTP and, like `dev`, to other commands. */

import { aborted } from "../../../primitives/until-aborted.ts";
import type { HttpMount } from "../../http/mount.ts";
import type { HostServer } from "../../http/server.ts";
import { createHttpTokens, type HttpTokens } from "../../http/tokens.ts";
import type { SocketDoor } from "../../socket/socket.ts";
import type { Host } from "../../../host/host-interface.ts";
import { HttpServerError } from "../../../platform/network/http-types.ts";
import type { TokenConfig } from "../../../../manifests/mod.ts";
import type { Platform } from "../../../platform/platform.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { FROZEN_OPTION } from "../frozen-flag.ts";
import { ISOLATION_OPTION } from "../isolation-flag.ts";
import { type LocalHost, openLocalHost } from "../local-host.ts";
import { pathFrom } from "../paths.ts";
import { RUN_OPTIONS } from "../permission-flags.ts";
import { permissionsOfRun } from "../permission-set.ts";
import { openOwnTokens, type ServerToken } from "../server-tokens.ts";
import { statusLines } from "../plugin-text.ts";
import { countsOf, pluginRows, shortProgram, shownPlugins } from "../start-screen.ts";
import { table } from "../table.ts";
import { joinCluster, type JoinedCluster } from "../join.ts";
import { makeRoots, openDoor } from "../serving.ts";
import { askForTrust } from "../trust.ts";
import { VERSION } from "../../../primitives/version.ts";
import { printable, wrapWords } from "../../../primitives/text.ts";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7_420;
const MAX_PORT = 65_535;
/** Rows of plugins, so that the start fits 24 rows with notices. */
const PLUGIN_ROWS = 12;
const FEWEST_ROWS = 3;

export const serveCommand: Command = {
  name: "serve",
  summary: "Serve the project's plugins over HTTP",
  usage: "serve",
  details: [
    "Every request needs a token. The first start creates two in .bascule/: call.token for programs and agents, and admin.token for users, which can also answer confirmations and change grants. BASCULE_TOKEN and BASCULE_ADMIN_TOKEN override them; BASCULE_TOKEN_FILE and BASCULE_ADMIN_TOKEN_FILE name other files, such as mounted secrets.",
    "On a terminal, prints an address that logs one browser in to the console. admin.token logs in too.",
    "Only this machine can connect unless you set --expose and --host. In that case put a server with TLS in front.",
    "Other commands connect to this host through .bascule/host.sock.",
  ],
  examples: ["serve", "serve --port=8080", "serve --join=nats://127.0.0.1:4222", "serve --host=0.0.0.0 --expose"],
  positionals: { min: 0, max: 0 },
  options: [
    { name: "host", value: "address", about: `Address to listen on (default: server.host of bascule.json, else ${DEFAULT_HOST})` },
    {
      name: "port",
      value: "number",
      about: `Port to listen on; 0 picks a free port (default: server.port of bascule.json, else ${DEFAULT_PORT})`,
    },
    { name: "expose", about: "Allow an address that other machines can reach" },
    { name: "join", value: "url", about: "Run calls of a cluster, too: nats:// or tls:// of its NATS server (docs/cluster.md)" },
    { name: "cluster", value: "name", about: "Name of the cluster (default: default)" },
    ...RUN_OPTIONS,
    ISOLATION_OPTION,
    FROZEN_OPTION,
  ],
  run: serve,
};

/** Handlers mounted beside `/v1`, one entry each. */
const MOUNTS: readonly ((host: Host, platform: Platform, program: string) => Promise<HttpMount>)[] = [
  async () => (await import("../../console/mount.ts")).consoleMount,
  async (host, platform, program) => {
    const { sessions } = host.places.project.config().server.limits;
    const { createMcpHandler } = await import("../../mcp/mod.ts");
    return createMcpHandler({ host, platform, program, ...(sessions !== undefined && { maxSessions: sessions }) });
  },
];

async function serve(context: CommandContext): Promise<number> {
  const { platform, output, options, project, signal } = context;
  const oneRun = await permissionsOfRun(options, platform);
  await askForTrust(context);
  await makeRoots(context);
  const local = await openLocalHost(context, oneRun, { watch: true, consent: "strict", telemetry: true });
  let door: SocketDoor | undefined;
  let server: HostServer | undefined;
  let joined: JoinedCluster | undefined;
  let stopWatching = (): void => {};
  try {
    door = await openDoor(context, local);
    const own = await openOwnTokens(platform, project.stateDirectory);
    stopWatching = own.watch();
    joined = await joinCluster(context, local.host);
    const configured = (): readonly TokenConfig[] => local.host.places.project.config().server.tokens;
    const tokens = createHttpTokens({ ...platform, tokens: () => [...own.good(), ...configured()] });
    server = await openServer(context, local, tokens);
    local.serveAt(server.url);
    // Print the login code only on a terminal: a log file would keep it.
    const code = platform.terminal.interactive && !output.json ? await tokens.issueCode() : undefined;
    await showStart(context, local, { url: server.url, own: own.tokens, joined, ...(code !== undefined && { code }) });
    await aborted(signal);
    output.note(output.style.dim("\nWaiting for running calls; press Ctrl-C again to exit now"));
  } finally {
    stopWatching();
    await joined?.door.drain();
    // Close the socket last: running calls are answered through it.
    await Promise.all([server?.close(), local.host.close()]);
    await joined?.door.close();
    await door?.close();
  }
  return EXIT.ok;
}

async function openServer(context: CommandContext, { host }: LocalHost, tokens: HttpTokens): Promise<HostServer> {
  const { platform, options } = context;
  const configured = host.places.project.config().server;
  const address = options.value("host") ?? configured.host ?? DEFAULT_HOST;
  if (!isLoopback(address) && !options.has("expose")) {
    throw usageError(`Cannot listen on ${address}: other machines could connect`, [
      "Give --expose to allow it, and put a server with TLS in front (docs/http.md)",
    ]);
  }
  const port = readPort(options.value("port")) ?? configured.port ?? DEFAULT_PORT;
  const mounts = await Promise.all(MOUNTS.map((create) => create(host, platform, context.output.program)));
  // Loaded here: no other command is to wait for it.
  const { openHostServer } = await import("../../http/server.ts");
  const about = { version: VERSION, pid: platform.environment.pid };
  try {
    return await openHostServer({ platform, host, server: { ...configured, host: address, port }, tokens, about, mounts });
  } catch (error) {
    if (!(error instanceof HttpServerError)) throw error;
    throw new CliError("address", error.message, { exitCode: EXIT.unavailable, hints: ["--port=0 picks a free port"] });
  }
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/u.test(text) && port <= MAX_PORT) return port;
  throw usageError(`Option "--port" must be an integer from 0 to ${MAX_PORT}, not "${text}"`);
}

function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/u.test(address);
}

async function showStart(
  { platform, output, project }: CommandContext,
  local: LocalHost,
  {
    url,
    own,
    code,
    joined,
  }: { readonly url: string; readonly own: readonly ServerToken[]; readonly code?: string; readonly joined: JoinedCluster | undefined },
): Promise<void> {
  const status = await local.operations.status();
  const places = own.map(({ config, place }) => ({
    name: config.name,
    ...("file" in place ? { file: pathFrom(platform.environment.cwd, place.file) } : place),
  }));
  const { style } = output;
  const plugins = shownPlugins(await local.operations.list());
  output.line(`${style.bold("bascule")} ${style.dim(status.version)} serves ${countsOf(plugins)}`);
  output.line();
  const facts = [
    ["address", url],
    ...(code === undefined ? [] : [["console", `${url}/#code=${code}`]]),
    ...places.map((place) => [`${place.name} token`, "file" in place ? printable(place.file) : `$${place.variable}`]),
    ...(joined === undefined
      ? []
      : [
          ["cluster", `${joined.name} at ${joined.url}`],
          ["key", joined.door.publicKey],
        ]),
  ];
  for (const line of table(facts, style, { indent: "  ", paint: [style.dim, style.bold] })) output.line(line);
  if (code !== undefined) output.line(`  ${style.dim("The console's address is for one login within ten minutes")}`);
  output.line();
  const notices = statusLines(status, output).flatMap((line) => wrapWords(line, output.columns));
  const { program, standsFor } = shortProgram(plugins, output);
  for (const line of pluginRows(plugins, { ...output, program }, Math.max(FEWEST_ROWS, PLUGIN_ROWS - notices.length))) output.line(line);
  for (const line of [...standsFor, ...notices]) output.line(line);
  output.line(style.dim("Press Ctrl-C to stop."));
  const cluster = joined && { cluster: { name: joined.name, url: joined.url, key: joined.door.publicKey } };
  output.document({ ok: true, url, root: project.root, tokens: places, ...cluster, status });
}
