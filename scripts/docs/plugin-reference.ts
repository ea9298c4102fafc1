/** Reference of the APIs inside a plugin, from the types that bascule generates for one. */

import { pluginTypes, GLOBALS_FILE, TYPES_FILE } from "../../host/plugins/types/plugin-types.ts";
import { type JsonObject, parseManifest, PERMISSION_KINDS, type PermissionKind, problemToText } from "../../manifests/mod.ts";
import { type Declaration, declarationsIn, type Member } from "./declarations.ts";
import { declarationText, memberText } from "./library-reference.ts";
import type { Page, Section } from "./pages.ts";

/** Types of a plugin that requests some kinds of permission. */
interface Types {
  readonly module: readonly Declaration[];
  readonly globals: readonly Declaration[];
  readonly deno: readonly Declaration[];
}

export function readPluginReference(): Section {
  const all = typesFor(PERMISSION_KINDS);
  const needs = permissionsOf(all);
  const pages = [contextPage(all, needs), denoPage(all, needs), webPage(all)];
  return { title: "Inside a plugin", pages };
}

function contextPage({ module }: Types, needs: ReadonlyMap<string, string>): Page {
  const described = module.filter(({ name }) => !["TOOL_OUTPUT", "Settings"].includes(name));
  const texts = described.map((declaration) => withNeeds(declaration, needs));
  const intro = [
    "# The context",
    "Every tool gets it as its second argument. `bascule types` writes these types into `bascule.d.ts` beside the manifest, with exactly the members that the",
    "manifest's permissions allow.",
  ];
  const example = [
    "```ts",
    'import type { Context, CountArgs } from "./bascule.d.ts";',
    "",
    "export async function count({ path }: CountArgs, context: Context): Promise<number> {",
    "  const text = await context.workspace.read(path);",
    "  return text.length;",
    "}",
    "```",
  ];
  return pageOf("context", {
    label: "The context",
    about: "The second argument of every tool",
    markdown: [intro.join("\n"), example.join("\n"), ...texts].join("\n\n"),
  });
}

function denoPage({ deno }: Types, needs: ReadonlyMap<string, string>): Page {
  const named = (kinds: readonly string[]): readonly Declaration[] => deno.filter(({ kind }) => kinds.includes(kind));
  const functions = grouped(named(["function"]));
  const parts = [
    "# The Deno namespace",
    "Parts of Deno that exist in the sandbox, with Deno's own types. A function exists in the types if the manifest requests its permission. Without a grant it rejects\nwith `Deno.errors.NotCapable`.",
    "## Functions",
    ...functions.map((overloads) => functionText(overloads, needs)),
    "## Values",
    ...named(["value"]).map((one) => codeText(one)),
    "## Types",
    ...named(["interface", "class", "type"]).map((one) => declarationText(one, 3)),
  ];
  return pageOf("deno", { label: "The Deno namespace", about: "Files, environment and errors, as in Deno", markdown: parts.join("\n\n") });
}

function webPage({ globals }: Types): Page {
  const shown = globals.filter(({ name }) => name !== "Deno");
  const functions = grouped(shown.filter(({ kind }) => kind === "function"));
  const parts = [
    "# Web APIs",
    "Globals of the sandbox, as in browsers and in Deno. [Compatibility](../compatibility.md) has the results of the suites that test them. `fetch` needs `net`. `bascule types` writes these types into `bascule-globals.d.ts`.",
    "## Functions",
    ...functions.map((overloads) => `\`\`\`ts\n${overloads.map(({ code }) => bare(code)).join("\n")}\n\`\`\``),
    ...shown.filter(({ kind }) => kind === "class").map(wholeText),
  ];
  return pageOf("web", { label: "Web APIs", about: "`fetch`, streams, crypto, events and more", markdown: parts.join("\n\n") });
}

/** A class of a standard: all members in one block. */
function wholeText({ name, code, members }: Declaration): string {
  const lines = members.map((member) => `  ${member.code.replaceAll("\n", "\n  ")};`);
  return `## ${name}\n\n\`\`\`ts\n${bare(code)} {\n${lines.join("\n")}\n}\n\`\`\``;
}

function bare(code: string): string {
  return code.replace(/^declare /, "");
}

function pageOf(name: string, rest: Pick<Page, "label" | "about" | "markdown">): Page {
  return { source: `docs/plugin-api/${name}.md`, path: `plugin-api/${name}.html`, ...rest };
}

function withNeeds(declaration: Declaration, needs: ReadonlyMap<string, string>): string {
  const { name, members } = declaration;
  const bare = declarationText({ ...declaration, members: [] }, 2);
  return [bare, ...members.map((member) => memberText(name, member, needs.get(`${name}.${member.name}`)))].join("\n\n");
}

/** Overloads of one function are one entry. */
function functionText(overloads: readonly Declaration[], needs: ReadonlyMap<string, string>): string {
  const [first] = overloads;
  if (first === undefined) return "";
  const doc = overloads.find((one) => one.doc.text !== "")?.doc ?? first.doc;
  const member: Member = { name: first.name, code: overloads.map(({ code }) => bare(code)).join("\n"), doc };
  return memberText("Deno", member, needs.get(`Deno.${first.name}`));
}

function codeText({ name, code, doc }: Declaration): string {
  return memberText("Deno", { name, code: bare(code), doc });
}

function grouped(declarations: readonly Declaration[]): readonly (readonly Declaration[])[] {
  return [...Map.groupBy(declarations, ({ name }) => name).values()];
}

/** Finds the permissions that each member needs, by generating the types of plugins that request less. */
function permissionsOf(all: Types): ReadonlyMap<string, string> {
  const base = new Set(memberNames(typesFor([])));
  const single = new Map(PERMISSION_KINDS.map((kind) => [kind, new Set(memberNames(typesFor([kind])))]));
  const found = new Map<string, string>();
  for (const name of memberNames(all)) {
    if (base.has(name)) continue;
    const kinds = PERMISSION_KINDS.filter((kind) => single.get(kind)?.has(name));
    const text = kinds.map((kind) => `\`${kind}\``).join(" or ");
    found.set(name, kinds.length === 0 ? "Needs `read` and `write`." : `Needs ${text}.`);
  }
  return found;
}

function memberNames({ module, deno }: Types): readonly string[] {
  const ofModule = module.flatMap(({ name, members }) => members.map((member) => `${name}.${member.name}`));
  return [...ofModule, ...deno.map(({ name }) => `Deno.${name}`)];
}

/** Permissions of each kind that a plugin can request. */
const REQUESTS: ReadonlyMap<PermissionKind, readonly string[]> = new Map([
  ["read", ["$workspace", "$data"]],
  ["write", ["$workspace", "$data"]],
  ["net", ["example.org"]],
  ["env", ["NAME"]],
  ["sys", ["hostname"]],
  ["run", ["git"]],
  ["import", ["jsr.io"]],
  ["tools", ["example"]],
  ["mcp", ["example"]],
]);

function typesFor(kinds: readonly PermissionKind[]): Types {
  const permissions: JsonObject = Object.fromEntries(
    kinds.flatMap((kind) => (REQUESTS.has(kind) ? [[kind, REQUESTS.get(kind) ?? []]] : [])),
  );
  const about = { schemaVersion: "1.0", name: "example", version: "1.0.0", description: "An example", toolsFrom: "code", tools: [] };
  const parsed = parseManifest(JSON.stringify({ ...about, permissions }), {});
  if (!parsed.ok) throw new Error(`The example's manifest is invalid: ${parsed.problems.map(problemToText).join("; ")}`);
  const texts = pluginTypes(parsed.value);
  const globals = texts.get(GLOBALS_FILE) ?? "";
  const [, deno = ""] = /^declare namespace Deno \{\n([\s\S]*)^\}/m.exec(globals) ?? [];
  const inside = deno.replaceAll(/^ {2}/gm, "");
  return {
    module: declarationsIn(TYPES_FILE, texts.get(TYPES_FILE) ?? ""),
    globals: declarationsIn(GLOBALS_FILE, globals),
    deno: declarationsIn(GLOBALS_FILE, inside.replaceAll(/^(?=const|function|class)/gm, "declare ")),
  };
}
