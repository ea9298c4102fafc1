/** The secrets of a host: where their values come from, and their removal from results, events and logs (SPEC C7, AU4). */

import { hasLoneSurrogate, isJsonArray, isJsonObject, type JsonValue, normalizePath, type SecretSource } from "../../../manifests/mod.ts";
import { FileError, type Log, type Platform } from "../../platform/platform.ts";
import type { Grant } from "../../call/grant.ts";
import { decodeText, type LargeFacts } from "../../primitives/json/large.ts";
import { type ByteReplacer, type ByteSearch, createByteSearch } from "./byte-search.ts";
import { type CallSecrets, createCallSecrets, secretNames, type SecretValue } from "./call-secrets.ts";
import { redactBytes } from "./redact-bytes.ts";
import { jsonEscaped, secretForms } from "./secret-forms.ts";

interface SecretsOptions {
  readonly platform: Pick<Platform, "environment" | "files" | "random" | "log">;
  /** Returns `secrets` of `bascule.json`; file paths in it resolve against `root`. */
  readonly sources: () => Readonly<Record<string, SecretSource>>;
  readonly root: string;
}

/** The secrets of one host. Remembers every value that was looked up, but only the last few of each name. */
export interface Secrets {
  /** @param before secrets of the same call, if the user has just granted it more */
  forCall(grant: Grant, before?: CallSecrets): CallSecrets;
  /** Looks up a value for the host's own use, such as for other hosts. Undefined if it has no usable value. */
  valueOf(name: string): Promise<string | undefined>;
  /** Adds a value of the host's own, which must be redacted as well. */
  learn(name: string, value: string): void;
  /** Looks up the project's secrets, so that their values are redacted before their first use. */
  refresh(): Promise<void>;
  /** Replaces every value in texts and keys by `[secret NAME]`; returns the same object if there is none. */
  redact(value: JsonValue): JsonValue;
  /** Redacts a value that stays bytes, in slices. */
  redactBytes(given: Pick<LargeFacts, "kind" | "bytes">): Generator<void, Uint8Array>;
  /** Redacts the lines of a log. */
  redactLog(log: Log): Log;
}

/** A search, and the name of the secret of each group. */
interface Search {
  readonly names: readonly string[];
  readonly find: ByteSearch;
}

const REMEMBERED_SEARCHES = 64;
/** After a change, the old value stays redacted until the next change, because calls may still hold it. */
const REMEMBERED_VALUES = 2;
const REMEMBERED_NAMES = 1_024;
const MAX_VALUE_BYTES = 8_192;
/** Shorter values would match ordinary text. */
const MIN_VALUE_BYTES = 6;

export function createSecrets({ platform, sources, root }: SecretsOptions): Secrets {
  const known = new Map<string, readonly string[]>();
  /** The last complaint about each name, so that it is logged once. */
  const complaints = new Map<string, string>();
  /** Searches by the names they cover; cleared when a value changes. */
  const searches = new Map<string, Search>();
  let searchForAll: Search | undefined;
  /** Searches for the same values as they appear in JSON strings. */
  let searchInJson: ByteSearch | undefined;

  function learn(name: string, value: string): void {
    const values = known.get(name) ?? [];
    if (values[0] === value) return;
    known.delete(name);
    known.set(name, [value, ...values.filter((other) => other !== value)].slice(0, REMEMBERED_VALUES));
    const [oldest] = known.keys();
    if (known.size > REMEMBERED_NAMES && oldest !== undefined) known.delete(oldest);
    searches.clear();
    searchForAll = undefined;
    searchInJson = undefined;
  }

  function learned(name: string, text: string | undefined): SecretValue {
    if (text === undefined) return { kind: "absent" };
    const reason = unfit(text);
    if (reason !== undefined) {
      if (complaints.get(name) !== reason) platform.log.write("warn", "A secret cannot be used", { name, reason });
      if (complaints.size < REMEMBERED_NAMES) complaints.set(name, reason);
      return { kind: "unfit", reason: `Secret "${name}" cannot be used: ${reason}` };
    }
    learn(name, text);
    return { kind: "value", value: text };
  }

  async function read(name: string): Promise<SecretValue> {
    const source = sourceOf(name);
    return learned(name, source.file === undefined ? variable(source.env ?? name) : await readFile(name, source.file));
  }

  function sourceOf(name: string): SecretSource {
    const all = sources();
    return (Object.hasOwn(all, name) ? all[name] : undefined) ?? { env: name };
  }

  function variable(name: string): string | undefined {
    const value = platform.environment.get(name);
    return value === "" ? undefined : value;
  }

  async function readFile(name: string, file: string): Promise<string | undefined> {
    const path = normalizePath(file, root);
    try {
      if (path === undefined) return undefined;
      const text = new TextDecoder().decode(await platform.files.readBytes(path, MAX_VALUE_BYTES + 2));
      return text.replace(/\r?\n$/, "") || undefined;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      platform.log.write("warn", "A secret's file cannot be read", { name, code: error.code });
      return undefined;
    }
  }

  /** @param wanted names with a known value */
  function searchFor(wanted: readonly string[]): Search {
    const key = wanted.join("\0");
    const made = searches.get(key);
    if (made !== undefined) return made;
    const needles = wanted.flatMap((name, group) => (known.get(name) ?? []).flatMap(secretForms).map((bytes) => ({ bytes, group })));
    const search = { names: wanted, find: createByteSearch(needles) };
    const [oldest] = searches.keys();
    if (searches.size >= REMEMBERED_SEARCHES && oldest !== undefined) searches.delete(oldest);
    searches.set(key, search);
    return search;
  }

  function scrubber(wanted: readonly string[], shown: (name: string) => string): (() => ByteReplacer) | undefined {
    const present = wanted.filter((name) => known.has(name));
    if (present.length === 0) return undefined;
    const { names, find } = searchFor(present);
    return () => find.open((group) => UTF8.encode(shown(names[group] ?? "")), "longest");
  }

  function openReplacer(): ByteReplacer {
    const { names, find } = (searchForAll ??= searchFor([...known.keys()]));
    return find.open((group) => UTF8.encode(`[secret ${names[group] ?? ""}]`));
  }

  /** Only finds; replaces nothing. */
  function openInJson(): ByteReplacer {
    searchInJson ??= createByteSearch(
      [...known.values()].flatMap((values) =>
        values.flatMap(secretForms).map((form) => ({ bytes: UTF8.encode(jsonEscaped(decodeText(form))), group: 0 })),
      ),
    );
    return searchInJson.open(() => new Uint8Array());
  }

  function redactText(text: string): string {
    if (text.length < MIN_VALUE_BYTES || known.size === 0) return text;
    const replacer = openReplacer();
    const [begun, rest] = [replacer.push(UTF8.encode(text)), replacer.end()];
    if (!replacer.hasFound) return text;
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return decoder.decode(begun, { stream: true }) + decoder.decode(rest);
  }

  function redactLog(log: Log): Log {
    return {
      write: (level, message, fields) =>
        known.size === 0
          ? log.write(level, message, fields)
          : log.write(level, redactText(message), fields && (mapTexts(fields, redactText) as Readonly<Record<string, unknown>>)),
      child: (fields) => redactLog(log.child(fields)),
    };
  }

  return {
    forCall(grant, before) {
      const configured = sources();
      for (const name of secretNames(grant)) {
        // Learned now, because the guest may find the value elsewhere without asking for it.
        if (!Object.hasOwn(configured, name)) learned(name, variable(name));
      }
      return createCallSecrets({ grant, sources: configured, read, random: platform.random, scrubber }, before);
    },
    learn(name, value) {
      if (unfit(value) === undefined) learn(name, value);
    },
    async valueOf(name) {
      const found = await read(name);
      return found.kind === "value" ? found.value : undefined;
    },
    async refresh() {
      for (const name of Object.keys(sources())) await read(name);
    },
    // Texts stay texts, so JSON stays JSON.
    redact: (value) => (known.size === 0 ? value : (mapTexts(value, redactText) as JsonValue)),
    *redactBytes(given) {
      return known.size === 0 ? given.bytes : yield* redactBytes(given, { text: openReplacer, json: openInJson });
    },
    redactLog,
  };
}

const UTF8 = new TextEncoder();

function unfit(value: string): string | undefined {
  const { length } = UTF8.encode(value);
  if (length < MIN_VALUE_BYTES) return `the value has fewer than ${MIN_VALUE_BYTES} bytes, so it cannot be redacted in results`;
  if (length > MAX_VALUE_BYTES) return `the value has more than ${MAX_VALUE_BYTES} bytes`;
  return value.includes("\0") || hasLoneSurrogate(value) ? "the value is not text" : undefined;
}

const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, null]);

/** Leaves everything but lists and plain objects as it is; returns the same object if nothing changed. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  // Log fields may hold other values than JSON; those are not searched.
  const json = value as JsonValue;
  if (isJsonArray(json)) {
    const mapped = json.map((item) => mapTexts(item, map));
    return mapped.every((item, index) => item === json[index]) ? value : mapped;
  }
  if (!isJsonObject(json) || !PLAIN.has(Object.getPrototypeOf(json))) return value;
  let isSame = true;
  const entries = Object.entries(json).map(([key, item]) => {
    const entry = [map(key), mapTexts(item, map)] as const;
    isSame &&= entry[0] === key && entry[1] === item;
    return entry;
  });
  return isSame ? value : Object.fromEntries(entries);
}
