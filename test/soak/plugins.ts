/** The soak's plugins: good ones, hostile ones, one that is edited repeatedly, and the canary. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Number of plugins of each kind that has several. */
export const COPIES = 6;

/**
 * Tools that answer with a nonce also report the plugin whose memory they ran in, and remains of other calls that they found. `found`
 * must always be empty, because each call starts from the loaded image.
 */
const PROBE = `
const marks = [];
function probe(nonce) {
  const found = [...marks];
  for (const [name, holder] of [["global", globalThis], ["object", Object.prototype], ["array", Array.prototype]])
    if ("soakMark" in holder) found.push(name + " " + holder.soakMark);
  if (/./g.lastIndex !== 0 || Array.prototype.map !== originalMap) found.push("a builtin");
  marks.push(nonce);
  globalThis.soakMark = nonce;
  return { nonce, plugin: LABEL, found };
}
const originalMap = Array.prototype.map;
`;

const GOOD = `${PROBE}
export function echo({ nonce }) { return probe(nonce); }
export async function timers({ nonce }) {
  const waits = [3, 1, 2].map((ms) => new Promise((resolve) => setTimeout(() => resolve(ms), ms)));
  setInterval(() => {}, 1);
  await Promise.all(waits);
  return probe(nonce);
}
export async function files({ nonce, folder }) {
  const file = folder + "/" + nonce + ".txt";
  await Deno.writeTextFile(file, nonce);
  const text = await Deno.readTextFile(file);
  const names = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  // Left open deliberately: the host closes the file with the call.
  await Deno.open(file);
  await Deno.remove(file);
  if (!names.includes(nonce + ".txt")) throw new Error("The new file is not listed");
  return probe(text);
}
export async function gets({ nonce, url }) {
  const response = await fetch(url + "/echo/" + nonce);
  return probe(await response.text());
}
export async function hashes({ nonce }) {
  const bytes = new TextEncoder().encode(nonce.repeat(200));
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip")).pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(stream).text();
  await crypto.subtle.digest("SHA-256", bytes);
  return probe(text.slice(0, nonce.length));
}
export async function waits() { await new Promise((resolve) => setTimeout(resolve, 60_000)); }
export async function asks({ url }) { await fetch(url + "/never"); }
`;

const HOSTILE = `${PROBE}
export function pollute({ nonce }) {
  Object.prototype.soakMark = nonce; Array.prototype.soakMark = nonce; Array.prototype.map = () => nonce; JSON.stringify = () => nonce;
  globalThis.fetch = undefined; delete globalThis.Promise; Object.freeze(Array.prototype);
  return null;
}
export async function escapes({ url }) {
  const tries = [() => Deno.readTextFile("/etc/passwd"), () => Deno.readTextFile("../../../etc/passwd"), () => Deno.writeTextFile("/tmp/soak", "x"),
    () => fetch("http://169.254.169.254/"), () => fetch(url.replace("127.0.0.1", "localhost")), () => Deno.env.get("HOME"), () => Deno.readDir("/").next()];
  const got = [];
  for (const attempt of tries) try { got.push(String(await attempt()).slice(0, 20)); } catch {}
  return got;
}
export function spins() { for (;;); }
export function native() { return "x".repeat(3e7).split("").sort().join("").indexOf("y"); }
export function bigints() { let n = 3n; for (;;) n *= n; }
export function memory() { const kept = []; for (;;) kept.push(new Uint8Array(1 << 20).fill(1)); }
export function recursion() { const again = () => again() + 1; return again(); }
export function logs() { for (;;) console.log("x".repeat(500)); }
export async function floods() { for (;;) await Promise.allSettled(Array.from({ length: 60 }, () => Deno.readTextFile("gone.txt"))); }
export async function jobs() { for (;;) await null; }
export function output() { return "x".repeat(5e6); }
export async function never() { await new Promise(() => {}); }
export function throws() { throw { get message() { throw this; }, toString() { for (;;); } }; }
export function rejects() { Promise.reject(new Error("unhandled")); return new Promise(() => {}); }
export function timers() { for (let i = 0; i < 1e5; i++) setTimeout(() => {}, 1e6); }
`;

const CANARY = `${PROBE}
export function canary({ nonce }) { return probe(nonce); }
`;

/** Returns the source of a plugin. An edit only changes `version`. */
function edited(version: number): string {
  const ballast = `const BALLAST = Array.from({ length: 2_000 }, (_, index) => ({ index, version: ${version} }));`;
  return `${PROBE}\n${ballast}\nexport function version() { return { version: ${version}, ballast: BALLAST.length }; }\n`;
}

interface Kind {
  readonly name: string;
  readonly copies: number;
  readonly code: string;
}

const KINDS: readonly Kind[] = [
  { name: "good", copies: COPIES, code: GOOD },
  { name: "hostile", copies: COPIES, code: HOSTILE },
  { name: "canary", copies: 1, code: CANARY },
  { name: "edited", copies: COPIES, code: edited(0) },
];

/** Writes all plugins. Their tools are named `<plugin>_<export>`. */
export async function writePlugins(root: string): Promise<void> {
  for (const { name, copies, code } of KINDS) {
    for (let copy = 0; copy < copies; copy++) await writePlugin(root, `${name}${copy}`, code);
  }
}

/** Writes the next version of an edited plugin. */
export async function editPlugin(root: string, copy: number, version: number): Promise<void> {
  await writeFile(join(root, `edited${copy}`, "main.ts"), labelled(`edited${copy}`, edited(version)));
}

/** Writes a version that does not compile. The last valid version must stay in use. */
export async function breakPlugin(root: string, copy: number): Promise<void> {
  await writeFile(join(root, `edited${copy}`, "main.ts"), "export const broken = ;");
}

async function writePlugin(root: string, name: string, code: string): Promise<void> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "main.ts"), labelled(name, code));
  const tools = [...code.matchAll(/export (?:async )?function (\w+)/g)].map(([, tool = ""]) => ({
    name: `${name}_${tool}`,
    export: tool,
    description: "One of the soak's",
    inputSchema: { type: "object" },
    sideEffects: ["files", "escapes"].includes(tool) ? ["read", "write", "network"] : ["read", "network"],
  }));
  const limits = { cpuMs: 100, wallMs: 1_000, memoryBytes: 32 << 20 };
  const permissions = { read: ["$workspace"], write: ["$workspace"], net: true };
  const manifest = { schemaVersion: "1.0", name, version: "1.0.0", description: "For the soak", permissions, tools };
  const isHostile = code === HOSTILE;
  await writeFile(join(folder, "manifest.json"), JSON.stringify(isHostile ? { ...manifest, limits } : manifest));
}

function labelled(name: string, code: string): string {
  return `const LABEL = ${JSON.stringify(name)};\n${code}`;
}
