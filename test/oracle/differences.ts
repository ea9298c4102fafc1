/**
 * Intended differences between bascule and Deno, by name. `docs/permissions.md` has a row for each, `differences.test.ts` shows
 * each with the binary. A difference without a name is a defect.
 */

import { canonicalHost } from "../../manifests/mod.ts";
import { createBasculeOracle, subjectOf } from "./bascule-answer.ts";
import type { Answer } from "./deno-answer.ts";
import { type Descriptor, type OracleEntry, type OraclePolicy, PROGRAMS } from "./policy.ts";

/** One query with two different answers. */
export interface Disagreement {
  readonly policy: OraclePolicy;
  readonly descriptor: Descriptor;
  readonly deno: Answer;
  readonly bascule: Answer;
  readonly folder: string;
}

export interface Difference {
  readonly id: string;
  readonly explains: (disagreement: Disagreement) => boolean;
}

/** Intended differences of decisions. */
export const DIFFERENCES: readonly Difference[] = [
  { id: "run-list-undoes-deny-write", explains: isUndoneDenial },
  { id: "run-names-protect-every-file", explains: isProgramToWrite },
  { id: "run-denials-are-broad", explains: (it) => it.descriptor.name === "run" && stateOf(it.bascule) === "denied" && isDenied(it) },
  { id: "run-names-are-not-looked-up", explains: isProgramByAnotherName },
  { id: "host-spelling", explains: (it) => isHost(it) && isOtherSpelling(subjectOf(it.descriptor) ?? "") },
  { id: "deny-is-absolute", explains: (it) => states(it) === "granted/denied" && isDenied(it) },
  {
    id: "net-part",
    explains: (it) => isHost(it) && states(it) === "granted/granted" && isPartial(it.bascule) && hasDenials(entryOf(it)),
  },
  { id: "import-default-hosts", explains: isDefaultImport },
];

/** Returns the name of the difference; undefined for a defect. */
export function nameDifference(disagreement: Disagreement): string | undefined {
  return DIFFERENCES.find(({ explains }) => explains(disagreement))?.id;
}

/** Deno's own oddities, which no decision of bascule depends on. They are counted, so that a fix in Deno is noticed. */
export function nameOddity({ policy, descriptor, deno, folder }: Omit<Disagreement, "bascule">): string | undefined {
  const { name, path } = descriptor;
  if (path === undefined || (name !== "read" && name !== "write" && name !== "ffi")) return undefined;
  const entry = policy[name] ?? {};
  if (typeof entry.allow !== "object") return undefined;
  const [allowed, denied] = [
    longestMatch(name, entry.allow, path, folder),
    longestMatch(name, listOf(entry.deny, entry.ignore), path, folder),
  ];
  if (allowed === -1 || denied === -1) return undefined;
  const expected = allowed > denied ? "granted" : "denied";
  return stateOf(deno) === expected ? undefined : `path-list-order (${stateOf(deno)}, the most specific item says ${expected})`;
}

function states({ deno, bascule }: Disagreement): string {
  return `${stateOf(deno)}/${stateOf(bascule)}`;
}

function stateOf(answer: Answer): string {
  return "state" in answer ? answer.state : answer.error;
}

function isPartial(answer: Answer): boolean {
  return "state" in answer && answer.partial;
}

function entryOf({ policy, descriptor }: Disagreement): OracleEntry {
  return policy[descriptor.name] ?? {};
}

function hasDenials({ deny = [], ignore = [] }: OracleEntry): boolean {
  return deny === true || ignore === true || listOf(deny, ignore).length > 0;
}

/** Returns true if the denials alone deny it, so that bascule denies it whatever is allowed. */
function isDenied(it: Disagreement): boolean {
  const entry = entryOf(it);
  const protectsPrograms = it.descriptor.name === "write" && listOf(it.policy.run?.allow).length > 0;
  if (!hasDenials(entry) && !protectsPrograms) return false;
  const everything = { ...it.policy, [it.descriptor.name]: { ...entry, allow: true } };
  return stateOf(createBasculeOracle(everything, it.folder)(it.descriptor)) === "denied";
}

function isDeniedWithoutPrograms(it: Disagreement): boolean {
  const { run: _run, ...policy } = it.policy;
  return isDenied({ ...it, policy });
}

/** Deno looks names up in PATH, bascule does not: `tool` is not `/bin/tool`. */
function isProgramByAnotherName(it: Disagreement): boolean {
  const asked = it.descriptor.command;
  if (asked === undefined || states(it) !== "granted/prompt") return false;
  return listOf(entryOf(it).allow).some(
    (item) => item.includes("/") !== asked.includes("/") && lookUp(item, it.folder) === lookUp(asked, it.folder),
  );
}

/** A program allowed by name: Deno protects one file from writing, bascule every file of that name. */
function isProgramToWrite(it: Disagreement): boolean {
  const names = listOf(it.policy.run?.allow).filter((item) => !item.includes("/"));
  if (it.descriptor.name !== "write" || names.length === 0) return false;
  const isStricter = stateOf(it.bascule) === "denied" && stateOf(it.deno) !== "denied" && isDenied(it) && !isDeniedWithoutPrograms(it);
  // Differs in part, because Deno knows the program's folder. Deno also denies paths below the program, where no file can exist.
  const isAbove = states(it) === "granted/granted" && isPartial(it.deno) && !isPartial(it.bascule);
  const asked = absolute(it.descriptor.path ?? "/", it.folder);
  const isBelow = stateOf(it.deno) === "denied" && names.some((name) => asked.startsWith(`${lookUp(name, it.folder)}/`));
  return isStricter || isAbove || isBelow;
}

/** `--deny-write` means everything until `--allow-run=tool` adds its program, which Deno then treats as a list. */
function isUndoneDenial(it: Disagreement): boolean {
  const isProgramAllowed = listOf(it.policy.run?.allow).length > 0;
  return it.descriptor.name === "write" && stateOf(it.bascule) === "denied" && entryOf(it).deny === true && isProgramAllowed;
}

const IMPORT_HOSTS = ["jsr.io:443", "deno.land:443", "esm.sh:443"];

function isDefaultImport(it: Disagreement): boolean {
  const { allow = false } = entryOf(it);
  const allowsNothing = allow === false || (typeof allow === "object" && allow.length === 0);
  return (
    it.descriptor.name === "import" &&
    allowsNothing &&
    states(it) === "granted/prompt" &&
    IMPORT_HOSTS.includes(subjectOf(it.descriptor) ?? "")
  );
}

function isHost({ descriptor }: Disagreement): boolean {
  return descriptor.name === "net" || descriptor.name === "import";
}

/** A host that a URL reads as an address, or that is not valid in a URL: Deno compares the text. */
function isOtherSpelling(text: string): boolean {
  const host = text.replace(/:[+0-9]*$/, "");
  const canonical = canonicalHost(host);
  return canonical === undefined ? /^[\w.#-]+$/.test(host) : /^[\d.]+$/.test(canonical) && canonical !== host && !/[[%]/.test(host);
}

function listOf(...parts: readonly (boolean | readonly string[] | undefined)[]): readonly string[] {
  return parts.flatMap((part) => (typeof part === "object" ? part : []));
}

function lookUp(program: string, folder: string): string {
  const path = PROGRAMS.some((known) => known === program) ? `${folder}/bin/${program}` : program;
  return absolute(path, folder);
}

function longestMatch(kind: "read" | "write" | "ffi", items: readonly string[], path: string, folder: string): number {
  const matching = items.filter((item) => "state" in answerUnder({ [kind]: { allow: [item] } }, { name: kind, path }, folder));
  return Math.max(
    -1,
    ...matching.map(
      (item) =>
        absolute(item, folder)
          .split("/")
          .filter((part) => part !== "").length,
    ),
  );
}

function answerUnder(policy: OraclePolicy, descriptor: Descriptor, folder: string): Answer | { readonly no: true } {
  const answer = createBasculeOracle(policy, folder)(descriptor);
  return stateOf(answer) === "granted" ? answer : { no: true };
}

function absolute(path: string, folder: string): string {
  const kept: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `/${kept.join("/")}`;
}
