/**
 * What a project asks for that a stranger's must not have before a person agreed: programs, addresses, native code, grants, fewer
 * questions (SPEC P1, K3). Everything else in `bascule.json` can only take away, or stays within what the sandbox holds anyway.
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

/** One of them. */
export interface Demand {
  /** Where it stands: `mcpServers.files`. */
  readonly name: string;
  /** What a yes means, in our words. */
  readonly about: string;
  /** All that is agreed to: anything else is asked about again. */
  readonly value: JsonValue;
}

/** Whether a path of the project leads out of its folder, links followed. */
export type IsOutside = (path: string) => boolean;

/** Of one section of the file. */
interface Section<T> {
  demands(section: T, isOutside: IsOutside): readonly Demand[];
  /** What is left without those of these names: never more than before. */
  without(section: T, names: ReadonlySet<string>): T;
}

/** Everything that the file asks for. */
export function demandsOf(config: ProjectConfig, isOutside: IsOutside): readonly Demand[] {
  return SECTION_NAMES.flatMap((name) => demandsIn(name, config, isOutside));
}

/** The file as it counts without what nobody agreed to. */
export function withoutDemands(config: ProjectConfig, names: ReadonlySet<string>): ProjectConfig {
  if (names.size === 0) return config;
  return SECTION_NAMES.reduce((left, name) => withoutIn(name, left, names), config);
}

/** Of a server as `bascule.json` lists it, for a person who adds it. */
export function serverDemands(name: string, entry: JsonValue): readonly Demand[] {
  const parsed = parseProject(JSON.stringify({ mcpServers: { [name]: entry } }));
  return parsed.ok ? demandsOf(parsed.value, () => false) : [];
}

/** Limits above the defaults that a plugin was accepted with; `bascule.lock` has them, and a checkout can bring that file. */
export function limitsDemand(plugin: string, limits: LimitRequest): Demand {
  return { name: `bascule.lock.${plugin}.acceptedLimits`, about: "lets a plugin have higher limits", value: json(limits) };
}

/** The grants of `.bascule/grants.json`: a checkout can bring that file, too. Undefined where it gives nothing. */
export function grantsDemand(text: string): Demand | undefined {
  const parsed = parseJson(text, { maxBytes: 1024 * 1024, maxDepth: 16 });
  const grants = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value["grants"] : undefined;
  if (!isJsonArray(grants) || grants.length === 0) return undefined;
  return { name: GRANTS, about: "grants to plugins that were not given with bascule on this machine", value: grants };
}

export const GRANTS = ".bascule/grants.json";
/** What a person who took everything back agreed to. */
export const NO_GRANTS: Demand = { name: GRANTS, about: "", value: [] };

function harmless<T>(): Section<T> {
  return { demands: () => [], without: (section) => section };
}

/** Of a section with a name for each entry. */
function entries<T>(section: string, demandOf: (entry: T) => Omit<Demand, "name"> | undefined): Section<Readonly<Record<string, T>>> {
  const nameOf = (key: string): string => `${section}.${key}`;
  return {
    demands: (all) =>
      Object.entries(all).flatMap(([key, entry]) => {
        const demand = demandOf(entry);
        return demand === undefined ? [] : [{ name: nameOf(key), ...demand }];
      }),
    without: (all, names) => Object.fromEntries(Object.entries(all).filter(([key]) => !names.has(nameOf(key)))),
  };
}

/** A field that is new in `bascule.json` does not compile until it is decided about here. */
const SECTIONS: { readonly [K in keyof Required<ProjectConfig>]: Section<ProjectConfig[K]> } = {
  plugins: {
    demands: (roots, isOutside) =>
      roots.filter(isOutside).map((root) => ({ name: `plugins.${root}`, about: "takes plugins from outside of this folder", value: root })),
    without: (roots, names) => roots.filter((root) => !names.has(`plugins.${root}`)),
  },
  workspace: {
    demands: (folder, isOutside) =>
      folder !== undefined && isOutside(folder)
        ? [{ name: "workspace", about: "has tools work on a folder outside of this one", value: folder }]
        : [],
    without: (folder, names) => (names.has("workspace") ? undefined : folder),
  },
  mcpServers: entries("mcpServers", ({ enabled, tools: _tools, timeoutMs: _timeoutMs, ...started }) => {
    if (!enabled) return undefined;
    const about = started.url === undefined ? "starts a program, which can do all that you can" : "connects to a server";
    return { about, value: json(started) };
  }),
  remotes: entries("remotes", (remote) => ({ about: "sends calls to another host", value: json(remote) })),
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
        about: listed.unconfined
          ? "runs its code natively, with nothing that holds it"
          : "runs its code natively, under Deno's permissions",
        value: json(listed),
      })),
    without: (trusted, names) => trusted.filter(({ name }) => !names.has(`trusted.${name}`)),
  },
  secrets: {
    demands: (secrets) =>
      Object.entries(secrets)
        .filter(([name, { env = name, file }]) => file !== undefined || env !== name)
        .map(([name, source]) => ({ name: `secrets.${name}`, about: "takes a secret's value from elsewhere", value: json(source) })),
    // What its hosts take away stays taken away.
    without: (secrets, names) =>
      Object.fromEntries(
        Object.entries(secrets).map(([name, { hosts, ...source }]) => [
          name,
          { ...(names.has(`secrets.${name}`) ? { env: name } : source), ...(hosts && { hosts }) },
        ]),
      ),
  },
  policy: { demands: policyDemands, without: policyWithout },
  confirmation: { demands: confirmationDemands, without: confirmationWithout },
  server: {
    demands: ({ tokens, allowedHosts, allowedOrigins }) =>
      tokens.length + allowedHosts.length + allowedOrigins.length === 0
        ? []
        : [{ name: "server", about: "lets others in over HTTP", value: json({ tokens, allowedHosts, allowedOrigins }) }],
    without: (server, names) => (names.has("server") ? { ...server, tokens: [], allowedHosts: [], allowedOrigins: [] } : server),
  },
  audit: {
    demands: ({ store, record }) =>
      store && record === "none" ? [] : [{ name: "audit", about: "changes what is kept of calls", value: { store, record } }],
    without: (audit, names) => (names.has("audit") ? { ...audit, store: true, record: "none" } : audit),
  },
  roles: harmless(),
  isolation: harmless(),
  undo: harmless(),
};

const SECTION_NAMES = Object.keys(SECTIONS) as readonly (keyof ProjectConfig)[]; // Of a literal.

function demandsIn<K extends keyof ProjectConfig>(name: K, config: ProjectConfig, isOutside: IsOutside): readonly Demand[] {
  return SECTIONS[name].demands(config[name], isOutside);
}

function withoutIn<K extends keyof ProjectConfig>(name: K, config: ProjectConfig, names: ReadonlySet<string>): ProjectConfig {
  const { [name]: section, ...others } = config;
  const left: ProjectConfig[K] | undefined = SECTIONS[name].without(section, names);
  // All the others, and this one where it is not left out.
  return { ...others, ...(left !== undefined && { [name]: left }) } as unknown as ProjectConfig;
}

function isLower(mode: ConfirmMode): boolean {
  return mode === "auto" || mode === "prompt_once";
}

/**
 * What is left of a mode that was not agreed to. `prompt_once` asks less than the default and more than `auto`, which a rule that is less
 * specific may say: so it asks every time.
 */
function withoutYes(mode: ConfirmMode): ConfirmMode | undefined {
  if (mode === "auto") return undefined;
  return mode === "prompt_once" ? "prompt" : mode;
}

/** Of the program's own: nothing leaves the sandbox, or the route has no runner yet. */
const OWN_ROUTES: ReadonlySet<Route> = new Set(["wasm", "microvm"]);

/** The same for a route: a rule that is less specific may say `host`, which gives more than `remote`. */
function ownRoute(route: Route): Route | undefined {
  if (OWN_ROUTES.has(route)) return route;
  return route === "remote" ? "wasm" : undefined;
}

/** Splits what a rule gives from what it takes away. Where a rule of less weight could give more instead, something strict is left. */
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
    // Also without a denial: grants of a rule that is less specific do not count where this one says something.
    ...(grants !== undefined && { grants: denialsIn(grants) }),
    ...(own !== undefined && { route: own }),
    ...(ownConfirm !== undefined && { confirm: ownConfirm }),
    ...(dryRun === true && { dryRun }),
    ...(limits !== undefined && { limits: lowered(limits) }),
  };
  // The same, with fewer of its optional members.
  return { gives, rest: { ...rest, ...takes } as unknown as E };
}

/** Limits above the defaults give, all others take away (SPEC B3). */
function isRaised(limits: LimitRequest = {}): boolean {
  return LIMIT_NAMES.some((name) => (limits[name] ?? 0) > DEFAULT_LIMITS[name]);
}

function lowered(limits: LimitRequest): LimitRequest {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => (limits[name] === undefined ? [] : [[name, Math.min(limits[name], DEFAULT_LIMITS[name])]])),
  );
}

/** By what it selects; of several, the later ones are numbered. */
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

function policyDemands(policy: PolicyConfig): readonly Demand[] {
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
      return Object.keys(gives).length === 0 ? [] : [{ name, about: "gives tools more, or asks less about them", value: json(gives) }];
    }),
    ...(unasked.length === 0
      ? []
      : [{ name: TYPES, about: "asks less about tools", value: { requiresApproval: false, of: unasked.map(([type]) => type) } }]),
    ...(bared.length === 0 ? [] : [{ name: PROTECTED, about: "lets tools touch names that are protected", value: bared }]),
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

/** Nobody is asked about these anyway. */
const UNASKED: ReadonlySet<string> = new Set(["none", "read"]);

function confirmationDemands({
  default: classes,
  perTool,
  trustedWorkspaces,
  trustedWorkspaceOverrides,
}: ConfirmationConfig): readonly Demand[] {
  const lowered = {
    default: Object.fromEntries(Object.entries(modes(classes, isLower)).filter(([name]) => !UNASKED.has(name))),
    perTool: modes(perTool, isLower),
    trustedWorkspaceOverrides: modes(trustedWorkspaceOverrides, isLower),
    trustedWorkspaces,
  };
  const some = Object.entries(lowered).filter(([, all]) => Object.keys(all).length > 0);
  return some.length === 0 ? [] : [{ name: CONFIRMATION, about: "asks less about tools", value: json(Object.fromEntries(some)) }];
}

function confirmationWithout(confirmation: ConfirmationConfig, names: ReadonlySet<string>): ConfirmationConfig {
  if (!names.has(CONFIRMATION)) return confirmation;
  // Of a trusted workspace what is stricter in it than elsewhere is left, and counts everywhere.
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

/** Parts of a file that was JSON; their interfaces just have no index signature. */
function json(value: object): JsonValue {
  return value as JsonValue;
}
