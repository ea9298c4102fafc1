/** Types of the server's answers, as far as this page reads them. All content is untrusted and shown only as text. */

import type { ContentBlock } from "../../host/call/content-block.ts";
import type { DryRunReport as DryRun } from "../../host/call/dry-run-report.ts";
import type { JsonObject, JsonValue as Json } from "../../manifests/mod.ts";

export type { ContentBlock } from "../../host/call/content-block.ts";
export type { DryRunReport as DryRun, FileChange } from "../../host/call/dry-run-report.ts";
export type { JsonObject, JsonValue as Json } from "../../manifests/mod.ts";

export interface HostEvent {
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly callId?: string;
  readonly sessionId?: string;
  readonly plugin?: string;
  readonly chainId?: string;
  readonly payload: JsonObject;
}

export interface Problem {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
}

export interface Result {
  readonly callId: string;
  readonly arguments: Json;
  readonly plugin?: string;
  readonly content: readonly ContentBlock[];
  readonly route?: string;
  readonly limitsUsed: JsonObject;
  readonly decision?: Decision;
  readonly metadata: JsonObject;
  readonly truncated?: readonly JsonObject[];
  readonly tool: string;
  readonly ok: boolean;
  readonly status: string;
  readonly output: Json;
  readonly durationMs: number;
  readonly filesModified: readonly string[];
  readonly dryRun?: DryRun;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint?: { readonly text?: string; readonly command?: string };
  };
}

/** Policy's decision about a call. */
export interface Decision {
  readonly kind: string;
  readonly route?: string;
  readonly because: { readonly layer: string; readonly rule: string };
  readonly grants?: readonly { readonly layer: string; readonly permissions: JsonObject }[];
}

export interface Committed {
  readonly ok: boolean;
  readonly filesModified: readonly string[];
  readonly message?: string;
}

export interface Undone {
  readonly restored: readonly string[];
  readonly left: readonly { readonly path: string; readonly reason: string }[];
  readonly dryRun?: DryRun;
}

export type AnswerScope = "once" | "session" | "always";

export interface Question {
  readonly sessionId: string;
  readonly owner?: string;
  readonly scopes: readonly AnswerScope[];
  readonly askedAt: number;
  readonly expiresAt: number;
  readonly request: {
    readonly requestId: string;
    readonly callId: string;
    readonly tool: string;
    readonly plugin?: string;
    readonly digest?: string;
    readonly args: Json;
    readonly largeArguments?: { readonly bytes: number; readonly sha256: string };
    readonly class: string;
    readonly destructive: boolean;
    readonly projectedModifications: readonly string[];
    readonly calledBy?: readonly string[];
    readonly permission?: { readonly kind: string; readonly value?: string; readonly leadsTo?: string };
    readonly preview?: DryRun;
    readonly hash: string;
  };
}

export interface Tool {
  readonly name: string;
  readonly qualifiedName: string;
  readonly description: string;
  readonly class: string;
  readonly destructive: boolean;
  /** Any JSON Schema if `checks` is set. */
  readonly inputSchema: Schema;
  readonly checks?: { readonly inputSchema: Schema };
  readonly unavailable?: string;
}

/** The subset of JSON Schema for tools. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Plugin {
  readonly name: string;
  readonly state: string;
  readonly version?: string;
  readonly description?: string;
  readonly directory?: string;
  readonly digest?: string;
  readonly tools: readonly Tool[];
  readonly problems: readonly { readonly message: string; readonly severity: string }[];
  readonly requested: JsonObject;
  readonly granted: JsonObject;
  readonly missing: JsonObject;
  readonly limits: readonly { readonly limit: string; readonly by?: string; readonly text: string }[];
  readonly held?: { readonly version: string; readonly digest: string; readonly words: readonly ChangeWords[] };
}

/** A difference between the serving version and the waiting one. */
export interface ChangeWords {
  readonly sign: string;
  readonly what: string;
  readonly from?: string;
  readonly to?: string;
  readonly widens: boolean;
}

export interface Used {
  readonly calls: number;
  readonly since?: number;
  readonly used: JsonObject;
  readonly lines: readonly {
    readonly kind: string;
    readonly item: Json;
    readonly acts: number;
    readonly refused: number;
    readonly calls: readonly string[];
  }[];
  readonly unused: { readonly [side in "manifest" | "grants"]: readonly { readonly kind: string; readonly item: Json }[] };
  readonly leftOut: readonly { readonly kind: string; readonly value: string; readonly reason: string }[];
  readonly leftOutMore: number;
}

export interface SettingField {
  readonly key: string;
  readonly value?: Json;
  readonly isSet: boolean;
  readonly schema: Schema;
}

export interface PluginSettings {
  readonly file: string;
  readonly exists: boolean;
  readonly enabled: boolean;
  readonly disabledTools: readonly string[];
  readonly fields: readonly SettingField[];
  readonly problems: readonly { readonly message: string }[];
}

export interface McpServer {
  readonly name: string;
  readonly state: string;
  readonly problem?: string;
  readonly tools: readonly string[];
  readonly refused: readonly { readonly tool: string; readonly reason: string }[];
  readonly waiting?: { readonly tools: readonly string[]; readonly digest: string; readonly words: readonly ChangeWords[] };
}

export interface Explanation {
  readonly tool: string;
  readonly verdict: string;
  readonly because: { readonly layer: string; readonly rule: string };
  readonly class: string;
  readonly route: string;
  readonly confirm: string;
  readonly toolLayers: readonly { readonly layer: string; readonly level: string; readonly allowed: boolean; readonly rule: string }[];
  readonly act?: {
    readonly state: string;
    readonly layers: readonly { readonly layer: string; readonly state: string; readonly rule?: string; readonly decided: boolean }[];
  };
}
