/** Quotas: how much may be used per time window. Checked together with policy, counted while calls run (SPEC D9, P2, B3). */

import { quotaExhausted, type ToolErrorData } from "../../call/errors.ts";
import type { Session } from "../../call/session.ts";
import type { RegisteredTool } from "../../tools/tool.ts";
import { type Budget, CallMeter, type Meter } from "../../call/meter.ts";
import type { Quota } from "../../call/quota.ts";
import { type UsedAmount, UsageTable, type UsageWindow } from "./usage.ts";

/** The tool and session that are charged. */
export interface QuotaSubject {
  readonly tool: RegisteredTool;
  readonly session: Session;
  readonly quotas: readonly Quota[];
}

/** Use and remainder of a quota. */
export interface QuotaUse extends Quota {
  /** The tool's qualified name, the plugin's name or the session's id. */
  readonly subject: string;
  readonly used: number;
  readonly left: number;
  /** Milliseconds until some of it is free again; 0 if some is free now. */
  readonly freesInMs: number;
}

/** Use of one window, as it survives the host. Plain data. */
export interface KeptUse {
  /** Names the window. */
  readonly key: string;
  readonly windowMs: number;
  readonly amounts: readonly UsedAmount[];
}

/** Use by this host's calls, and by those of earlier hosts that was restored. */
export interface Quotas {
  /** Returns the error if a quota is used up. Counts nothing. */
  check(subject: QuotaSubject): ToolErrorData | undefined;
  /** Checks and counts the call in one step. */
  begin(subject: QuotaSubject): { readonly ok: true; readonly meter: Meter } | { readonly ok: false; readonly error: ToolErrorData };
  read(subject: QuotaSubject): readonly QuotaUse[];
  /** Returns the use of a window; undefined if it is unused. */
  useOf(key: string): KeptUse | undefined;
  /** Adds the use of an earlier host. */
  restore(use: KeptUse): void;
}

/** Bound of each table. Tools and plugins are limited by registration; sessions come and go, and a new session has new quotas anyway. */
const MOST_WINDOWS = 16_384;

/**
 * @param now milliseconds of a monotonic clock
 * @param onUse receives the key of each window whose use changes
 */
export function createQuotas(now: () => number, onUse: (key: string) => void = () => {}): Quotas {
  const ofTools = new UsageTable(MOST_WINDOWS);
  const ofSessions = new UsageTable(MOST_WINDOWS);
  const tableOf = (key: string): UsageTable => (key.startsWith('["session"') ? ofSessions : ofTools);

  function accountsOf({ tool, session, quotas }: QuotaSubject): readonly Account[] {
    return quotas.flatMap((quota) =>
      subjectsOf(quota, tool, session).map((subject) => {
        const key = JSON.stringify([quota.per, subject, quota.resource, quota.windowMs]);
        return { quota, subject, key, window: tableOf(key).window(key, quota.windowMs, now()) };
      }),
    );
  }

  function problemOf({ quota, subject, window }: Account, wanted: number): ToolErrorData | undefined {
    const used = window.used(now());
    if (used + wanted <= quota.limit) return undefined;
    const frees = wanted <= quota.limit ? { freesInMs: Math.ceil(window.fallsTo(quota.limit - wanted, now())) } : {};
    return quotaExhausted({ ...quota, subject, used: Math.ceil(used), ...frees });
  }

  /** Requires one unit of each resource: a whole call, or at least some of a resource that is not counted in units. */
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
      // Most calls have no quota.
      if (subject.quotas.length === 0) return { ok: true, meter: new CallMeter() };
      // One account per window, even if several rules limit it.
      const accounts = accountsOf(subject);
      const error = checkAll(accounts);
      if (error !== undefined) return { ok: false, error };
      const windows = new Map(accounts.map((account) => [account.window, account]));
      for (const { window, key, quota } of windows.values()) if (quota.resource === "calls") count(window, key, 1);
      return { ok: true, meter: new CallMeter(budgetsOf(accounts)) };
    },
    read: (subject) =>
      accountsOf(subject).map(({ quota, subject: whose, window }) => {
        const used = window.used(now());
        const freesInMs = used < quota.limit ? 0 : Math.ceil(window.fallsTo(quota.limit - 1, now()));
        return { ...quota, subject: whose, used: Math.ceil(used), left: Math.max(0, quota.limit - Math.ceil(used)), freesInMs };
      }),
    useOf(key) {
      const window = tableOf(key).find(key);
      const amounts = window?.amounts(now()) ?? [];
      return window === undefined || amounts.length === 0 ? undefined : { key, windowMs: window.windowMs, amounts };
    },
    restore: ({ key, windowMs, amounts }) => tableOf(key).window(key, windowMs, now()).restore(amounts, now()),
  };

  function count(window: UsageWindow, key: string, amount: number): void {
    window.add(amount, now());
    onUse(key);
  }

  function budgetsOf(accounts: readonly Account[]): readonly Budget[] {
    const counted = new Set<UsageWindow>();
    return accounts.map((account): Budget => {
      const { quota, key, window } = account;
      // Two limits of one window count its use once.
      const isFirst = !counted.has(window);
      counted.add(window);
      return {
        resource: quota.resource,
        problem: (amount) => problemOf(account, amount),
        add: (amount) => (isFirst ? count(window, key, amount) : undefined),
        left: () => Math.max(1, Math.floor(quota.limit - window.used(now()))),
      };
    });
  }
}

interface Account {
  readonly quota: Quota;
  readonly key: string;
  readonly subject: string;
  readonly window: UsageWindow;
}

/** Use by a delegated session counts for its parents as well; otherwise delegating would evade quotas (SPEC P3). */
function subjectsOf({ per, session: only }: Quota, tool: RegisteredTool, session: Session): readonly string[] {
  if (only !== undefined) return [only];
  if (per === "tool") return [tool.qualifiedName];
  if (per === "plugin") return tool.plugin === undefined ? [] : [tool.plugin];
  const ids: string[] = [];
  for (let at: Session | undefined = session; at !== undefined; at = at.parent) ids.push(at.id);
  return ids;
}
