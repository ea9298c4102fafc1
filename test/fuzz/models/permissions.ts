/** Permissions: narrowing never widens, denials are absolute, and paths match as in a second matcher. */

import fc from "fast-check";
import {
  type AccessQuery,
  type AccessState,
  compilePermissions,
  evaluateAccess,
  isWider,
  type PermissionEntry,
  type PermissionLayer,
  type Permissions,
} from "../../../manifests/mod.ts";
import { model, type Model } from "./model.ts";

const BASES = { base: "/p", plugin: "/p", workspace: "/w" };
const NAMES = ["a", "b", "ab", ".env", "x.ts"];
const RANK: Readonly<Record<AccessState, number>> = { denied: 0, prompt: 1, granted: 2 };

const segment = fc.constantFrom(...NAMES, "*", "a*", "?", "*.ts", "**");
const pathItem = fc
  .tuple(fc.constantFrom("/", "$workspace/", "$plugin/", "/w/", ""), fc.array(segment, { minLength: 1, maxLength: 4 }))
  .filter(([, segments]) => segments.filter((one) => one === "**").length <= 2)
  .map(([head, segments]) => head + segments.join("/"));
const netItem = fc.constantFrom("a.test", "*.a.test", "b.test:443", "10.0.0.0/8", "10.1.2.3", "[::1]", "localhost", "*.test:80");
const envItem = fc.constantFrom("A", "A*", "AB", "PATH", "A_B*");
const itemOf = { read: pathItem, write: pathItem, net: netItem, env: envItem } as const;

const list = (item: fc.Arbitrary<string>): fc.Arbitrary<boolean | string[]> =>
  fc.oneof({ weight: 1, arbitrary: fc.boolean() }, { weight: 4, arbitrary: fc.array(item, { maxLength: 3 }) });
const entry = (item: fc.Arbitrary<string>): fc.Arbitrary<PermissionEntry> =>
  fc.record({ allow: list(item), deny: list(item) }, { requiredKeys: ["allow"] });
const permissions: fc.Arbitrary<Permissions> = fc.record(
  { read: entry(itemOf.read), write: entry(itemOf.write), net: entry(itemOf.net), env: entry(itemOf.env) },
  { requiredKeys: [] },
);

const path = fc
  .tuple(fc.constantFrom("/w/", "/p/", "/"), fc.array(fc.constantFrom(...NAMES, "abc", ".."), { maxLength: 5 }))
  .map(([head, segments]) => head + segments.join("/"));
const query: fc.Arbitrary<AccessQuery> = fc.oneof(
  fc.record({ kind: fc.constantFrom("read" as const, "write" as const), path }),
  fc.record({
    kind: fc.constant("net" as const),
    host: fc.constantFrom("a.test", "x.a.test", "b.test", "10.1.2.3", "10.9.9.9", "::1", "localhost", "xa.test"),
    port: fc.constantFrom(80, 443),
  }),
  fc.record({ kind: fc.constant("env" as const), name: fc.constantFrom("A", "AB", "A_B", "A_BC", "PATH", "B") }),
);

function layerOf(source: Permissions, unnamed: PermissionLayer["unnamed"] = "none"): PermissionLayer {
  return { name: "layer", permissions: compilePermissions(source, BASES), unnamed, otherwise: "prompt" };
}

function rank(layers: readonly PermissionLayer[], asked: AccessQuery): number {
  return RANK[evaluateAccess(layers, asked).state];
}

export const permissionModels: readonly Model[] = [
  model(
    "permissions: an additional layer never widens, whatever it contains and at any position [PA3.layers]",
    fc.tuple(fc.array(permissions, { minLength: 1, maxLength: 3 }), permissions, fc.boolean(), fc.nat(3), query),
    ([sources, more, isPolicy, at, asked]) => {
      const layers = sources.map((source) => layerOf(source));
      const longer = layers.toSpliced(at, 0, layerOf(more, isPolicy ? "transparent" : "none"));
      return rank(longer, asked) <= rank(layers, asked);
    },
  ),
  model(
    "permissions: an additional denial, or one allowance less, never widens [PA3.deny]",
    fc.tuple(permissions, fc.constantFrom("read" as const, "write" as const, "net" as const, "env" as const), fc.nat(), query),
    ([source, kind, which, asked]) => {
      const held = source[kind];
      if (typeof held !== "object" || Array.isArray(held) || !("allow" in held)) return true;
      const allow = Array.isArray(held.allow)
        ? held.allow.toSpliced(which % (held.allow.length + 1), 1)
        : held.allow === true
          ? []
          : held.allow;
      const extra = which % 2 === 0 ? "/w/a" : "*.ts";
      const deny = kind === "read" || kind === "write" ? [...(Array.isArray(held.deny) ? held.deny : []), extra] : held.deny;
      const denied = held.deny === true ? true : deny;
      const narrower = { ...source, [kind]: { allow, ...(denied === undefined ? {} : { deny: denied }) } };
      return rank([layerOf(narrower)], asked) <= rank([layerOf(source)], asked);
    },
  ),
  model(
    "permissions: a set that is not wider grants nothing that the other set did not [H6.wider]",
    fc.tuple(permissions, permissions, query),
    ([before, after, asked]) => isWider(before, after, BASES) || rank([layerOf(after)], asked) <= rank([layerOf(before)], asked),
  ),
  model(
    "permissions: paths match as in a matcher made of regular expressions, and a denial is absolute [PA2.paths] [PA3.deny]",
    fc.tuple(entry(pathItem), path),
    ([held, asked]) => {
      const place = `/${fold(asked).join("/")}`;
      const hits = (items: PermissionEntry["allow"], below: boolean): boolean =>
        items === true || (Array.isArray(items) && items.some((item) => typeof item === "string" && toRegExp(item, below).test(place)));
      const expected = hits(held.deny, true) ? "denied" : hits(held.allow, false) ? "granted" : "prompt";
      const { state } = evaluateAccess([layerOf({ read: held })], { kind: "read", path: asked });
      if (state !== expected) throw new Error(`${place} is ${state} instead of ${expected}`);
    },
  ),
];

function fold(text: string): string[] {
  const kept: string[] = [];
  for (const part of text.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return kept;
}

/**
 * Builds the expression. A literal includes everything below it, and so does a trailing `**`. Other patterns match whole paths; in a
 * denial, also everything below.
 */
function toRegExp(item: string, below: boolean): RegExp {
  const absolute = item.startsWith("$workspace/")
    ? `/w/${item.slice(11)}`
    : item.startsWith("$plugin/")
      ? `/p/${item.slice(8)}`
      : item.startsWith("/")
        ? item
        : `/p/${item}`;
  const segments = fold(absolute);
  const isLiteral = !segments.some((one) => /[*?]/.test(one));
  const trailing = segments.slice(segments.findIndex((one) => /[*?]/.test(one)));
  if (isLiteral) return new RegExp(`^${segments.map((one) => `/${quote(one)}`).join("")}(/|$)`);
  // A pattern of only "**" is the folder before it.
  if (trailing.every((one) => one === "**"))
    return new RegExp(
      `^${segments
        .slice(0, -trailing.length)
        .map((one) => `/${quote(one)}`)
        .join("")}(/|$)`,
    );
  const source = segments
    .map((one) => (one === "**" ? "(?:/[^/]+)*" : `/(?!$)${quote(one).replaceAll("\\*", "[^/]*").replaceAll("\\?", "[^/]")}`))
    .join("");
  return new RegExp(`^${source}${below ? "(/|$)" : "$"}`);
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
