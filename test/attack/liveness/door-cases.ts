/** Attacks by clients through a host's doors, and by plugins on their callers. */

import type { LivenessCase } from "./cases.ts";
import type { HttpDoor, McpDoor } from "./doors.ts";
import type { Attack } from "./rounds.ts";

const MIB = 2 ** 20;
const NOTHING = `export const nothing = () => 1;`;
const OUTPUTS = `export const objects = () => Array.from({ length: 340_000 }, () => ({}));
export const numbers = () => new Array(500_000).fill(1);
export const text = () => "x".repeat(1_000_000);
export const escapes = () => "\\u0001".repeat(170_000);`;
const LOGS = `export function short() { for (let i = 0; i < 1e6; i++) console.error("x"); }
export function long() { for (;;) console.error("x".repeat(2_000)); }`;

/** Returns JSON texts of some 4 MB that are expensive to parse, check or copy. */
function bodies(wrap: (args: string) => string, bytes: number): readonly Buffer[] {
  const half = Math.floor(bytes / 3);
  return [
    `{"a":[${"{},".repeat(half)}{}]}`,
    `{"a":[${"1,".repeat(half)}1]}`,
    `{"a":"${"x".repeat(2 * half)}"}`,
    `{"a":${"[".repeat(half)}${"]".repeat(half)}}`,
    `{${Array.from({ length: Math.floor(bytes / 14) }, (_, nth) => `"k${nth}":1`).join(",")}}`,
    `{"a":"${"\\u0001".repeat(Math.floor(bytes / 8))}"}`,
  ].map((args) => Buffer.from(wrap(args)));
}

/** Runs the acts in turn on several lanes until the signal is aborted. */
function lanes<Door>(
  acts: (door: Door) => readonly ((signal: AbortSignal) => Promise<unknown>)[],
  count = 4,
): (door: Door, ends: Map<string, number>) => Attack {
  return (door, ends) => {
    const all = acts(door);
    let next = 0;
    return async (signal) => {
      await Promise.all(
        Array.from({ length: count }, async () => {
          while (!signal.aborted) {
            const nth = next++ % all.length;
            const end = `${nth} ${String(await all[nth]?.(signal).catch((error: unknown) => error))}`.slice(0, 100);
            ends.set(end, (ends.get(end) ?? 0) + 1);
          }
        }),
      );
    };
  };
}

const http = {
  bodies: lanes<HttpDoor>((door) => {
    const all = bodies((args) => `{"tool":"hostile.nothing","args":${args}}`, 4 * MIB - 100);
    return all.map((body) => (signal) => door.send("/v1/calls", { body, signal }));
  }),
  listings: lanes<HttpDoor>((door) => [
    (signal) => door.send("/v1/tools", { signal }),
    (signal) => door.send("/v1/plugins", { token: door.adminToken, signal }),
    (signal) => door.send("/metrics", { token: door.adminToken, signal }),
  ]),
  record: lanes<HttpDoor>((door) => [
    (signal) => door.send("/v1/audit/verify", { token: door.adminToken, signal }),
    (signal) => door.send("/v1/audit?text=nothing", { token: door.adminToken, signal }),
    (signal) => door.call("hostile.denied", {}, signal),
  ]),
  /** Opens streams of events that are never read, and causes many events. */
  neglected: (door: HttpDoor, ends: Map<string, number>): Attack => {
    const calls = lanes<HttpDoor>((to) => ["hostile.denied", "hostile.text"].map((tool) => (signal) => to.call(tool, {}, signal)))(
      door,
      ends,
    );
    return async (signal) => {
      for (let nth = 0; nth < 12; nth++) door.neglect("/v1/events", signal);
      await calls(signal);
    };
  },
};

const mcp = {
  lines: lanes<McpDoor>((door) => {
    const wrap = (args: string): string =>
      `{"jsonrpc":"2.0","method":"tools/call","id":"x","params":{"name":"hostile__nothing","arguments":${args}}}\n`;
    // A line above 4 MiB ends the connection.
    const all = [
      ...bodies(wrap, 4 * MIB - 1_000),
      Buffer.from("\n".repeat(100_000)),
      Buffer.from("{}\n".repeat(20_000)),
      Buffer.from("{\n".repeat(20_000)),
    ];
    return all.map((line) => () => door.write(line));
  }, 1),
  listings: lanes<McpDoor>((door) => [
    (signal) => door.request("tools/list", {}, signal),
    (signal) => door.request("resources/list", {}, signal),
    (signal) => door.request("resources/read", { uri: "bascule://plugins" }, signal),
    (signal) => door.request("resources/read", { uri: "bascule://audit" }, signal),
  ]),
};

/**
 * A session allows four concurrent calls. The hostile calls of a token, or of a client of an MCP server on stdio, share them with the
 * canaries.
 */
const HTTP = { door: "http", canaries: ["brief", "sleep", "read", "get"] } as const;
const MCP = { door: "mcp", canaries: ["brief", "sleep"], lanes: 2 } as const;

export const DOOR_CASES: readonly LivenessCase[] = [
  { name: "http.bodies", main: NOTHING, ...HTTP, clients: { http: http.bodies }, growthMb: 600 },
  { name: "http.outputs", main: OUTPUTS, ...HTTP, growthMb: 300 },
  { name: "http.logs", main: LOGS, ...HTTP, growthMb: 150 },
  { name: "http.listings", main: NOTHING, ...HTTP, others: 1_000, clients: { http: http.listings }, growthMb: 400 },
  {
    name: "http.record",
    main: `export function denied() { for (let i = 0; i < 9_000; i++) try { Deno.readTextFileSync("/etc/x" + i); } catch {} return 1; }`,
    ...HTTP,
    clients: { http: http.record },
    growthMb: 300,
  },
  {
    name: "http.unread-events",
    main: `export async function denied() { for (let i = 0; ; i++) try { await Deno.readTextFile("/etc/" + "x".repeat(3_000) + i); } catch {} }
export const text = () => "x".repeat(1_000_000);`,
    ...HTTP,
    clients: { http: http.neglected },
    growthMb: 300,
  },
  // The client's own calls wait behind its lines. Judged are the event loop, which others share, and memory.
  { name: "mcp.lines", main: NOTHING, ...MCP, canaries: [], clients: { mcp: mcp.lines }, growthMb: 700 },
  { name: "mcp.outputs", main: OUTPUTS, ...MCP, growthMb: 300 },
  { name: "mcp.logs", main: LOGS, ...MCP, growthMb: 200 },
  {
    name: "mcp.progress",
    main: `export async function small(_, { progress }) { for (;;) try { await progress({ progress: 1, message: "x".repeat(9_000) }); } catch {} }`,
    ...MCP,
    growthMb: 200,
  },
  { name: "mcp.listings", main: NOTHING, ...MCP, others: 1_000, clients: { mcp: mcp.listings }, growthMb: 400 },
];
