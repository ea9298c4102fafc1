/** Random permission sets and queries, in the part of the grammar that Deno and bascule share (SPEC PA9). */

import fc from "fast-check";
import type { DenoKind } from "../../manifests/mod.ts";

export const DENO_KINDS: readonly [DenoKind, ...DenoKind[]] = ["read", "write", "net", "env", "sys", "run", "ffi", "import"];

/** One kind of a set, as both write it. */
export interface OracleEntry {
  readonly allow?: boolean | readonly string[];
  readonly deny?: boolean | readonly string[];
  readonly ignore?: boolean | readonly string[];
}

/** A permission set that is valid in `deno.json` and in `manifest.json`. */
export type OraclePolicy = { readonly [K in DenoKind]?: OracleEntry };

/** Argument of `Deno.permissions.querySync`. */
export interface Descriptor {
  readonly name: DenoKind;
  readonly path?: string;
  readonly host?: string;
  readonly variable?: string;
  readonly kind?: string;
  readonly command?: string;
}

/** One process of Deno: a set, the way it is passed, and the queries under it. */
export interface OracleCase {
  readonly by: "flags" | "set";
  readonly policy: OraclePolicy;
  readonly queries: readonly Descriptor[];
}

/** Programs in the folder `bin`, the oracle's PATH. */
export const PROGRAMS = ["tool", "tool2", "other.sh"] as const;

/** Placeholder for the working folder, whose name differs in every run. */
export const FOLDER = "@FOLDER@";

/** Few segments, so that items and queries overlap. */
const segment = fc.constantFrom("a", "b", "ab", "a.b", "c,d", "ü", "a b", ".", "..", "", "bin", "tool");
const segments = fc.array(segment, { maxLength: 5 }).map((parts) => parts.join("/"));
const path = fc.oneof(
  segments.map((text) => `/${text}`),
  segments.map((text) => (text === "" || text.startsWith("/") ? `.${text}` : text)),
  segments.map((text) => `${FOLDER}/${text}`),
);

const port = fc.constantFrom("", "", "", ":80", ":443", ":0", ":080", ":+80", ":65535");
const name = fc
  .array(fc.constantFrom("a", "b", "A", "ab", "a-b", "a_b", "xn--bcher-kva"), { minLength: 1, maxLength: 3 })
  .map((labels) => `${labels.join(".")}.x`)
  .chain((text) => fc.constantFrom(text, text, text, `${text}.`));
const address4 = fc.constantFrom(
  "10.0.0.1",
  "10.0.0.2",
  "10.1.0.1",
  "10.128.0.1",
  "127.0.0.1",
  "0.0.0.0",
  "255.255.255.255",
  "10.0.0.1%eth0",
);
const block = fc.constantFrom(
  "10.0.0.0/8",
  "10.0.0.1/31",
  "10.0.0.0/16",
  "10.128.0.0/9",
  "0.0.0.0/0",
  "10.0.0.1/32",
  "127.0.0.0/08",
  "9.9.9.9/7",
);
const address6 = fc.constantFrom(
  "[::1]",
  "[::]",
  "[fe80::1]",
  "[FE80:0::1%eth0]",
  "[::ffff:10.0.0.1]",
  "[::ffff:a00:1]",
  "[2001:db8::1]",
  "[0:0:0:0:0:0:0:1]",
);
const socket = fc.constantFrom(
  "unix:/run/a.sock",
  "unix:/run/../run//a.sock",
  "unix:/run/b.sock",
  "unix:/run",
  "vsock:1:80",
  "vsock:-1:80",
  "vsock:+1:080",
);
const withPort = (host: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.tuple(host, port).map(([text, tail]) => text + tail);
const hostItem = fc.oneof(
  { arbitrary: withPort(name), weight: 4 },
  { arbitrary: withPort(name.map((text) => `*.${text}`)), weight: 3 },
  { arbitrary: withPort(fc.constantFrom("x", "*.x", "localhost")), weight: 2 },
  { arbitrary: withPort(fc.oneof(address4, block, address6)), weight: 5 },
  { arbitrary: socket, weight: 1 },
);
const hostQuery = fc.oneof(
  { arbitrary: withPort(name), weight: 5 },
  { arbitrary: withPort(fc.constantFrom("x", "localhost")), weight: 1 },
  { arbitrary: withPort(fc.oneof(address4, address6)), weight: 5 },
  { arbitrary: withPort(fc.oneof(block, fc.constantFrom("127.1", "2130706433", "0x7f.0.0.1", "a#b.x"))), weight: 1 },
  { arbitrary: fc.oneof(socket, fc.constantFrom("jsr.io:443", "jsr.io", "esm.sh:443")), weight: 1 },
);

const variable = fc.constantFrom("A", "AB", "ABC", "A_B", "B", "BA", "a", "HOME", "ü");
const variableItem = fc.oneof(
  variable,
  variable.map((text) => `${text}*`),
  fc.constant("*"),
);
const sysKind = fc.constantFrom("hostname", "uid", "gid", "username", "userInfo", "ca", "setuid", "umask", "inspector");

const programPath = fc.constantFrom(`${FOLDER}/bin/tool`, "./bin/tool", "bin/../bin/other.sh", "/no/tool", `${FOLDER}/bin/tool2`, "./tool");
const programItem = fc.oneof(fc.constantFrom(...PROGRAMS), programPath);
const deniedProgram = fc.oneof(programItem, fc.constantFrom("TOOL", "other", "nosuch", `${FOLDER}/bin`, "./bin/", "/no"));
const programQuery = fc.oneof(fc.constantFrom(...PROGRAMS), programPath, fc.constantFrom("nosuch", `${FOLDER}/bin/nosuch`, "./bin/TOOL"));

const ITEMS: Readonly<Record<DenoKind, { readonly allow: fc.Arbitrary<string>; readonly deny: fc.Arbitrary<string> }>> = {
  read: { allow: path, deny: path },
  write: { allow: path, deny: path },
  net: { allow: hostItem, deny: hostItem },
  env: { allow: variableItem, deny: variableItem },
  sys: { allow: sysKind, deny: sysKind },
  run: { allow: programItem, deny: deniedProgram },
  ffi: { allow: path, deny: path },
  import: { allow: hostItem, deny: hostItem },
};

const QUERIES: Readonly<Record<DenoKind, fc.Arbitrary<Descriptor>>> = {
  read: path.map((text) => ({ name: "read", path: text })),
  write: path.map((text) => ({ name: "write", path: text })),
  net: hostQuery.map((host) => ({ name: "net", host })),
  env: fc.oneof(variable, fc.constantFrom("", "A*", "ABCD")).map((text) => ({ name: "env", variable: text })),
  sys: sysKind.map((kind) => ({ name: "sys", kind })),
  run: programQuery.map((command) => ({ name: "run", command })),
  ffi: path.map((text) => ({ name: "ffi", path: text })),
  import: hostQuery.map((host) => ({ name: "import", host })),
};

function entryOf(kind: DenoKind): fc.Arbitrary<OracleEntry> {
  const { allow, deny } = ITEMS[kind];
  const allowed = fc.oneof({ arbitrary: fc.array(allow, { maxLength: 5 }), weight: 5 }, { arbitrary: fc.boolean(), weight: 1 });
  const denied = fc.oneof({ arbitrary: fc.array(deny, { maxLength: 4 }), weight: 8 }, { arbitrary: fc.boolean(), weight: 1 });
  const fields = { allow: allowed, deny: denied, ...((kind === "read" || kind === "env") && { ignore: denied }) };
  // Half of the entries deny nothing: both must agree exactly there.
  return fc.oneof(fc.record({ allow: allowed }), fc.record(fields, { requiredKeys: [] }));
}

const policy: fc.Arbitrary<OraclePolicy> = fc.record(
  Object.fromEntries(DENO_KINDS.map((kind) => [kind, entryOf(kind)])) as { [K in DenoKind]: fc.Arbitrary<OracleEntry> },
  { requiredKeys: [] },
);

const query: fc.Arbitrary<Descriptor> = fc.oneof(
  ...DENO_KINDS.map((kind) => ({ arbitrary: QUERIES[kind], weight: kind === "sys" ? 1 : 3 })),
  { arbitrary: fc.constantFrom(...DENO_KINDS).map((kind): Descriptor => ({ name: kind })), weight: 1 },
);

/** Cases with up to `maxQueries` questions, half as many on average. */
export function oracleCase(maxQueries: number): fc.Arbitrary<OracleCase> {
  return fc.record({
    by: fc.constantFrom("flags", "set"),
    policy,
    queries: fc.array(query, { minLength: 1, maxLength: maxQueries, size: "max" }),
  });
}

/** Replaces the placeholder by the folder's real name. */
export function inFolder<T>(value: T, folder: string): T {
  // Only texts change, so the shape stays.
  return JSON.parse(JSON.stringify(value).replaceAll(FOLDER, folder)) as T;
}
