/** The secrets of one call: placeholders that only this call's requests can resolve (SPEC C7). */

import {
  addressRange,
  bindSecret,
  canonicalHost,
  evaluateAccess,
  parseIp,
  type PermissionLayer,
  type SecretBinding,
  type SecretSource,
} from "../../../manifests/mod.ts";
import { toHex } from "../../platform/bytes.ts";
import type { ByteReplacer } from "./byte-search.ts";
import type { Random } from "../../platform/platform.ts";
import type { Grant } from "../../call/grant.ts";

/** The secrets of one call. */
export interface CallSecrets {
  /** Returns true if the guest gets only a placeholder for the variable, set or not. */
  has(name: string): boolean;
  /** Names configured by the project; they may be missing from the environment. */
  readonly names: readonly string[];
  /** Returns the same placeholder each time within the call. */
  placeholder(name: string): Promise<PlaceholderOutcome>;
  /** Secrets whose placeholders the guest was given, by placeholder. */
  readonly issued: ReadonlyMap<string, IssuedSecret>;
  /**
   * Returns a function that opens a replacer for one stream to the guest, which removes the values of this call's secrets; undefined if
   * there are none. Secrets of other calls are not replaced, because a guest could detect a correct guess by the replacement.
   */
  scrubber(): (() => ByteReplacer) | undefined;
}

type PlaceholderOutcome =
  | { readonly kind: "placeholder"; readonly placeholder: string }
  /** The variable is not set. */
  | { readonly kind: "absent" }
  | { readonly kind: "unfit"; readonly reason: string };

/** A secret whose placeholder the guest holds. */
export interface IssuedSecret {
  readonly name: string;
  readonly placeholder: string;
  readonly value: string;
  /** Returns why the value must not be sent to the URL; undefined if it may. */
  readonly refusal: (url: URL) => string | undefined;
}

/** Recognisable, of fixed length, with 128 random bits, and of characters that need no escaping in headers, URLs, forms, JSON and HTML. */
export const PLACEHOLDER: RegExp = /bascule_secret_[0-9a-f]{32}/g;

/** Result of looking up a value. */
export type SecretValue =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unfit"; readonly reason: string };

interface CallSecretsOptions {
  readonly grant: Grant;
  readonly sources: Readonly<Record<string, SecretSource>>;
  readonly read: (name: string) => Promise<SecretValue>;
  readonly random: Pick<Random, "bytes">;
  readonly scrubber: (names: readonly string[], shown: (name: string) => string) => (() => ByteReplacer) | undefined;
}

/** @param before secrets of the same call under its previous grant */
export function createCallSecrets(options: CallSecretsOptions, before?: CallSecrets): CallSecrets {
  return new SecretsOfOneCall(options, before instanceof SecretsOfOneCall ? before : undefined);
}

/** A class, so that methods are shared, with maps created on first use: every call has one. */
class SecretsOfOneCall implements CallSecrets {
  readonly #options: CallSecretsOptions;
  #issued: Map<string, IssuedSecret> | undefined;
  #given: Map<string, Promise<PlaceholderOutcome>> | undefined;

  constructor(options: CallSecretsOptions, before: SecretsOfOneCall | undefined) {
    this.#options = options;
    // Placeholders that the guest holds stay valid, with their old bindings.
    if (before !== undefined) {
      this.#issued = before.#issued;
      this.#given = before.#given;
    }
  }

  has(name: string): boolean {
    const { sources, grant } = this.#options;
    return Object.hasOwn(sources, name) || secretNames(grant).has(name);
  }

  get names(): readonly string[] {
    return Object.keys(this.#options.sources);
  }

  get issued(): ReadonlyMap<string, IssuedSecret> {
    return this.#issued ?? NONE_ISSUED;
  }

  scrubber(): (() => ByteReplacer) | undefined {
    const { grant, sources, scrubber } = this.#options;
    const names = [...new Set([...secretNames(grant), ...Object.keys(sources)])].filter(
      (name) => evaluateAccess(grant.layers, { kind: "env", name }).state === "granted",
    );
    const placeholders = new Map(Array.from(this.issued.values(), ({ name, placeholder }) => [name, placeholder]));
    // An echoed secret is shown as the placeholder that the guest sent.
    return scrubber(names, (name) => placeholders.get(name) ?? `[secret ${name}]`);
  }

  placeholder(name: string): Promise<PlaceholderOutcome> {
    this.#given ??= new Map();
    const known = this.#given.get(name) ?? this.#issue(name);
    this.#given.set(name, known);
    return known;
  }

  async #issue(name: string): Promise<PlaceholderOutcome> {
    const { grant, sources, read, random } = this.#options;
    const found = await read(name);
    if (found.kind !== "value") return found;
    const placeholder = `bascule_secret_${toHex(random.bytes(16))}`;
    const bindings = bindingsOf(name, grant, sources);
    this.#issued ??= new Map();
    this.#issued.set(placeholder, { name, placeholder, value: found.value, refusal: (url) => refusalOf(name, bindings, url) });
    return { kind: "placeholder", placeholder };
  }
}

const NONE_ISSUED: ReadonlyMap<string, IssuedSecret> = new Map();

const NAMES = new WeakMap<Grant, ReadonlySet<string>>();

/** A variable is a secret if any layer marks it as one; no other layer can then expose the value. */
export function secretNames(grant: Grant): ReadonlySet<string> {
  const known = NAMES.get(grant);
  if (known !== undefined) return known;
  const names = new Set(grant.layers.flatMap(bindingsIn).map(({ name }) => name));
  NAMES.set(grant, names);
  return names;
}

function bindingsIn({ permissions }: PermissionLayer): readonly SecretBinding[] {
  const entry = permissions.entries.get("env");
  if (entry === undefined) return [];
  const { allow, listed = [] } = entry;
  return (allow === true ? listed : allow).flatMap(({ secret }) => secret ?? []);
}

/**
 * Returns one list for each layer that binds the secret, and one for the project's configuration: the value may be sent only where all
 * lists permit it.
 */
function bindingsOf(name: string, { layers }: Grant, sources: CallSecretsOptions["sources"]): readonly (readonly SecretBinding[])[] {
  const ofLayers = layers.map((layer) => bindingsIn(layer).filter((binding) => binding.name === name));
  const hosts = Object.hasOwn(sources, name) ? sources[name]?.hosts : undefined;
  return [...ofLayers, ...(hosts === undefined ? [] : [[bindSecret({ name, hosts })]])].filter((list) => list.length > 0);
}

function refusalOf(name: string, bindings: readonly (readonly SecretBinding[])[], url: URL): string | undefined {
  const host = canonicalHost(url.hostname);
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const isBound =
    host !== undefined && bindings.length > 0 && bindings.every((list) => list.some(({ permits }) => permits({ host, port })));
  const target = `Secret "${name}" may not go to "${url.hostname}:${port}"`;
  if (!isBound) return `${target}: ${boundTo(bindings)}`;
  // Unencrypted traffic can be read on the way, except within this machine.
  if (url.protocol === "https:" || isThisMachine(host)) return undefined;
  return `${target} over http: it is sent over https only, except to this machine itself`;
}

function boundTo(bindings: readonly (readonly SecretBinding[])[]): string {
  if (bindings.length === 0) return `it is bound to no host (name them: { "name", "secret": true, "hosts" } in the env grant)`;
  const lists = new Set(bindings.map((list) => list.flatMap(({ hosts }) => hosts).join(", ")));
  return `it is bound to ${[...lists].join(", and of these to ")}`;
}

function isThisMachine(host: string): boolean {
  const address = parseIp(host);
  return host === "localhost" || (address !== undefined && addressRange(host) === "loopback");
}
