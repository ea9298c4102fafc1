/**
 * The attacks on a host. By default four concurrent calls of a hostile plugin's tools, each calling the exported functions in turn until
 * the round ends.
 */

import type { Host, Permissions, Session } from "../../../host/mod.ts";
import { DOOR_CASES } from "./door-cases.ts";
import type { HttpDoor, McpDoor } from "./doors.ts";
import type { Stderr } from "./modes.ts";
import type { Attack } from "./rounds.ts";
import { HOST_ACTS } from "./host-acts.ts";
import { programCases } from "./programs.ts";

export interface LivenessCase {
  /** Kind of message or program, a dot, and its variant. */
  readonly name: string;
  /** Source of the hostile plugin's module. Each exported function is a tool. */
  readonly main: string;
  /** Members added to the default manifest. */
  readonly manifest?: object;
  readonly grants?: Permissions;
  /** Limits above the defaults, in the manifest and by policy. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Arguments of the hostile calls. */
  readonly args?: object;
  /** Uses a new host for each round, which has only run the named canaries. Warm caches make a difference. */
  readonly cold?: boolean;
  /** Runs each tool as a separate attack, one after another. */
  readonly each?: boolean;
  /** Names of the canaries. Default: all. */
  readonly canaries?: readonly string[];
  /** Number of concurrent hostile calls. Default 4. */
  readonly lanes?: number;
  /** Files of the hostile plugin's folder, with their sizes in bytes. */
  readonly files?: Readonly<Record<string, number>>;
  /** Destination of the host's log. Default `file`. */
  readonly stderr?: Stderr;
  /** The command that starts the host. Absent: the library. */
  readonly door?: "http" | "mcp";
  /** Number of further plugins, which do nothing. */
  readonly others?: number;
  /** Clients that replace the calls through the door. */
  readonly clients?: {
    readonly http?: (door: HttpDoor, ends: Map<string, number>) => Attack;
    readonly mcp?: (door: McpDoor, ends: Map<string, number>) => Attack;
  };
  /** An attack by the library that replaces the calls. */
  readonly attack?: (env: World) => Attack | Promise<Attack>;
  /** Maximum growth of the host's resident memory in MB, including all of its processes. */
  readonly growthMb: number;
}

/** Input of an attack that is not made of calls. */
export interface World {
  readonly host: Host;
  readonly session: Session;
  /** The case's own folder, which contains the plugins' folder. */
  readonly folder: string;
  readonly url: string;
  /** Source of the hostile plugin's module. */
  readonly main: string;
  /** Number of hostile calls by their outcome. */
  readonly ends: Map<string, number>;
}

const MIB = 2 ** 20;
/** Workers and images of four runaway calls with 64 MiB each, and uncollected garbage. */
const FOUR_GUESTS_MB = 400;

/** Attacks without a grant, within the default limits. */
const WITHIN: readonly LivenessCase[] = [
  ...(["file", "pipe", "unread", "terminal"] as const).map((stderr): LivenessCase => ({
    name: `log.${stderr}`,
    main: `export function short() { for (let i = 0; i < 1e6; i++) console.error("x"); }
export function long() { for (;;) console.error("x".repeat(2_000)); }
export function empty() { for (;;) console.error(); }
export function hidden() { for (;;) console.error("\\u202e".repeat(500)); }`,
    stderr,
    growthMb: 150,
  })),
  {
    name: "output.default-limits",
    main: `export const objects = () => Array.from({ length: 340_000 }, () => ({}));
export const keys = () => Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => ["k" + i, i]));
export const numbers = () => new Array(500_000).fill(1);
export const text = () => "x".repeat(1_000_000);
export const escapes = () => "\\u0001".repeat(170_000);
export const deep = () => { let all = []; for (let i = 0; i < 8_000; i++) { let v = []; for (let n = 0; n < 60; n++) v = [v]; all.push(v); } return all; };`,
    growthMb: 250,
  },
  {
    name: "output.beyond",
    main: `export const hundred = () => "x".repeat(100 << 20).length && "x".repeat(30 << 20);
export const list = () => new Array(2e6).fill("xxxx");
export const deep = () => { let v = []; for (let n = 0; n < 5_000; n++) v = [v]; return v; };`,
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "error-text",
    main: `const big = (n) => "x".repeat(n);
export const message = () => { throw new Error(big(2 << 20)); };
export const atLimit = () => { throw new Error(big(1_000_000)); };
export const names = () => { const e = new Error("n"); e.name = big(2 << 20); throw e; };
export const stack = () => { const e = new Error("s"); e.stack = (big(100) + "\\n").repeat(1 << 13); throw e; };
export const lines = () => { throw new Error("\\n".repeat(1 << 20)); };
export const hidden = () => { throw new Error("\\u202e".repeat(500_000)); };
export const details = () => { throw Object.assign(new Error("d"), { name: "ToolError", details: { a: big(1 << 20) } }); };
export const cause = () => { let e = new Error("c"); for (let i = 0; i < 1e4; i++) e = new Error("c", { cause: e }); throw e; };`,
    growthMb: 250,
  },
  {
    name: "operation.arguments",
    main: `const quiet = (f) => { try { f(); } catch {} };
export const paths = () => { for (;;) quiet(() => Deno.readTextFileSync("x".repeat(7 << 20))); };
export const segments = async () => { for (;;) try { await Deno.readTextFile("a/".repeat(3 << 20)); } catch {} };
export const headers = async () => { for (;;) try { await fetch("http://example.com/", { headers: Array.from({ length: 100_000 }, (_, i) => ["h" + i, "v"]) }); } catch {} };
export const urls = async () => { for (;;) try { await fetch("http://example.com/?" + "&a".repeat(2e6)); } catch {} };
export const bytes = async () => { const b = new Uint8Array(7 << 20); for (;;) try { await Deno.writeFile("x", b); } catch {} };
export const body = async () => { const b = "x".repeat(7 << 20); for (;;) try { await fetch("http://example.com/", { method: "POST", body: b }); } catch {} };`,
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "operation.floods",
    main: `const quiet = (f) => { try { return f(); } catch {} };
export const sync = () => { for (;;) quiet(() => Deno.statSync("a")); };
export const awaited = async () => { for (;;) try { await Deno.stat("a"); } catch {} };
export const sixty = async () => { for (;;) await Promise.allSettled(Array.from({ length: 60 }, () => Deno.readTextFile("gone.txt"))); };
export const mixed = async () => { for (;;) { void Deno.stat("a").catch(() => {}); quiet(() => Deno.statSync("a")); await 0; } };`,
    growthMb: 150,
  },
  {
    name: "answer.own-files",
    main: `const path = new URL("./big.bin", import.meta.url);
export async function sixty() { const all = await Promise.allSettled(Array.from({ length: 60 }, () => Deno.readFile(path))); return all.length; }
export async function texts() { for (;;) await Promise.allSettled(Array.from({ length: 60 }, () => Deno.readTextFile(path))); }
export function sync() { for (;;) Deno.readFileSync(path); }
export async function dropped() { for (let i = 0; i < 60; i++) void Deno.readFile(path); return 1; }`,
    files: { "big.bin": 7 * MIB },
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "answer.files",
    main: `export async function sixty() { const all = await Promise.allSettled(Array.from({ length: 60 }, () => Deno.readFile("big.bin"))); return all.length; }
export function sync() { for (;;) Deno.readFileSync("big.bin"); }
export async function pieces() { using file = await Deno.open("big.bin"); const b = new Uint8Array(1 << 20); for (;;) { if ((await file.read(b)) === null) await file.seek(0, 0); } }`,
    grants: { read: ["$workspace"] },
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "answer.fetch",
    main: `export async function whole({ url }) { for (;;) await (await fetch(url + "/large")).arrayBuffer(); }
export async function many({ url }) { for (;;) await Promise.allSettled(Array.from({ length: 20 }, async () => (await fetch(url + "/large")).text())); }`,
    grants: { net: ["127.0.0.1"] },
    growthMb: FOUR_GUESTS_MB + 100,
  },
  {
    name: "listing",
    main: `export async function names() { for (;;) for await (const _ of Deno.readDir("many")); }
export function sync() { for (;;) [...Deno.readDirSync("many")]; }
export async function walks() { for (;;) await Promise.allSettled(Array.from({ length: 30 }, async () => { for await (const _ of Deno.readDir("many")); })); }`,
    grants: { read: ["$workspace"] },
    growthMb: 250,
  },
  {
    name: "progress",
    main: `const many = (n) => Array.from({ length: n }, () => ({}));
export async function large(_, { progress }) { for (;;) try { await progress({ many: many(200_000) }); } catch {} }
export async function small(_, { progress }) { for (;;) try { await progress(1); } catch {} }
export function unawaited(_, { progress }) { for (;;) try { void progress({ text: "x".repeat(500_000) }); } catch {} }`,
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "events.slow-readers",
    // An output of 64 KB is the largest that an event carries whole, and takes more than 1 MB of heap. Results are kept too, up to 128
    // MiB. Memory held by readers is only part of the growth, so `test/host/audit/event-bus.test.ts` tests their bound.
    main: `export const objects = () => Array.from({ length: 21_000 }, () => ({}));
export const lists = () => Array.from({ length: 21_000 }, () => []);`,
    attack: HOST_ACTS.slowReaders,
    growthMb: 500,
  },
  {
    name: "chain.steps",
    main: `export async function steps(_, { tools }) { for (;;) try { await tools.call("hostile.large", { text: "x".repeat(900_000) }); } catch (e) { if (/100/.test(e.message)) return; } }
export async function wide(_, { tools }) { await Promise.allSettled(Array.from({ length: 90 }, () => tools.call("hostile.large", { many: Array.from({ length: 100_000 }, () => ({})) }))); }
export const large = ({ text, many }) => text ?? many ?? Array.from({ length: 300_000 }, () => ({}));`,
    manifest: { permissions: { tools: ["hostile.*"] } },
    grants: { tools: ["hostile.*"] },
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "recordings",
    main: `export async function reads() { for (let i = 0; i < 60; i++) await Deno.readFile("big.bin"); return "x".repeat(900_000); }
export function denied() { for (let i = 0; i < 9_000; i++) try { Deno.readTextFileSync("/etc/x" + i); } catch {} return 1; }
export function clocks() { for (let i = 0; i < 1e6; i++) Date.now(); return Math.random(); }`,
    grants: { read: ["$workspace"] },
    attack: HOST_ACTS.recorded,
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "undo",
    main: `export async function writes() { const b = new Uint8Array(7 << 20); for (let i = 0; i < 20; i++) await Deno.writeFile("own/" + (i % 4), b); }
export async function small() { await Promise.all(Array.from({ length: 60 }, (_, i) => Deno.writeTextFile("own/s" + i, "x"))); }`,
    grants: { write: ["$workspace"] },
    attack: HOST_ACTS.undone,
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "dry-run",
    main: `export async function writes() { const b = "line\\n".repeat(700_000); for (let i = 0; i < 8; i++) await Deno.writeTextFile("own/" + i, b + i); }
export async function edits() { const text = await Deno.readTextFile("lines.txt"); await Deno.writeTextFile("lines.txt", text.split("\\n").reverse().join("\\n")); }`,
    grants: { read: ["$workspace"], write: ["$workspace"] },
    attack: HOST_ACTS.dry,
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "journal.denials",
    main: `export function denied() { for (let i = 0; i < 9_500; i++) try { Deno.readTextFileSync("/etc/x" + i); } catch {} }
export async function wide() { for (let i = 0; i < 150; i++) await Promise.allSettled(Array.from({ length: 60 }, (_, n) => Deno.readTextFile("/etc/" + i + "x" + n))); }
export async function hosts() { for (let i = 0; i < 9_000; i++) try { await fetch("http://h" + i + ".example/"); } catch {} }`,
    growthMb: 250,
  },
  {
    name: "crypto.shared-lanes",
    main: `const derive = async () => { const key = await crypto.subtle.importKey("raw", new Uint8Array(9), "PBKDF2", false, ["deriveBits"]); return await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-512", salt: new Uint8Array(9), iterations: 3e6 }, key, 512); };
export async function keys() { for (;;) await Promise.allSettled(Array.from({ length: 8 }, derive)); }
export async function digests() { const b = new Uint8Array(7 << 20); for (;;) await Promise.allSettled(Array.from({ length: 4 }, () => crypto.subtle.digest("SHA-512", b))); }
export async function pairs() { for (;;) await crypto.subtle.generateKey({ name: "RSA-OAEP", modulusLength: 4096, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }, true, ["encrypt"]); }`,
    growthMb: 250,
  },
  {
    name: "compression",
    main: `export async function packs() { const b = new Uint8Array(8 << 20).map((_, i) => i * 7919); for (;;) await new Response(new Blob([b]).stream().pipeThrough(new CompressionStream("gzip"))).bytes(); }
export async function bombs() { const z = await new Response(new Blob([new Uint8Array(8 << 20)]).stream().pipeThrough(new CompressionStream("deflate"))).bytes(); for (;;) await new Response(new Blob([z]).stream().pipeThrough(new DecompressionStream("deflate"))).bytes(); }`,
    growthMb: FOUR_GUESTS_MB + 100,
  },
  {
    name: "timers",
    main: `export function doubling() { const f = () => { setTimeout(f, 0); setTimeout(f, 0); }; f(); return new Promise(() => {}); }
export function many() { for (let i = 0; i < 999; i++) setInterval(() => {}, 1); return new Promise(() => {}); }`,
    growthMb: 150,
  },
  {
    name: "memory",
    main: `export function pieces() { const kept = []; for (;;) kept.push(new Uint8Array(1 << 20).fill(1)); }
export function objects() { const kept = []; for (;;) kept.push({ kept }); }
export function text() { let s = "x"; for (;;) s += s; }
export async function held() { const b = new Uint8Array(60 << 20).fill(1); await new Promise((resolve) => setTimeout(resolve, 200)); return b.length; }`,
    growthMb: FOUR_GUESTS_MB,
  },
  {
    name: "session-state",
    main: `const kept = [];
export function grows() { kept.push(new Uint8Array(4 << 20).fill(kept.length)); return kept.length; }`,
    manifest: { state: "session" },
    attack: HOST_ACTS.manySessions,
    growthMb: 2 * FOUR_GUESTS_MB,
  },
];

/** Attacks with raised limits and grants, which must not delay others either. */
const RAISED: readonly LivenessCase[] = [
  {
    name: "output.raised-limits",
    main: `export const keys = () => Object.fromEntries(Array.from({ length: 900_000 }, (_, i) => ["k" + i, 1]));
export const objects = () => Array.from({ length: 5_000_000 }, () => ({}));`,
    limits: { outputBytes: 16 * MIB, memoryBytes: 512 * MIB, cpuMs: 120_000 },
    growthMb: 4 * FOUR_GUESTS_MB,
  },
  {
    name: "answer.raised-limits",
    main: `export async function sixty() { const all = await Promise.allSettled(Array.from({ length: 60 }, () => Deno.readFile("huge.bin"))); return all.length; }`,
    limits: { operationBytes: 64 * MIB, memoryBytes: 512 * MIB },
    grants: { read: ["$workspace"] },
    growthMb: 4 * FOUR_GUESTS_MB,
  },
  {
    name: "log.raised-limits",
    main: `export function short() { for (let i = 0; i < 1e7; i++) console.error("x"); }`,
    limits: { logBytes: 4 * MIB },
    growthMb: 150,
  },
];

/** A sleeping call in a host that has done nothing else. */
const COLD_SLEEPER = { cold: true, canaries: ["sleep"] } as const;

/** Attacks on running calls of others (SPEC LV4). */
const HOSTAGES: readonly LivenessCase[] = [
  { name: "hostage.endless-loops", main: `export function loops() { for (;;); }`, lanes: 2, ...COLD_SLEEPER, growthMb: 250 },
  {
    name: "hostage.three-seconds",
    main: `export function computes() { const end = Date.now() + 3_000; while (Date.now() < end); return 1; }`,
    lanes: 2,
    ...COLD_SLEEPER,
    growthMb: 250,
  },
  { name: "hostage.sixteen-loops", main: `export function loops() { for (;;); }`, lanes: 16, growthMb: FOUR_GUESTS_MB },
  {
    name: "hostage.sync-operations",
    main: `export function reads({ url }) { for (;;) try { Deno.readFileSync("slow"); } catch {} }
export async function waits({ url }) { await fetch(url + "/never"); }`,
    grants: { net: ["127.0.0.1"] },
    // On Deno 141 to 177 of it is garbage that V8 has not collected.
    growthMb: 250,
  },
  { name: "hostage.top-level", main: `export function late() {}`, attack: HOST_ACTS.loopsAtLoad, growthMb: 150 },
  { name: "reload.thousand-plugins", main: `export function one() { return 1; }`, attack: HOST_ACTS.reloads, growthMb: 400 },
  { name: "journal.large", main: `export function one() { return 1; }`, attack: HOST_ACTS.largeJournal, growthMb: FOUR_GUESTS_MB },
];

export const CASES: readonly LivenessCase[] = [...HOSTAGES, ...WITHIN, ...RAISED, ...DOOR_CASES, ...(await programCases())];

/** @throws {TypeError} if no case has this name */
export function findCase(name: string): LivenessCase {
  const found = CASES.find((one) => one.name === name);
  if (found === undefined) throw new TypeError(`Unknown case "${name}"`);
  return found;
}
