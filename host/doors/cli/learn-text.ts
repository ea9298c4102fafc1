/** Formats the result of `bascule learn`. All texts from a plugin are made inert. */

import type { RecordedActs } from "../../audit/acts.ts";
import type { Learned, LearnedLine } from "../../plugins/learn/learn.ts";
import type { UnusedItem } from "../../plugins/learn/unused.ts";
import { itemToText } from "../../../manifests/mod.ts";
import type { Output } from "./output.ts";
import { nameTable } from "./table.ts";
import { count, printable, shorten } from "../../primitives/text.ts";

/** Result of `bascule learn`. */
interface Told extends RecordedActs, Learned {
  readonly plugin: string;
  readonly unused: { readonly manifest: readonly UnusedItem[]; readonly grants: readonly UnusedItem[] };
  readonly command?: string;
}

/** Texts and the screen they are shown on. */
type Screen = Pick<Output, "style" | "room">;

export function learnLines(told: Told, screen: Screen): readonly string[] {
  const { style } = screen;
  const { plugin, calls, since, until, dropped, lines, leftOut, leftOutMore, unused, command } = told;
  const days = [since, until].map((time) => (time === undefined ? "" : new Date(time).toISOString().slice(0, 10)));
  const when = days[0] === "" ? "" : days[0] === days[1] ? `, ${days[0]}` : `, ${days.join(" to ")}`;
  return [
    `${style.bold(printable(plugin))}  ${calls === 0 ? "no recorded calls" : `from ${count(calls, "call")}${when}`}`,
    ...section("Needs", lines.map(toRow), screen),
    ...(lines.length === 0 && calls > 0 ? ["No permissions needed"] : []),
    ...(dropped > 0 ? [style.yellow(`${count(dropped, "more act")} ignored: too many different ones`)] : []),
    ...section(
      "Not proposed",
      leftOut.map(({ kind, value, method = "", acts, reason }) => [
        `${kind} ${inert(`${method} ${value}`.trimStart())}`,
        `${count(acts, "act")}: ${printable(reason)}`,
      ]),
      screen,
    ),
    ...(leftOutMore > 0 ? [`  and ${leftOutMore} more`] : []),
    ...section("Requested by the manifest, never used", unused.manifest.map(toUnused), screen),
    ...section("Granted, never used", unused.grants.map(toUnused), screen),
    ...(command === undefined ? [] : ["", printable(command)]),
  ];
}

function section(title: string, rows: readonly (readonly [string, string])[], { style, room }: Screen): readonly string[] {
  return rows.length === 0 ? [] : [style.bold(title), ...nameTable(rows, style, { columns: room })];
}

function toRow({ kind, item, acts, refused, examples, values, calls }: LearnedLine): readonly [string, string] {
  const more = values > examples.length ? ` and ${values - examples.length} more` : "";
  const text = itemToText(item);
  const shown =
    values === 1 && examples[0]?.endsWith(text.replace(/^\$\w+/, "")) === true ? "" : `: ${examples.map(inert).join(", ")}${more}`;
  const denied = refused === 0 ? "" : refused === acts ? ", refused" : `, ${refused} of them refused`;
  const [call] = calls;
  return [`${kind} ${inert(text)}`, `${count(acts, "act")}${denied}${shown}${call === undefined ? "" : `  (call ${printable(call)})`}`];
}

function toUnused({ kind, item }: UnusedItem): readonly [string, string] {
  return [kind, item === true ? "everything" : inert(itemToText(item))];
}

function inert(text: string): string {
  return shorten(printable(text), 120);
}
