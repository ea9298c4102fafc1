/** Reads, judges and saves the user's edit of `bascule.json` (SPEC I5, P1, P6). */

import { type AccessQuery, isPathKind, parseProject, PERMISSION_KINDS, type Problem } from "../../../manifests/mod.ts";
import type { Audit } from "../../audit/audit.ts";
import type { RecordedUse, UsedAct } from "../../audit/usage.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Judge } from "../../host/host-policy.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Explanation } from "../../policy/explain.ts";
import { ProjectConfigError } from "../../project/project-file.ts";
import { readProjectText, saveProject } from "../../project/save-project.ts";
import { toQuery } from "../access-query.ts";
import type { PolicyChange, PolicyCheck, PolicyProblem, PolicyText } from "../views.ts";
import { RequestProblem } from "./problem.ts";

export interface PolicyFile {
  /** Resolves with undefined if the project has no `bascule.json`. */
  read(): Promise<PolicyText | undefined>;
  /** @throws {RequestProblem} if the text is not valid */
  check(text: string): Promise<PolicyCheck>;
  /**
   * Writes the file, if it still has the digest, and puts it in force as far as the folder is trusted.
   *
   * @returns names of the requests that wait for the user's trust
   * @throws {RequestProblem} if the file changed, or the text cannot be saved
   */
  save(edit: {
    readonly text: string;
    readonly digest: string;
  }): Promise<{ readonly digest: string; readonly withheld: readonly object[] }>;
}

interface PolicyFileOptions {
  readonly host: Pick<Host, "policy" | "listEach" | "places" | "reload"> & { readonly audit: Pick<Audit, "flush" | "use"> };
  readonly platform: Platform;
}

const WEEK_MS = 7 * 24 * 3_600_000;
const MAX_CHANGES = 500;
/** Maximum decisions of tools that are compared. A client names its role, so there may be any number of roles. */
const MAX_DECISIONS = 20_000;

export function createPolicyFile({ host, platform }: PolicyFileOptions): PolicyFile {
  function pathOfFile(): string {
    const { path } = host.places.project;
    if (path !== undefined) return path;
    throw new RequestProblem("not_found", "The project has no bascule.json: create one with bascule init, then restart the server");
  }

  return {
    async read() {
      const { path } = host.places.project;
      return path === undefined ? undefined : await readProjectText(platform, path);
    },
    async check(text) {
      const edited = judgeOf(host, text);
      const until = platform.clock.now() + 1;
      await host.audit.flush();
      const use = await host.audit.use({ since: until - WEEK_MS, until });
      const { notCompared, ...found } = await platform.slices.run(compare({ host, edited, use, roles: rolesIn(text) }));
      return { ...found, calls: use.calls, notCompared: notCompared + use.dropped + use.damage, since: until - WEEK_MS };
    },
    async save(edit) {
      const saved = await saveProject(platform, { file: pathOfFile(), state: host.places.state }, edit);
      if (saved.kind === "refused") throw refused(saved.problems);
      if (saved.kind === "changed")
        throw new RequestProblem("conflict", "bascule.json was changed meanwhile: compare your edit with the file as it is now", {
          now: saved.now,
        });
      await host.reload();
      return { digest: saved.digest, withheld: host.places.trust?.withheld().map(({ name, about }) => ({ name, about })) ?? [] };
    },
  };
}

function judgeOf({ policy }: Pick<Host, "policy">, text: string): Judge {
  try {
    return policy.alternative(text);
  } catch (error) {
    if (error instanceof ProjectConfigError) throw refused(error.problems);
    throw error;
  }
}

function refused(problems: readonly Problem[]): RequestProblem {
  const errors = problems.map(({ pointer, message, fix, line, column }): PolicyProblem => ({ pointer, message, fix, line, column }));
  return new RequestProblem("invalid_request", `bascule.json would not be valid: ${problems[0]?.message ?? ""}`, { errors });
}

/** `alternative` has accepted the text. */
function rolesIn(text: string): readonly string[] {
  const parsed = parseProject(text);
  const named = parsed.ok ? [...Object.keys(parsed.value.roles), ...parsed.value.policy.layers.flatMap(({ role }) => role ?? [])] : [];
  return [...new Set(named)];
}

interface Comparison {
  readonly host: PolicyFileOptions["host"];
  readonly edited: Judge;
  readonly use: RecordedUse;
  /** Roles that the edited text names. */
  readonly roles: readonly string[];
}

interface ToolInRole {
  readonly tool: string;
  readonly role?: string;
}

/** Yields the tools without a role, in the roles in which they were called, and in those that the text names. May repeat itself. */
function* toolsInRoles(tools: readonly string[], { use, roles }: Comparison): Generator<ToolInRole> {
  for (const tool of tools) yield { tool };
  yield* use.tools.filter(({ role }) => role !== undefined);
  for (const role of roles) for (const tool of tools) yield { tool, role };
}

/** One decision a slice. */
function* compare(comparison: Comparison): Generator<void, Pick<PolicyCheck, "changes" | "left" | "changedCalls" | "notCompared">> {
  const { host, edited, use } = comparison;
  const { now } = host.policy;
  const changes: PolicyChange[] = [];
  let changedCalls = 0;
  const tools = Array.from(host.listEach(), ({ qualifiedName }) => qualifiedName);
  const calls = new Map(use.tools.map((used) => [keyOf(used), used.calls]));
  const seen = new Set<string>();
  for (const one of toolsInRoles(tools, comparison)) {
    yield;
    if (seen.size >= MAX_DECISIONS) break;
    if (seen.has(keyOf(one))) continue;
    seen.add(keyOf(one));
    const { tool, role } = one;
    const change = changeOf(now(tool, role), edited(tool, role));
    if (change === undefined) continue;
    const count = calls.get(keyOf(one)) ?? 0;
    changedCalls += count;
    changes.push({ tool, ...(role !== undefined && { role }), ...change, count });
  }
  for (const act of use.acts) {
    yield;
    const query = queryOf(act);
    const [before, after] = query === undefined ? [] : [now(act.tool, act.role, {}, query), edited(act.tool, act.role, {}, query)];
    const [old, next] = [before?.act?.verdict, after?.act?.verdict];
    if (old === undefined || next === undefined || old.state === next.state) continue;
    const { tool, role, kind, value, method, count } = act;
    const { layer, rule } = next.decidedBy;
    changes.push({
      ...{ tool, ...(role !== undefined && { role }) },
      act: { kind, value, ...(method !== undefined && { method }) },
      ...{ before: old.state, after: next.state, because: rule === undefined ? layer : `${layer}: ${rule}` },
      ...{ also: [], widens: next.state === "granted", count },
    });
  }
  const notCompared = Math.max(0, tools.length * (1 + comparison.roles.length) - MAX_DECISIONS);
  const sorted = changes.toSorted((one, other) => other.count - one.count);
  return { changes: sorted.slice(0, MAX_CHANGES), left: Math.max(0, sorted.length - MAX_CHANGES), changedCalls, notCompared };
}

function keyOf({ tool, role }: ToolInRole): string {
  return JSON.stringify([tool, role ?? null]);
}

const STRICTNESS = ["allowed", "asks", "denied"];

function changeOf(
  before: Explanation | undefined,
  after: Explanation | undefined,
): Pick<PolicyChange, "before" | "after" | "because" | "widens" | "also"> | undefined {
  if (before === undefined || after === undefined) return undefined;
  const [old, next] = [partsOf(before), partsOf(after)];
  const also = Object.keys(next).filter((part) => old[part] !== undefined && old[part] !== next[part]);
  if (also.length === 0 && before.verdict === after.verdict) return undefined;
  const isWider = STRICTNESS.indexOf(after.verdict) < STRICTNESS.indexOf(before.verdict);
  return {
    ...{ before: before.verdict, after: after.verdict, because: `${after.because.layer}: ${after.because.rule}`, also },
    widens: isWider || (after.verdict === before.verdict && after.route !== before.route && after.route === "host"),
  };
}

/** A denied tool has no route or limits. */
function partsOf({ verdict, route, limits, layers, quotas }: Explanation): Readonly<Record<string, string>> {
  if (verdict === "denied") return {};
  return { route, limits: JSON.stringify(limits), permissions: JSON.stringify(layers), quotas: JSON.stringify(quotas) };
}

/** Undefined for an act whose value cannot be asked about. */
function queryOf({ kind, value, method }: UsedAct): AccessQuery | undefined {
  const known = PERMISSION_KINDS.find((one) => one === kind);
  if (known === undefined || value === "" || (isPathKind(known) && !value.startsWith("/"))) return undefined;
  return toQuery(known, known === "net" && method !== undefined ? `${method} ${value}` : value);
}
