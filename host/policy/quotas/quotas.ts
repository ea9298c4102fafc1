/** How much may be used in which time: asked together with policy, counted while calls run (SPEC D9, P2, B3). */

import { quotaExhausted, type ToolErrorData } from "../../call/errors.ts";
import type { Session } from "../../call/session.ts";
import type { RegisteredTool } from "../../tools/tool.ts";
import { type Budget, CallMeter, type Meter } from "../../call/meter.ts";
import type { Quota } from "../../call/quota.ts";
import { UsageTable, type UsageWindow } from "./usage.ts";

/** Whose calls are counted. */
export interface QuotaSubject {
  readonly tool: RegisteredTool;
  readonly session: Session;
  readonly quotas: readonly Quota[];
}

/** What is left of a quota. */
export interface QuotaUse extends Quota {
  /** The tool's qualified name, the plugin's name or the session's id. */
  readonly subject: string;
  readonly used: number;
  readonly left: number;
  /** Milliseconds until something of it is free again; 0 while something is. */
  readonly freesInMs: number;
}

/** What a host's calls have used. In memory: a new host begins anew. */
export interface Quotas {
  /** Why the call must not run, if a quota is used up. Counts nothing. */
  check(subject: QuotaSubject): ToolErrorData | undefined;
  /** Asks again and counts the call, in one step. */
  begin(subject: QuotaSubject): { readonly ok: true; readonly meter: Meter } | { readonly ok: false; readonly error: ToolErrorData };
  read(subject: QuotaSubject): readonly QuotaUse[];
}

/** Tools and plugins are as many as are registered. Sessions come and go: a new one has quotas of its own anyway. */
const MOST_WINDOWS = 16_384;

/** @param now milliseconds of a clock that never goes back */
export function createQuotas(now: () => number): Quotas {
  const ofTools = new UsageTable(MOST_WINDOWS);
  const ofSessions = new UsageTable(MOST_WINDOWS);

  function accountsOf({ tool, session, quotas }: QuotaSubject): readonly Account[] {
    return quotas.flatMap((quota) =>
      subjectsOf(quota, tool, session).map((subject) => {
        const table = quota.per === "session" ? ofSessions : ofTools;
        const key = JSON.stringify([quota.per, subject, quota.resource, quota.windowMs]);
        return { quota, subject, window: table.window(key, quota.windowMs, now()) };
      }),
    );
  }

  function problemOf({ quota, subject, window }: Account, wanted: number): ToolErrorData | undefined {
    const used = window.used(now());
    if (used + wanted <= quota.limit) return undefined;
    const frees = wanted <= quota.limit ? { freesInMs: Math.ceil(window.fallsTo(quota.limit - wanted, now())) } : {};
    return quotaExhausted({ ...quota, subject, used: Math.ceil(used), ...frees });
  }

  /** A whole one of calls; of the rest anything at all, which is a whole one of what is counted in whole ones. */
  function checkAll(accounts: readonly Account[]): ToolErrorData | undefined {
    for (const account of accounts) {
      const problem = problemOf(account, 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  return {
    check: (subject) => (subject.quotas.length === 0 ? undefined : checkAll(accountsOf(subject))),
    begin(subject) {
      // Most calls have none.
      if (subject.quotas.length === 0) return { ok: true, meter: new CallMeter() };
      // The same account once, however many rules limit it.
      const accounts = accountsOf(subject);
      const error = checkAll(accounts);
      if (error !== undefined) return { ok: false, error };
      const windows = new Map(accounts.map(({ window, quota }) => [window, quota.resource]));
      for (const [window, resource] of windows) if (resource === "calls") window.add(1, now());
      return { ok: true, meter: new CallMeter(budgetsOf(accounts)) };
    },
    read: (subject) =>
      accountsOf(subject).map(({ quota, subject: whose, window }) => {
        const used = window.used(now());
        const freesInMs = used < quota.limit ? 0 : Math.ceil(window.fallsTo(quota.limit - 1, now()));
        return { ...quota, subject: whose, used: Math.ceil(used), left: Math.max(0, quota.limit - Math.ceil(used)), freesInMs };
      }),
  };

  function budgetsOf(accounts: readonly Account[]): readonly Budget[] {
    const counted = new Set<UsageWindow>();
    return accounts.map((account): Budget => {
      const { quota, window } = account;
      // Two limits of one window count once.
      const isFirst = !counted.has(window);
      counted.add(window);
      return {
        resource: quota.resource,
        problem: (amount) => problemOf(account, amount),
        add: (amount) => (isFirst ? window.add(amount, now()) : undefined),
        left: () => Math.max(1, Math.floor(quota.limit - window.used(now()))),
      };
    });
  }
}

interface Account {
  readonly quota: Quota;
  readonly subject: string;
  readonly window: UsageWindow;
}

/** A delegated session's use is its parents' as well, or delegating would be a way around (SPEC P3). */
function subjectsOf({ per, session: only }: Quota, tool: RegisteredTool, session: Session): readonly string[] {
  if (only !== undefined) return [only];
  if (per === "tool") return [tool.qualifiedName];
  if (per === "plugin") return tool.plugin === undefined ? [] : [tool.plugin];
  const ids: string[] = [];
  for (let at: Session | undefined = session; at !== undefined; at = at.parent) ids.push(at.id);
  return ids;
}
