/** Checks scanned files against the rules of docs/architecture.md. */

import { posix } from "node:path";
import type { SourceFile } from "./source-files.ts";
import { type AmbientUse, type SourceImport, scanSource } from "./source-scan.ts";

/** Imports that each layer may have: the `mod.ts` of these layers, and these packages. */
const LAYERS: Readonly<Record<string, { readonly layers: readonly string[]; readonly packages: readonly string[] }>> = {
  manifests: { layers: [], packages: ["@sinclair/typebox", "semver"] },
  sandbox: {
    layers: ["manifests"],
    packages: [
      "quickjs-emscripten",
      "quickjs-emscripten-core",
      "@jitl/quickjs-wasmfile-release-sync",
      "@jitl/quickjs-ffi-types",
      "amaro",
      "acorn",
      "@jridgewell/sourcemap-codec",
    ],
  },
  host: {
    layers: ["manifests", "sandbox"],
    packages: [
      "@sinclair/typebox",
      "semver",
      "@opentelemetry/api",
      "diff",
      "fflate",
      "yaml",
      "acorn",
      "@sveltejs/acorn-typescript",
      "hono",
      "@modelcontextprotocol/client",
      "@modelcontextprotocol/server",
    ],
  },
};

/** The folders of `host/`, from the lowest to the highest: each imports only those before it, types included. */
export const ROOMS: readonly string[] = [
  "platform",
  "primitives",
  "call",
  "tools",
  "audit",
  "policy",
  "project",
  "capabilities",
  "confirmations",
  "effects",
  "cluster",
  "routes",
  "dispatch",
  "plugins",
  "sources",
  "host",
  "testing",
  "doors",
];

/**
 * The folders of `sandbox/`, by height. `worker/` runs in workers and `pool/` in the host: neither imports the other, and both speak
 * `wire/`. `guest/` runs inside and imports only itself.
 */
export const SANDBOX_HEIGHTS: ReadonlyMap<string, number> = new Map([
  ["wasm", 0],
  ["engine", 1],
  ["image", 2],
  ["wire", 3],
  ["loading", 4],
  ["worker", 5],
  ["pool", 5],
  ["process", 6],
]);

/** The folders of `manifests/`, from the lowest to the highest. */
export const MANIFEST_FOLDERS: readonly string[] = ["text", "permissions", "schema", "legacy", "plugin", "mcp", "project"];

/** The entry of service threads is a file beside the one that names it. */
const ENTRY_FILE = "host/host/service-entry.ts";

/** Imported in `host/platform/` only, besides `node:*`. */
const PLATFORM_PACKAGES: readonly string[] = [
  "@exodus/bytes",
  "@nats-io/jetstream",
  "@nats-io/kv",
  "@nats-io/nkeys",
  "@nats-io/obj",
  "@nats-io/transport-node",
  "chokidar",
  "esbuild",
  "pino",
  "undici",
];

const GUEST_PROTOCOL = "sandbox/guest/call/protocol.ts";

/** Names that are authority, or a clock, or randomness. Only `host/platform/` may reach for them. */
const AMBIENT: ReadonlySet<string> = new Set([
  "process",
  "global",
  "globalThis",
  "self",
  "Deno",
  "Bun",
  "Buffer",
  "require",
  "module",
  "fetch",
  "WebSocket",
  "EventSource",
  "XMLHttpRequest",
  "Worker",
  "BroadcastChannel",
  "localStorage",
  "sessionStorage",
  "navigator",
  "crypto",
  "performance",
  "console",
  "eval",
  "Function",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "clearTimeout",
  "clearInterval",
  "clearImmediate",
  "Date.now",
  "new Date()",
  "Date()",
  "Math.random",
  "AbortSignal.timeout",
  "Atomics.wait",
  "Atomics.waitAsync",
  "import.meta",
]);

/** Files that may use `crypto` for hashing and signature checks, which are pure functions of an ambient name. */
const HASHING_FILES: ReadonlySet<string> = new Set([
  "host/primitives/digest.ts",
  "host/plugins/folder/signature.ts",
  "sandbox/pool/cache-file.ts",
]);

const PROOFS: ReadonlySet<string> = new Set(["provePath", "proveUrl", "proveProgram"]);

/** Returns all violations, one line each: `file:line: problem (advice)`. */
export function architectureViolations(files: readonly SourceFile[]): readonly string[] {
  const known = new Set(files.map((file) => file.path));
  const edges = new Map<string, readonly string[]>();
  const violations: string[] = [];
  for (const file of files) {
    const scan = scanSource(file.text);
    for (const found of scan.imports) violations.push(...checkImport(file.path, found, known));
    for (const use of scan.ambient) violations.push(...checkAmbient(file.path, use));
    edges.set(
      file.path,
      scan.imports.map((found) => resolveImport(file.path, found.specifier)).filter((path) => known.has(path)),
    );
  }
  return [...violations, ...findCycles(edges).map((cycle) => `Import cycle: ${cycle.join(" → ")}`)];
}

function checkImport(from: string, found: SourceImport, known: ReadonlySet<string>): string[] {
  const at = `${from}:${String(found.line)}`;
  if (!found.specifier.startsWith(".")) return checkPackage(from, at, found.specifier);

  const target = resolveImport(from, found.specifier);
  if (!known.has(target) && !/\.(gen\.ts|d\.ts|json)$/.test(target)) {
    return [`${at}: imports "${found.specifier}", which is not a source file of a layer`];
  }
  const violations = checkLayers(from, at, target);
  if (found.names.some((name) => PROOFS.has(name)) && from !== "host/capabilities/checked.ts" && !isPlatform(from)) {
    violations.push(`${at}: makes a proof (only host/capabilities/checked.ts does)`);
  }
  if (found.names.includes("hostPlace") && !/^host\/effects\/(overlay|undo)\//.test(from))
    violations.push(
      `${at}: looks for the host itself (only host/effects/overlay/ and host/effects/undo/ do; ask the grant with checkPath)`,
    );
  return violations;
}

function checkLayers(from: string, at: string, target: string): string[] {
  if (isGuest(from)) return isGuest(target) ? [] : [`${at}: the guest imports "${target}" (only sandbox/guest/ runs inside)`];
  const [own, other] = [layerOf(from), layerOf(target)];
  if (own === other) return CHECKS_WITHIN[own]?.(from, at, target) ?? [];
  if (!LAYERS[own]?.layers.includes(other)) return [`${at}: ${own} imports "${target}" (it may import ${allowedLayers(own)})`];
  if (target === `${other}/mod.ts` || isWorkerEntry(from, target)) return [];
  return [`${at}: reaches past ${other}/mod.ts to "${target}" (import ${other}/mod.ts)`];
}

const CHECKS_WITHIN: Readonly<Record<string, (from: string, at: string, target: string) => string[]>> = {
  host: checkRooms,
  sandbox: checkSides,
  manifests: checkManifestFolders,
};

function checkManifestFolders(from: string, at: string, target: string): string[] {
  const [own, other] = [MANIFEST_FOLDERS.indexOf(roomOf(from)), MANIFEST_FOLDERS.indexOf(roomOf(target))];
  if (own === -1 || (other !== -1 && other <= own)) return [];
  return [`${at}: manifests/${roomOf(from)} imports "${target}", which is above it`];
}

function checkRooms(from: string, at: string, target: string): string[] {
  if (from === "host/mod.ts") return [];
  const [own, other] = [roomOf(from), roomOf(target)];
  if (!ROOMS.includes(own)) return [`${at}: "${own}" is not a room of host/ (add it to ROOMS, at its height)`];
  if (ROOMS.indexOf(other) <= ROOMS.indexOf(own) && ROOMS.includes(other)) return [];
  return [`${at}: host/${own} imports "${target}", which is above it (move what it needs down, or hand it in)`];
}

function checkSides(from: string, at: string, target: string): string[] {
  const [own, other] = [roomOf(from), roomOf(target)];
  if (own === "mod.ts" || own === other || target.endsWith(".d.ts")) return [];
  // The words of the calls between host and guest are types.
  if (target === GUEST_PROTOCOL) return [];
  const [height, below] = [SANDBOX_HEIGHTS.get(own), SANDBOX_HEIGHTS.get(other)];
  if (height === undefined) return [`${at}: "${own}" is not a folder of sandbox/ (add it to SANDBOX_HEIGHTS)`];
  if (below !== undefined && below < height) return [];
  return [`${at}: sandbox/${own} imports "${target}" (worker/ and pool/ meet in wire/ only; nothing imports a folder above it)`];
}

/** The folder below `host/`; a file's name for `host/mod.ts`. */
function roomOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** Files that start and enter a worker pass port, clock and waits to sandbox/worker/, which is not part of the public interface. */
function isWorkerEntry(from: string, target: string): boolean {
  return /^host\/platform\/threads\/(worker-(node|deno)|workers)\.ts$/.test(from) && /^sandbox\/(worker|wire)\//.test(target);
}

function checkPackage(from: string, at: string, specifier: string): string[] {
  const isPlatformOnly = specifier.startsWith("node:") || PLATFORM_PACKAGES.includes(packageName(specifier));
  if (isPlatformOnly) return isPlatform(from) ? [] : [`${at}: imports "${specifier}" (only host/platform/ may)`];
  if (isGuest(from)) return [`${at}: the guest imports "${specifier}" (nothing is installed inside)`];
  const own = layerOf(from);
  if (LAYERS[own]?.packages.includes(packageName(specifier))) return [];
  return [`${at}: ${own} imports "${specifier}" (it may import ${LAYERS[own]?.packages.join(", ") ?? "nothing"})`];
}

function checkAmbient(from: string, use: AmbientUse): string[] {
  if (!AMBIENT.has(use.name) || isPlatform(from) || isGuest(from)) return [];
  if (use.name === "crypto" && HASHING_FILES.has(from)) return [];
  if (use.name === "import.meta" && from === ENTRY_FILE) return [];
  return [`${from}:${String(use.line)}: uses ambient "${use.name}" (ask the platform, host/platform/platform.ts)`];
}

/** Returns the import cycles among these files, one line each. */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const known = new Set(files.map((file) => file.path));
  const importsOf = ({ path, text }: SourceFile): readonly string[] =>
    scanSource(text)
      .imports.map((found) => resolveImport(path, found.specifier))
      .filter((target) => known.has(target));
  return findCycles(new Map(files.map((file) => [file.path, importsOf(file)]))).map((cycle) => `Import cycle: ${cycle.join(" → ")}`);
}

/** Returns each import cycle once, as its paths. Type-only imports count. */
function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  for (const start of edges.keys()) follow(start, []);
  return cycles;

  function follow(path: string, trail: readonly string[]): void {
    const seenAt = trail.indexOf(path);
    if (seenAt !== -1) cycles.push([...trail.slice(seenAt), path]);
    if (seenAt !== -1 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) follow(next, [...trail, path]);
    done.add(path);
  }
}

function resolveImport(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function layerOf(path: string): string {
  return path.slice(0, path.indexOf("/"));
}

function allowedLayers(layer: string): string {
  return LAYERS[layer]?.layers.map((name) => `${name}/mod.ts`).join(", ") || "no other layer";
}

function isPlatform(path: string): boolean {
  return path.startsWith("host/platform/");
}

function isGuest(path: string): boolean {
  return path.startsWith("sandbox/guest/");
}
