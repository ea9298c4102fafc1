/** The secrets of a host: where their values come from, and what no result, event or log line may show (SPEC C7, AU4). */

import { hasLoneSurrogate, isJsonArray, isJsonObject, type JsonValue, normalizePath, type SecretSource } from "../../../manifests/mod.ts";
import { FileError, type Log, type Platform } from "../../platform/platform.ts";
import type { Grant } from "../../call/grant.ts";
import { decodeText, type LargeFacts } from "../../primitives/json/large.ts";
import { type ByteReplacer, type ByteSearch, createByteSearch } from "./byte-search.ts";
import { type CallSecrets, createCallSecrets, secretNames, type SecretValue } from "./call-secrets.ts";
import { redactBytes } from "./redact-bytes.ts";
import { jsonEscaped, secretForms } from "./secret-forms.ts";

export interface SecretsOptions {
  readonly platform: Pick<Platform, "environment" | "files" | "random" | "log">;
  /** The `secrets` of `bascule.json`; files in it are relative to `root`. */
  readonly sources: () => Readonly<Record<string, SecretSource>>;
  readonly root: string;
}

/** One host's secrets. It knows the values that were ever looked up, and forgets all but the last few of each name. */
export interface Secrets {
  /** @param before of the same call, where a person has just granted it more */
  forCall(grant: Grant, before?: CallSecrets): CallSecrets;
  /** For the host's own use, as toward other hosts. Undefined if it has no value that can be used. */
  valueOf(name: string): Promise<string | undefined>;
  /** A value of the host's own, which nothing that leaves it may show either. */
  learn(name: string, value: string): void;
  /** Looks the project's secrets up, so that what they are is known before anybody asks for them. */
  refresh(): Promise<void>;
  /** `[secret NAME]` in place of every value in texts and keys; the very same object where there is none. */
  redact(value: JsonValue): JsonValue;
  /** The same for a value that stays bytes, in slices. */
  redactBytes(given: Pick<LargeFacts, "kind" | "bytes">): Generator<void, Uint8Array>;
  /** The same for lines of a log. */
  redactLog(log: Log): Log;
}

/** What to look for, and whose value it is by its group. */
interface Search {
  readonly names: readonly string[];
  readonly find: ByteSearch;
}

const REMEMBERED_SEARCHES = 64;
/** A value that is replaced while calls run stays unseen for one change more. */
const REMEMBERED_VALUES = 2;
const REMEMBERED_NAMES = 1_024;
const MAX_VALUE_BYTES = 8_192;
/** Shorter ones could not be taken out again without taking ordinary text out with them. */
const MIN_VALUE_BYTES = 6;

export function createSecrets({ platform, sources, root }: SecretsOptions): Secrets {
  const known = new Map<string, readonly string[]>();
  /** Said once and not at every call. */
  const complaints = new Map<string, string>();
  /** By the names whose values are looked for; made anew when one of them changes. */
  const searches = new Map<string, Search>();
  let searchForAll: Search | undefined;
  /** For the same values as they stand in strings of JSON. */
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

  /** @param wanted of those that are known */
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

  /** Only finds. */
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
        // Known from now on, whether the guest asks for it or finds it elsewhere.
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
    // Texts become texts, so JSON stays JSON.
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
  if (length < MIN_VALUE_BYTES) return `its value has fewer than ${MIN_VALUE_BYTES} bytes, and could not be kept out of results`;
  if (length > MAX_VALUE_BYTES) return `its value has more than ${MAX_VALUE_BYTES} bytes`;
  return value.includes("\0") || hasLoneSurrogate(value) ? "its value is no text" : undefined;
}

const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, null]);

/** What is neither a list nor a plain object stays as it is; so does what holds nothing to change. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  // Of a log's fields: anything else than JSON in them is not looked into.
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
