/**
 * Trust requests: what a project may not have before the user trusts it, such as programs, addresses, native code, grants and fewer
 * confirmations (SPEC P1, K3). Everything else in `bascule.json` can only restrict, or stays within what the sandbox allows anyway.
 */

import {
  type ConfirmationConfig,
  type ConfirmMode,
  DEFAULT_LIMITS,
  DEFAULT_PROTECTED,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  LIMIT_NAMES,
  type LimitRequest,
  parseJson,
  parseProject,
  type PolicyConfig,
  type PolicyRule,
  type ProjectConfig,
  type Route,
  type RuleEffect,
  SIDE_EFFECT_CLASSES,
} from "../../../manifests/mod.ts";

import { isStricter } from "../../call/strictness.ts";
import { allowsSomething, denialsIn } from "../../policy/merge-permissions.ts";
import { defined } from "../../primitives/defined.ts";

/** One trust request. */
export interface TrustRequest {
  /** Its place: `mcpServers.files`. */
  readonly name: string;
  /** Meaning of the trust, in the host's words. */
  readonly about: string;
  /** All that the user trusts; a different value needs trust again. */
  readonly value: JsonValue;
}

/** Returns true if a path of the project leads out of its folder, links followed. */
export type IsOutside = (path: string) => boolean;

/** The trust requests of one section of the file. */
interface Section<T> {
  demands(section: T, isOutside: IsOutside): readonly TrustRequest[];
  /** Returns the section without the requests of these names: never more lenient than before. */
  without(section: T, names: ReadonlySet<string>): T;
}

/** Returns every trust request of the file. */
export function trustRequestsOf(config: ProjectConfig, isOutside: IsOutside): readonly TrustRequest[] {
  return SECTION_NAMES.flatMap((name) => trustRequestsIn(name, config, isOutside));
}

/** Returns the file as it applies without the requests that are not trusted. */
export function withoutTrustRequests(config: ProjectConfig, names: ReadonlySet<string>): ProjectConfig {
  if (names.size === 0) return config;
  return SECTION_NAMES.reduce((left, name) => withoutIn(name, left, names), config);
}

/** Returns the trust requests of one server entry of `bascule.json`, for a user who adds it. */
export function serverTrustRequests(name: string, entry: JsonValue): readonly TrustRequest[] {
  const parsed = parseProject(JSON.stringify({ mcpServers: { [name]: entry } }));
  return parsed.ok ? trustRequestsOf(parsed.value, () => false) : [];
}

/** Trust request for limits above the defaults that `bascule.lock` says were accepted: a checkout can bring that file. */
export function limitsTrustRequest(plugin: string, limits: LimitRequest): TrustRequest {
  return { name: `bascule.lock.${plugin}.acceptedLimits`, about: "raises the limits of a plugin", value: json(limits) };
}

/** Trust request for the grants of `.bascule/grants.json`: a checkout can bring that file, too. Undefined if it grants nothing. */
export function grantsTrustRequest(text: string): TrustRequest | undefined {
  const parsed = parseJson(text, { maxBytes: 1024 * 1024, maxDepth: 16 });
  const grants = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value["grants"] : undefined;
  if (!isJsonArray(grants) || grants.length === 0) return undefined;
  return { name: GRANTS, about: "grants permissions to plugins (not given with bascule on this machine)", value: grants };
}

export const GRANTS = ".bascule/grants.json";
/** The trusted value after the user revoked every grant. */
export const NO_GRANTS: TrustRequest = { name: GRANTS, about: "", value: [] };

function harmless<T>(): Section<T> {
  return { demands: () => [], without: (section) => section };
}

/** A section with a name for each entry. */
function entries<T>(
  section: string,
  trustRequestOf: (entry: T) => Omit<TrustRequest, "name"> | undefined,
): Section<Readonly<Record<string, T>>> {
  const nameOf = (key: string): string => `${section}.${key}`;
  return {
    demands: (all) =>
      Object.entries(all).flatMap(([key, entry]) => {
        const trustRequest = trustRequestOf(entry);
        return trustRequest === undefined ? [] : [{ name: nameOf(key), ...trustRequest }];
      }),
    without: (all, names) => Object.fromEntries(Object.entries(all).filter(([key]) => !names.has(nameOf(key)))),
  };
}

/** The trust requests of each section. A new field of `bascule.json` does not compile until it is added here. */
const SECTIONS: { readonly [K in keyof Required<ProjectConfig>]: Section<ProjectConfig[K]> } = {
  plugins: {
    demands: (roots, isOutside) =>
      roots.filter(isOutside).map((root) => ({ name: `plugins.${root}`, about: "loads plugins from outside this folder", value: root })),
    without: (roots, names) => roots.filter((root) => !names.has(`plugins.${root}`)),
  },
  workspace: {
    demands: (folder, isOutside) =>
      folder !== undefined && isOutside(folder)
        ? [{ name: "workspace", about: "lets tools work in a folder outside this one", value: folder }]
        : [],
    without: (folder, names) => (names.has("workspace") ? undefined : folder),
  },
  mcpServers: entries("mcpServers", ({ enabled, tools: _tools, timeoutMs: _timeoutMs, ...started }) => {
    if (!enabled) return undefined;
    const about = started.url === undefined ? "starts a program, which has all your rights" : "connects to a server";
    return { about, value: json(started) };
  }),
  remotes: entries("remotes", (remote) => ({ about: "sends calls to another host", value: json(remote) })),
  cluster: {
    demands: ({ members, callers }) =>
      Object.keys(members).length + Object.keys(callers).length === 0
        ? []
        : [{ name: "cluster", about: "lets other hosts call tools, or answer calls", value: json({ members, callers }) }],
    without: (cluster, names) => (names.has("cluster") ? { members: {}, callers: {} } : cluster),
  },
  tools: {
    demands: (tools) =>
      tools.flatMap(({ definition: { name, sideEffects, destructive }, remote }) =>
        remote === undefined
          ? []
          : [{ name: `tools.${name}`, about: "sends calls to another host", value: json({ remote, sideEffects, destructive }) }],
      ),
    without: (tools, names) => tools.filter(({ definition }) => !names.has(`tools.${definition.name}`)),
  },
  trusted: {
    demands: (trusted) =>
      trusted.map((listed) => ({
        name: `trusted.${listed.name}`,
        about: listed.unconfined ? "runs its code natively and unconfined" : "runs its code natively, under Deno's permissions",
        value: json(listed),
      })),
    without: (trusted, names) => trusted.filter(({ name }) => !names.has(`trusted.${name}`)),
  },
  secrets: {
    demands: (secrets) =>
      Object.entries(secrets)
        .filter(([name, { env = name, file }]) => file !== undefined || env !== name)
        .map(([name, source]) => ({ name: `secrets.${name}`, about: "reads a secret's value from elsewhere", value: json(source) })),
    // Keeps the hosts, because they restrict where the secret may be sent.
    without: (secrets, names) =>
      Object.fromEntries(
        Object.entries(secrets).map(([name, { hosts, ...source }]) => [
          name,
          { ...(names.has(`secrets.${name}`) ? { env: name } : source), ...(hosts && { hosts }) },
        ]),
      ),
  },
  policy: { demands: policyTrustRequests, without: policyWithout },
  confirmation: { demands: confirmationTrustRequests, without: confirmationWithout },
  server: {
    demands: ({ tokens, allowedHosts, allowedOrigins }) =>
      tokens.length + allowedHosts.length + allowedOrigins.length === 0
        ? []
        : [{ name: "server", about: "gives others access over HTTP", value: json({ tokens, allowedHosts, allowedOrigins }) }],
    without: (server, names) => (names.has("server") ? { ...server, tokens: [], allowedHosts: [], allowedOrigins: [] } : server),
  },
  audit: {
    demands: ({ store, record }) =>
      store && record === "none" ? [] : [{ name: "audit", about: "changes what is recorded of calls", value: { store, record } }],
    without: (audit, names) => (names.has("audit") ? { ...audit, store: true, record: "none" } : audit),
  },
  roles: harmless(),
  isolation: harmless(),
  undo: harmless(),
};

const SECTION_NAMES = Object.keys(SECTIONS) as readonly (keyof ProjectConfig)[]; // Keys of a literal object.

function trustRequestsIn<K extends keyof ProjectConfig>(name: K, config: ProjectConfig, isOutside: IsOutside): readonly TrustRequest[] {
  return SECTIONS[name].demands(config[name], isOutside);
}

function withoutIn<K extends keyof ProjectConfig>(name: K, config: ProjectConfig, names: ReadonlySet<string>): ProjectConfig {
  const { [name]: section, ...others } = config;
  const left: ProjectConfig[K] | undefined = SECTIONS[name].without(section, names);
  // All other sections, and this one unless it is omitted.
  return { ...others, ...(left !== undefined && { [name]: left }) } as unknown as ProjectConfig;
}

function isLower(mode: ConfirmMode): boolean {
  return mode === "auto" || mode === "prompt_once";
}

/**
 * Returns the mode that applies without trust. `prompt_once` is weaker than the default and stronger than `auto`, which a less specific
 * rule may set, so it becomes `prompt`.
 */
function withoutYes(mode: ConfirmMode): ConfirmMode | undefined {
  if (mode === "auto") return undefined;
  return mode === "prompt_once" ? "prompt" : mode;
}

/** Routes that need no trust: code stays in the sandbox, or the route has no runner yet. */
const OWN_ROUTES: ReadonlySet<Route> = new Set(["wasm", "microvm"]);

/**
 * Returns the route that applies without trust. `remote` becomes `wasm`, because a less specific rule may set `host`, which allows more.
 */
function ownRoute(route: Route): Route | undefined {
  if (OWN_ROUTES.has(route)) return route;
  return route === "remote" ? "wasm" : undefined;
}

/** Splits a rule into what it allows and what it restricts. If a less specific rule could allow more instead, a strict value is kept. */
function splitEffect<E extends RuleEffect>({
  grants,
  route,
  confirm,
  dryRun,
  limits,
  ...rest
}: E): {
  readonly gives: RuleEffect;
  readonly rest: E;
} {
  const gives = {
    ...(grants !== undefined && allowsSomething(grants) && { grants }),
    ...(route !== undefined && !OWN_ROUTES.has(route) && { route }),
    ...(confirm !== undefined && isLower(confirm) && { confirm }),
    ...(dryRun === false && { dryRun }),
    ...(isRaised(limits) && { limits }),
  };
  const [ownConfirm, own] = [confirm && withoutYes(confirm), route && ownRoute(route)];
  const takes = {
    // Kept even without denials, so that grants of a less specific rule still do not apply.
    ...(grants !== undefined && { grants: denialsIn(grants) }),
    ...defined({ route: own, confirm: ownConfirm }),
    ...(dryRun === true && { dryRun }),
    ...(limits !== undefined && { limits: lowered(limits) }),
  };
  // The same type, with fewer of its optional members.
  return { gives, rest: { ...rest, ...takes } as unknown as E };
}

/** Limits above the defaults allow more, all others restrict (SPEC B3). */
function isRaised(limits: LimitRequest = {}): boolean {
  return LIMIT_NAMES.some((name) => (limits[name] ?? 0) > DEFAULT_LIMITS[name]);
}

function lowered(limits: LimitRequest): LimitRequest {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => (limits[name] === undefined ? [] : [[name, Math.min(limits[name], DEFAULT_LIMITS[name])]])),
  );
}

/** Names rules by their selector; repeated ones are numbered from the second on. */
function ruleNames(rules: readonly PolicyRule[]): readonly string[] {
  const seen = new Map<string, number>();
  return rules.map(({ tool, plugin, category, group, pattern }) => {
    const selected = Object.entries({ tool, plugin, category, group, pattern }).find(([, value]) => value !== undefined) ?? [];
    const name = `policy.rules.${selected.join(":")}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  });
}

const DEFAULT_RULE = "policy.default";
const TYPES = "policy.permissionTypes";
const PROTECTED = "policy.protected";
const CONFIRMATION = "confirmation";

function policyTrustRequests(policy: PolicyConfig): readonly TrustRequest[] {
  const names = ruleNames(policy.rules);
  const effects: readonly (readonly [string, RuleEffect])[] = [
    [DEFAULT_RULE, policy.default],
    ...policy.rules.map((rule, index) => [names[index] ?? "", rule] as const),
  ];
  const bared = DEFAULT_PROTECTED.filter((name) => !policy.protected.includes(name));
  const unasked = Object.entries(policy.permissionTypes).filter(([, type]) => type.requiresApproval === false);
  return [
    ...effects.flatMap(([name, effect]) => {
      const { gives } = splitEffect(effect);
      return Object.keys(gives).length === 0
        ? []
        : [{ name, about: "gives tools more, or requires fewer confirmations", value: json(gives) }];
    }),
    ...(unasked.length === 0
      ? []
      : [{ name: TYPES, about: "requires fewer confirmations", value: { requiresApproval: false, of: unasked.map(([type]) => type) } }]),
    ...(bared.length === 0 ? [] : [{ name: PROTECTED, about: "gives tools access to protected names", value: bared }]),
  ];
}

function policyWithout(policy: PolicyConfig, withheld: ReadonlySet<string>): PolicyConfig {
  const names = ruleNames(policy.rules);
  const { permissionTypes } = policy;
  return {
    ...policy,
    default: withheld.has(DEFAULT_RULE) ? splitEffect(policy.default).rest : policy.default,
    protected: withheld.has(PROTECTED) ? [...new Set([...DEFAULT_PROTECTED, ...policy.protected])] : policy.protected,
    rules: policy.rules.map((rule, index) => (withheld.has(names[index] ?? "") ? splitEffect(rule).rest : rule)),
    permissionTypes: withheld.has(TYPES)
      ? Object.fromEntries(
          Object.entries(permissionTypes).map(([type, { requiresApproval, ...rest }]) => [
            type,
            { ...rest, ...(requiresApproval === true && { requiresApproval }) },
          ]),
        )
      : permissionTypes,
  };
}

type Modes = Readonly<Record<string, ConfirmMode>>;

function modes(all: Modes, isWanted: (mode: ConfirmMode) => boolean): Modes {
  return Object.fromEntries(Object.entries(all).filter(([, mode]) => isWanted(mode)));
}

/** @param kept keys whose modes stay as they are */
function stricterModes(all: Modes, kept: ReadonlySet<string> = new Set()): Modes {
  return Object.fromEntries(
    Object.entries(all).flatMap(([key, mode]) => {
      const left = kept.has(key) ? mode : withoutYes(mode);
      return left === undefined ? [] : [[key, left]];
    }),
  );
}

function strictestModes(left: Modes, right: Modes): Modes {
  const stricter = Object.entries(right).filter(([key, mode]) => left[key] === undefined || isStricter(mode, left[key]));
  return { ...left, ...Object.fromEntries(stricter) };
}

/** Classes that need no confirmation by default. */
const UNASKED: ReadonlySet<string> = new Set(["none", "read"]);

function confirmationTrustRequests({
  default: classes,
  perTool,
  trustedWorkspaces,
  trustedWorkspaceOverrides,
}: ConfirmationConfig): readonly TrustRequest[] {
  const lowered = {
    default: Object.fromEntries(Object.entries(modes(classes, isLower)).filter(([name]) => !UNASKED.has(name))),
    perTool: modes(perTool, isLower),
    trustedWorkspaceOverrides: modes(trustedWorkspaceOverrides, isLower),
    trustedWorkspaces,
  };
  const some = Object.entries(lowered).filter(([, all]) => Object.keys(all).length > 0);
  return some.length === 0 ? [] : [{ name: CONFIRMATION, about: "requires fewer confirmations", value: json(Object.fromEntries(some)) }];
}

function confirmationWithout(confirmation: ConfirmationConfig, names: ReadonlySet<string>): ConfirmationConfig {
  if (!names.has(CONFIRMATION)) return confirmation;
  // The stricter overrides of a trusted workspace are kept and apply everywhere.
  const overrides = confirmation.trustedWorkspaces.length === 0 ? {} : stricterModes(confirmation.trustedWorkspaceOverrides);
  const isClass = ([name]: readonly [string, ConfirmMode]): boolean => SIDE_EFFECT_CLASSES.some((known) => known === name);
  const ofClasses = Object.fromEntries(Object.entries(overrides).filter(isClass));
  const ofTools = Object.fromEntries(Object.entries(overrides).filter((entry) => !isClass(entry)));
  return {
    ...confirmation,
    default: strictestModes(stricterModes(confirmation.default, UNASKED), ofClasses),
    perTool: strictestModes(stricterModes(confirmation.perTool), ofTools),
    trustedWorkspaces: [],
    trustedWorkspaceOverrides: {},
  };
}

/** Parts of a file that was JSON; only their interfaces lack an index signature. */
function json(value: object): JsonValue {
  return value as JsonValue;
}
