/** Writes the tools of the code into the text of a manifest, and keeps everything else as it is written. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, TOOL_FIELDS } from "../../../manifests/mod.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import { itemsAt, type MemberSpan, membersAt, type Span } from "./json-spans.ts";
import type { CodeTool } from "./code-tool.ts";

/** The edited text, and what changed, in words: `shout: inputSchema`, `added whisper`. */
export interface ManifestEdit {
  readonly text: string;
  readonly changes: readonly string[];
  /** The code's tool for each entry of `tools`; undefined for an entry of another module, which stays as it is. */
  readonly sources: readonly (CodeTool | undefined)[];
}

/** Field that says that the code declares the tools. */
export const TOOLS_FROM = "toolsFrom";

const WIDTH = 120;

/** @param text a valid JSON text of `manifest` @param main normalized path of the main module */
export function editManifest(text: string, manifest: JsonObject, tools: readonly CodeTool[], main: string): ManifestEdit {
  const members = membersAt(text, text.indexOf("{"));
  const style = styleOf(text, members);
  const list = members.find(({ key }) => key === "tools");
  const given = manifest["tools"];
  const spans = list !== undefined && Array.isArray(given) ? itemsAt(text, list.value.start) : [];
  const present = (Array.isArray(given) ? given : []).map((entry: JsonValue, index): Entry => ({ entry, span: spans[index] }));
  const changes: string[] = [];
  const left = new Set(tools);
  const written: string[] = [];
  const sources: (CodeTool | undefined)[] = [];
  for (const { entry, span } of present) {
    const tool = tools.find((one) => left.has(one) && isSame(one, entry, main));
    if (tool === undefined && isOfMain(entry, main)) {
      changes.push(`removed ${nameOf(entry)}`);
      continue;
    }
    if (tool !== undefined) left.delete(tool);
    sources.push(tool);
    const old = span === undefined ? "" : text.slice(span.start, span.end);
    written.push(tool === undefined || !isJsonObject(entry) ? old : changedEntry({ old, entry, tool }, style, changes));
  }
  for (const tool of left) {
    const fields: JsonObject = {
      sideEffects: [],
      ...tool.fields,
      name: tool.name ?? tool.export,
      ...(tool.name !== undefined && { export: tool.export }),
    };
    const ordered = Object.fromEntries(TOOL_FIELDS.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]])));
    changes.push(`added ${nameOf(ordered)}`);
    written.push(expanded(ordered, style.unit.repeat(2), style));
    sources.push(tool);
  }
  const opted = manifest[TOOLS_FROM] === "code" ? [] : [`"${TOOLS_FROM}": "code"`];
  if (opted.length > 0) changes.unshift(`${TOOLS_FROM}: code`);
  if (changes.length === 0) return { text, changes, sources };
  const inner = style.unit.repeat(2);
  const array =
    written.length === 0
      ? "[]"
      : `[${style.newline}${written.map((entry) => `${inner}${entry}`).join(`,${style.newline}`)}${style.newline}${style.unit}]`;
  const isUnchanged = list !== undefined && Array.isArray(given) && changes.length === opted.length;
  return { text: withMembers(text, { list, array: isUnchanged ? undefined : array, opted: opted[0] }, members, style), changes, sources };
}

interface Entry {
  readonly entry: JsonValue;
  readonly span: Span | undefined;
}

interface Style {
  readonly unit: string;
  readonly newline: string;
}

/** An entry without a name of its own keeps the one of the manifest, so that a tool can be renamed there. */
function isSame(tool: CodeTool, entry: JsonValue, main: string): boolean {
  if (!isJsonObject(entry) || !isOfMain(entry, main)) return false;
  return (entry["export"] ?? entry["name"]) === tool.export || entry["name"] === tool.name;
}

function isOfMain(entry: JsonValue, main: string): boolean {
  const module = isJsonObject(entry) ? entry["module"] : undefined;
  return module === undefined || (typeof module === "string" && module.replace(/^\.\//u, "") === main);
}

function nameOf(entry: JsonValue): string {
  const name = isJsonObject(entry) ? entry["name"] : undefined;
  return typeof name === "string" ? name : "a tool without a name";
}

/** Replaces the fields that differ. A field that the code does not declare keeps its value. */
function changedEntry(
  { old, entry, tool }: { readonly old: string; readonly entry: JsonObject; readonly tool: CodeTool },
  style: Style,
  changes: string[],
): string {
  const indent = style.unit.repeat(3);
  const wanted: JsonObject = {
    ...tool.fields,
    ...(tool.name !== undefined && { name: tool.name, export: tool.export }),
    ...(entry["sideEffects"] === undefined && tool.fields["sideEffects"] === undefined && { sideEffects: [] }),
  };
  const differing = Object.keys(wanted).filter((key) => !equalJson(wanted[key] ?? null, entry[key] ?? null));
  if (differing.length === 0) return old;
  changes.push(`${nameOf(entry)}: ${differing.join(", ")}`);
  const parts = membersAt(old, 0).map(({ key, start, value, end }) => {
    const text = differing.includes(key)
      ? `${old.slice(start, value.start)}${format(wanted[key] ?? null, indent, key, style)}`
      : old.slice(start, end);
    return { key, text };
  });
  for (const key of differing) {
    if (Object.hasOwn(entry, key)) continue;
    const before = TOOL_FIELDS.slice(0, TOOL_FIELDS.indexOf(key));
    const index = parts.findLastIndex((part) => before.includes(part.key));
    parts.splice(index + 1, 0, { key, text: `${JSON.stringify(key)}: ${format(wanted[key] ?? null, indent, key, style)}` });
  }
  const lines = parts.map(({ text }) => `${indent}${text}`).join(`,${style.newline}`);
  return `{${style.newline}${lines}${style.newline}${style.unit.repeat(2)}}`;
}

function withMembers(
  text: string,
  { list, array, opted }: { readonly list: MemberSpan | undefined; readonly array: string | undefined; readonly opted: string | undefined },
  members: readonly MemberSpan[],
  { unit, newline }: Style,
): string {
  const last = members.at(-1);
  let edited = text;
  if (list === undefined && array !== undefined && last !== undefined) {
    const marker = opted === undefined ? "" : `,${newline}${unit}${opted}`;
    return `${text.slice(0, last.end)}${marker},${newline}${unit}"tools": ${array}${text.slice(last.end)}`;
  }
  if (list === undefined) return text;
  if (array !== undefined) edited = `${text.slice(0, list.value.start)}${array}${text.slice(list.value.end)}`;
  return opted === undefined ? edited : `${edited.slice(0, list.start)}${opted},${newline}${unit}${edited.slice(list.start)}`;
}

function styleOf(text: string, [first]: readonly MemberSpan[]): Style {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lead = first === undefined ? "" : (/\n([ \t]+)$/u.exec(text.slice(0, first.start))?.[1] ?? "");
  return { unit: lead === "" ? "  " : lead, newline };
}

/** On one line if it fits after its key. */
function format(value: JsonValue, indent: string, key: string, style: Style): string {
  const line = oneLine(value);
  const lead = indent.length + (key === "" ? 0 : JSON.stringify(key).length + ": ".length);
  return lead + line.length <= WIDTH ? line : expanded(value, indent, style);
}

/** Over several lines, unless it is empty or a scalar. */
function expanded(value: JsonValue, indent: string, style: Style): string {
  const inner = `${indent}${style.unit}`;
  const end = `${style.newline}${indent}`;
  const separator = `,${style.newline}${inner}`;
  if (isJsonArray(value) && value.length > 0)
    return `[${style.newline}${inner}${value.map((item) => format(item, inner, "", style)).join(separator)}${end}]`;
  if (!isJsonObject(value) || Object.keys(value).length === 0) return oneLine(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${format(member, inner, key, style)}`);
  return `{${style.newline}${inner}${members.join(separator)}${end}}`;
}

function oneLine(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${oneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
