/** Types of the answers about charts, clients, access, versions and the policy. All texts are untrusted and shown only as text. */

export interface CallTotals {
  readonly calls: number;
  readonly failed: number;
  readonly denied: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

type Values = readonly (number | null)[];

export interface MetricsHistory {
  readonly range: string;
  readonly from: number;
  readonly stepMs: number;
  readonly overall: CallTotals;
  readonly plugins: readonly (CallTotals & { readonly plugin: string; readonly series: readonly number[] })[];
  readonly damage: number;
  readonly calls: readonly number[];
  readonly failed: readonly number[];
  readonly denied: readonly number[];
  readonly p50: Values;
  readonly p95: Values;
  readonly p99: Values;
  readonly memoryBytes: Values;
  readonly busy: Values;
  readonly queued: Values;
  readonly confirmations: Values;
}

export interface ClientSession {
  readonly sessionId: string;
  readonly door?: string;
  readonly client?: string;
  readonly role?: string;
  readonly workspace?: string;
  readonly openedAt?: number;
  readonly closedAt?: number;
  readonly lastCallAt?: number;
  readonly calls: number;
  readonly failed: number;
  readonly denied: number;
  readonly running: number;
  readonly lastTool?: string;
}

export type AccessState = "granted" | "prompt" | "denied";

export interface MapCell {
  readonly plugin: string;
  readonly resource: number;
  readonly state: AccessState;
  readonly asks: boolean;
  readonly layer: string;
  readonly rule?: string;
  readonly requested: boolean;
  readonly granted: boolean;
  readonly used: number;
}

export interface MapResource {
  readonly kind: string;
  readonly text: string;
  readonly own?: string;
}

export interface PermissionMap {
  readonly plugins: readonly string[];
  readonly resources: readonly MapResource[];
  readonly cells: readonly MapCell[];
  readonly left: number;
}

export interface PolicyText {
  readonly path: string;
  readonly text: string;
  readonly digest: string;
}

export interface PolicyChange {
  readonly tool: string;
  readonly role?: string;
  readonly act?: { readonly kind: string; readonly value: string; readonly method?: string };
  readonly before: string;
  readonly after: string;
  readonly also: readonly string[];
  readonly because: string;
  readonly widens: boolean;
  readonly count: number;
}

export interface PolicyCheck {
  readonly changes: readonly PolicyChange[];
  readonly left: number;
  readonly calls: number;
  readonly changedCalls: number;
  readonly notCompared: number;
  readonly since: number;
}

/** A problem of `bascule.json`. */
export interface PolicyProblem {
  readonly pointer: string;
  readonly message: string;
  readonly fix?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface SourceVersion {
  readonly digest: string;
  readonly version?: string;
  readonly state: "serving" | "folder" | "kept";
}

export interface SourceFile {
  readonly path: string;
  readonly bytes: number;
  readonly text?: string;
}

export interface SourceChange {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before?: number;
  readonly after?: number;
  readonly diff?: string;
}

export interface LogLine {
  readonly time: number;
  readonly level: string;
  readonly text: string;
  readonly isGuest: boolean;
  readonly tool?: string;
  readonly callId?: string;
}

export interface TestRun {
  readonly at: number;
  readonly ms: number;
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly isCut: boolean;
  readonly files: readonly {
    readonly file: string;
    readonly kind: string;
    readonly error?: TestError;
    readonly results: readonly {
      readonly name: string;
      readonly status: string;
      readonly ms: number;
      readonly place?: string;
      readonly error?: TestError;
    }[];
  }[];
}

interface TestError {
  readonly message: string;
  readonly stack: string;
}
