/** Implements `Operations` with a host in this process, for one client. */

import { type AccessQuery, isPathKind, normalizePath, sideEffectClass, smallestGrant } from "../../manifests/mod.ts";
import { toQuery, valueOf } from "./access-query.ts";
import { answerConfirmation } from "./answer-confirmation.ts";
import { TERMINAL_EVENT_TYPES } from "../audit/events.ts";
import { pathIn, resolvePlace } from "../capabilities/mod.ts";
import type { CallOptions } from "../dispatch/call-options.ts";
import type { Host, HostExplanation } from "../host/host-interface.ts";
import { defined } from "../primitives/defined.ts";
import type { ToolListing } from "../tools/listing.ts";
import { LockFileError } from "../plugins/consent/lock.ts";
import { PackageError } from "../plugins/installing/package-error.ts";
import { FileError, type Files, type Slices } from "../platform/platform.ts";
import type { Explanation } from "../policy/explain.ts";
import type { Session } from "../call/session.ts";
import { shownRequest } from "../confirmations/request.ts";
import { SettingsError } from "../plugins/settings/plugin-settings.ts";
import { nearestName } from "../tools/nearest.ts";
import { BUILTIN_ALIASES } from "../sources/builtin.ts";
import { type PluginStatus, realDirectoryOf } from "../plugins/folder/mod.ts";
import {
  type ActExplanation,
  DoorError,
  type HostStatus,
  type Info,
  type ClientOperations,
  type RequestContext,
  type PluginView,
  type ToolExplanation,
  type ToolView,
  type WhyQuestion,
} from "./operations.ts";
import { toPluginView } from "./plugin-view.ts";
import { watchEvents } from "./watch-events.ts";

/** The host, its powers and the client. */
interface HostOperationsOptions {
  readonly host: Host;
  readonly files: Files;
  readonly slices: Slices;
  /** Session of the client. */
  readonly session: Session;
  /** Set by a host that stops before a user can confirm. Default `pending`. */
  readonly unattended?: CallOptions["unattended"];
  /** Version of bascule and id of this process. */
  readonly about: Pick<HostStatus, "version" | "pid" | "url">;
  /** Receives errors of work that goes on after its request was answered. */
  readonly onDefect?: (message: string, error: unknown) => void;
}

const TERMINAL: ReadonlySet<string> = new Set(TERMINAL_EVENT_TYPES);
/** Maximum sessions kept for requests with a role or task. */
const MAX_KEPT = 16;
/** Maximum sessions with a name. Above that, the one that was named first ends. */
const MAX_NAMED = 32;
/** Sessions with a name, which the clients of a host share. */
const NAMED = new WeakMap<Host, Map<string, Session>>();

/** Maximum waiting calls in one answer. */
const MOST_WAITING = 1_000;
/** Plugins viewed between two yields to the event loop. */
const VIEWS_A_TURN = 32;
/** Name that the built-in tools are listed under. */
const BUILTIN = "built-in";

/** @returns operations that work until the host stops or `end()` is called. */
export function createOperations(options: HostOperationsOptions): ClientOperations {
  const { host, files, slices, session, about } = options;

  const kept = new Map<string, Session>();
  /** Sessions with a name that this client used. */
  const named = new Set<Session>();

  /** Returns one session per context, so that its remembered state applies to later requests with the same context. */
  function sessionFor(context: RequestContext | undefined): Session {
    if (context === undefined) return session;
    const { role, readOnly = false, noWeb = false, session: name } = context;
    const key = JSON.stringify([role ?? null, readOnly, noWeb]);
    const { workspace } = session;
    const open = (): Session => host.session({ workspace, context: { readOnly, noWeb }, ...(role !== undefined && { role }) });
    if (name !== undefined) return namedSession(`${name} ${key}`, open);
    const known = kept.get(key) ?? open();
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined && !kept.has(key)) kept.delete(oldest);
    kept.set(key, known);
    return known;
  }

  /** Returns the session of a name, which the role and the task are part of: a name gives no one more than it was opened with. */
  function namedSession(key: string, open: () => Session): Session {
    const all = NAMED.get(host) ?? new Map<string, Session>();
    NAMED.set(host, all);
    const [oldest] = all;
    if (oldest !== undefined && !all.has(key) && all.size >= MAX_NAMED) {
      all.delete(oldest[0]);
      void endWhenAnswered(oldest[1]);
    }
    const known = all.get(key) ?? open();
    all.set(key, known);
    named.add(known);
    return known;
  }

  /** Ends the session when its pending confirmations are answered: a user may confirm after the client disconnected (SPEC E6). */
  async function endWhenAnswered(own: Session): Promise<void> {
    const asked = host.confirmations.list().filter(({ sessionId }) => sessionId === own.id);
    const waiting = new Set(asked.map(({ request }) => request.callId));
    if (waiting.size === 0) return await host.endSession(own);
    const unsubscribe = host.subscribe(({ type, callId }) => {
      if (callId === undefined || !TERMINAL.has(type) || !waiting.delete(callId) || waiting.size > 0) return;
      unsubscribe();
      void host.endSession(own);
    });
  }

  function viewOf(status: PluginStatus, tools: readonly ToolListing[] = toolsOf(status)): Promise<PluginView> {
    const granted =
      (status.name === undefined ? undefined : host.grants.find(status.name, realDirectoryOf(status), status.digest ?? "")) ?? {};
    const called = tools.filter(({ enabled }) => enabled);
    const lacking = called.length === 0 ? {} : { lacking: called.flatMap((tool) => tool.lacking ?? []) };
    return toPluginView(status, { files, granted, tools: tools.map(toToolView), ...lacking });
  }

  const toolsOf = ({ name }: PluginStatus): readonly ToolListing[] => (name === undefined ? [] : host.list({ plugin: name }));

  /** Views one plugin after another and yields to other work in between. */
  async function list(): Promise<readonly PluginView[]> {
    const tools = await slices.run(toolsByPlugin());
    const views: PluginView[] = [];
    for (const [nth, status] of host.plugins().entries()) {
      if (nth % VIEWS_A_TURN === 0) await slices.run(aTurn());
      views.push(await viewOf(status, (status.name !== undefined && tools.get(status.name)) || []));
    }
    const others = tools.get(undefined);
    return others === undefined ? views : [...views, builtinView(others)];
  }

  function* toolsByPlugin(): Generator<void, ReadonlyMap<string | undefined, readonly ToolListing[]>> {
    const tools = new Map<string | undefined, ToolListing[]>();
    for (const tool of host.listEach()) {
      const own = tools.get(tool.plugin);
      if (own === undefined) tools.set(tool.plugin, [tool]);
      else own.push(tool);
      yield;
    }
    return tools;
  }

  async function info(name: string): Promise<Info> {
    const status = host.plugins().find((plugin) => (plugin.name ?? plugin.folder) === name);
    if (status) return { kind: "plugin", plugin: await viewOf(status) };
    const [tool] = toolsCalled(name);
    if (!tool) throw noSuchThing(name);
    const owner = host.plugins().find((plugin) => plugin.name === tool.plugin);
    return { kind: "tool", tool: toToolView(tool), plugin: owner ? await viewOf(owner) : builtinView([tool]) };
  }

  /** Finds tools by bare name, qualified name, or alias of a built-in tool. */
  function toolsCalled(name: string): readonly ToolListing[] {
    const builtin = Object.hasOwn(BUILTIN_ALIASES, name) ? BUILTIN_ALIASES[name] : undefined;
    // The tool that owns the bare name comes before tools that need their qualified name.
    const named = host.list({ name }).toSorted((one, other) => Number(one.yieldsTo !== undefined) - Number(other.yieldsTo !== undefined));
    return builtin === undefined ? named : [...named, ...host.list({ name: builtin, source: "builtin" })];
  }

  /** @throws {DoorError} if the plugin does not exist. */
  function checkPlugin(name: string): void {
    if (host.plugins().some((plugin) => plugin.name === name)) return;
    const owner = host.list({ name })[0]?.plugin;
    if (owner !== undefined)
      throw new DoorError("not_found", `"${name}" is a tool of plugin "${owner}": grants and settings are the plugin's`, owner);
    throw noSuchThing(name, "plugin");
  }

  function noSuchThing(name: string, what: "plugin" | "plugin or tool" = "plugin or tool"): DoorError {
    const plugins = host.plugins().flatMap((plugin) => plugin.name ?? []);
    const names = what === "plugin" ? plugins : [...plugins, ...host.list().map((tool) => tool.name)];
    return new DoorError("not_found", `Unknown ${what} "${name}"`, nearestName(name, names));
  }

  async function why(question: WhyQuestion): Promise<readonly ToolExplanation[]> {
    const { name } = question;
    const status = host.plugins().find((plugin) => plugin.name === name);
    const tools = status ? host.list({ plugin: name }) : toolsCalled(name);
    if (tools.length === 0) throw status ? new DoorError("not_found", `Plugin "${name}" currently has no tools`) : noSuchThing(name);
    const query = question.act && inWorkspace(toQuery(question.act.kind, question.act.value));
    const led = await queryBehindLinks(query);
    return tools.flatMap((tool) => {
      const ask = (of: typeof query): HostExplanation | undefined => host.why(tool.qualifiedName, of, sessionFor(question.context));
      const asked = ask(query);
      // A call needs a grant for the path as written and for the target of its links (SPEC PA4).
      const explanation = led !== undefined && asked?.act?.verdict.state === "granted" ? ask(led) : asked;
      if (explanation === undefined) return [];
      const isGranted = (method: string): boolean => query?.kind === "net" && ask({ ...query, method })?.act?.verdict.state === "granted";
      const isOpen = query?.kind === "net" && query.method === undefined && explanation.act?.verdict.state !== "granted";
      return [toExplanation(explanation, tool, asked?.act?.query, isOpen ? METHODS.filter(isGranted) : [])];
    });
  }

  /** Maps a path below the link that names the workspace to a path in the workspace. */
  function inWorkspace(query: AccessQuery): AccessQuery {
    const { workspace: cwd, named } = session;
    if (named === undefined || !isPathKind(query.kind) || !("path" in query) || query.path === undefined) return query;
    return { kind: query.kind, path: pathIn(query.path, { cwd, named }) ?? query.path };
  }

  /** Returns undefined if the path contains no links. */
  async function queryBehindLinks(query: AccessQuery | undefined): Promise<AccessQuery | undefined> {
    if (query === undefined || !isPathKind(query.kind) || !("path" in query) || query.path === undefined) return undefined;
    const path = normalizePath(query.path, session.workspace);
    const real = path && (await resolvePlace(path, files));
    return real === undefined || real === path ? undefined : { kind: query.kind, path: real };
  }

  function toExplanation(
    explanation: HostExplanation,
    tool: ToolListing,
    asked: AccessQuery | undefined,
    methods: readonly string[],
  ): ToolExplanation {
    const { tool: name, verdict, because, route, confinement, confirm, rules, toolLayers, layers, quotas, act } = explanation;
    const { workspace } = session;
    return {
      ...{ tool: name, verdict, because, class: explanation.class, route, confirm: confirm.mode, toolLayers, layers, quotas },
      ...(confinement && { confinement }),
      // Effects of rules are JSON; only their interface lacks an index signature.
      rules: rules.map(({ rule, effect }) => ({ rule, effect: { ...effect } as ToolExplanation["rules"][number]["effect"] })),
      ...(act && { act: toAct(act, { plugin: tool.plugin, workspace, asked: asked ?? act.query, methods }) }),
    };
  }

  async function onPlugin<T>(plugin: string, act: () => Promise<T>): Promise<T> {
    if (!host.plugins().some(({ name, folder, held }) => name === plugin || held?.name === plugin || folder === plugin))
      checkPlugin(plugin);
    return await refusedAsSaid(act);
  }

  return {
    async call(request, { signal, onProgress, onYield, confirm }) {
      const { tool, args, timeoutMs, seed, timeMs, record, dryRun, callGrant, context } = request;
      return await host.call(tool, args, {
        session: sessionFor(context),
        signal,
        ...defined({ timeoutMs, seed, timeMs, record, dryRun, callGrant, onProgress, onYield, confirm, unattended: options.unattended }),
      });
    },
    readResult(handle, range = {}) {
      for (const own of [session, ...kept.values(), ...named]) {
        const found = host.readResult(handle, { ...range, session: own });
        if (found !== undefined) return Promise.resolve(found);
      }
      return Promise.reject(new DoorError("not_found", "Result handle not found: unknown to this client, or no longer kept"));
    },
    async status(): Promise<HostStatus> {
      const plugins = host.plugins().filter(({ state }) => state !== "ignored");
      return {
        ...about,
        root: host.places.root,
        workspace: session.workspace,
        pluginRoots: host.places.pluginRoots,
        plugins: plugins.length,
        tools: host.list({ enabledOnly: true }).length,
        grantProblems: host.grants.problems(),
        notices: host.notices(),
      };
    },
    list,
    info,
    grant: (plugin, permissions) => onPlugin(plugin, () => host.grant(plugin, permissions)),
    revoke: (plugin, taken) => host.revoke(plugin, taken),
    async grants() {
      const here = new Set(host.plugins().map((plugin) => JSON.stringify([plugin.name, realDirectoryOf(plugin)])));
      const grants = host.grants.list().map((grant) => ({ ...grant, inUse: here.has(JSON.stringify([grant.plugin, grant.directory])) }));
      return { file: host.grants.file, problems: host.grants.problems(), grants };
    },
    async settings(plugin, change) {
      checkPlugin(plugin);
      try {
        return change === undefined ? host.settings.view(plugin) : await host.settings.change(plugin, change);
      } catch (error) {
        if (error instanceof SettingsError) throw new DoorError("invalid_request", error.message, error.suggestion);
        throw error;
      }
    },
    async why(question) {
      return { tools: await why(question) };
    },
    pending: () => Promise.resolve(host.confirmations.list().map((one) => ({ ...one, request: shownRequest(one.request) }))),
    resolve: (requestId, given) => Promise.resolve(answerConfirmation(requestId, given, options)),
    commit: (callId, hash) => host.commit(callId, hash === undefined ? {} : { hash }),
    undo: (callId, wanted) => host.undo(callId, wanted),
    result: (callId) => Promise.resolve(host.result(callId)),
    undoable: () => host.undoable(),
    waiting: () =>
      Promise.resolve(
        host
          .waiting()
          .toSorted((left, right) => left.since - right.since)
          .slice(0, MOST_WAITING),
      ),
    cancelWaiting: async (callId) => (host.waiting().some((call) => call.callId === callId) ? await host.cancelCall(callId) : undefined),
    accept: (plugin, digest) => onPlugin(plugin, () => host.accept(plugin, digest)),
    rollback: (plugin) => onPlugin(plugin, () => host.rollback(plugin)),
    remove: (plugin, options) => onPlugin(plugin, () => host.remove(plugin, options)),
    inspect: (source, signal) => refusedAsSaid(() => host.inspect(source, signal)),
    install: (digest) => refusedAsSaid(() => host.install(digest)),
    watch: (recent, listener) => watchEvents(host, recent, listener),
    reload: () => host.reload(),
    end: async () => void (await Promise.all([session, ...kept.values()].map(endWhenAnswered))),
  };
}

/** Turns errors of requests that the host refused or could not do into a `DoorError` with the host's message. */
async function refusedAsSaid<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof TypeError) throw new DoorError("refused", error.message);
    if (error instanceof PackageError || error instanceof LockFileError || error instanceof FileError)
      throw new DoorError("failed", error.message);
    throw error;
  }
}

function builtinView(tools: readonly ToolListing[]): PluginView {
  return {
    name: BUILTIN,
    state: "loaded",
    description: "Tools that come with bascule",
    tools: tools.map(toToolView),
    problems: [],
    requested: {},
    granted: {},
    missing: {},
    limits: [],
  };
}

function* aTurn(): Generator<void, void> {
  yield;
}

/** Converts a tool to the form that doors show. */
export function toToolView(tool: ToolListing): ToolView {
  const { name, qualifiedName, source, title, description, sideEffects = [], destructive, route, confinement, reason } = tool;
  return {
    ...{ name, qualifiedName, source, description, sideEffects, destructive, route },
    ...defined({ yieldsTo: tool.yieldsTo, confinement }),
    ...(tool.assumed === true && { assumed: true as const }),
    ...(tool.protected && { protected: tool.protected }),
    class: tool.class ?? sideEffectClass(sideEffects),
    // Schemas are JSON; only their interface lacks an index signature.
    inputSchema: { ...tool.inputSchema } as ToolView["inputSchema"],
    ...(title !== undefined && { title }),
    ...(tool.outputSchema !== undefined && { outputSchema: { ...tool.outputSchema } as ToolView["inputSchema"] }),
    ...(tool.checks && { checks: { ...tool.checks } as unknown as NonNullable<ToolView["checks"]> }),
    ...(tool.mcp && { mcp: tool.mcp }),
    ...(!tool.enabled && { unavailable: reason ?? "not available" }),
  };
}

function toAct({ query, verdict }: NonNullable<Explanation["act"]>, { plugin, workspace, asked, methods }: AskedAct): ActExplanation {
  const [value, real] = [valueOf(asked), valueOf(query)];
  const hint =
    verdict.state === "prompt" && plugin !== undefined
      ? { plugin, permissions: smallestGrant(query, { base: workspace, workspace }).permissions }
      : undefined;
  return {
    kind: query.kind,
    ...(value !== undefined && { value }),
    ...(real !== undefined && real !== value && { leadsTo: real }),
    state: verdict.state,
    ...(methods.length > 0 && { methods }),
    layers: verdict.layers.map((layer) => ({
      layer: layer.layer,
      state: layer.state,
      ...(layer.rule !== undefined && { rule: layer.rule }),
      decided: layer.layer === verdict.decidedBy.layer && layer.state === verdict.decidedBy.state,
    })),
    ...(hint && { hint }),
  };
}

interface AskedAct {
  readonly plugin: string | undefined;
  readonly workspace: string;
  readonly asked: AccessQuery;
  readonly methods: readonly string[];
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
