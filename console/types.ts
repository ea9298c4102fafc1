/** What the server answers, as far as this page reads it. Everything in it may come from strangers: it is shown as text only. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface HostEvent {
  readonly id: string;
  readonly type: string;
  readonly time: number;
  readonly callId?: string;
  readonly sessionId?: string;
  readonly plugin?: string;
  readonly payload: JsonObject;
}

export interface Problem {
  readonly title: string;
  readonly detail: string;
  readonly status: number;
}

export interface Result {
  readonly callId: string;
  readonly ok: boolean;
  readonly status: string;
  readonly output: Json;
  readonly durationMs: number;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint?: { readonly text?: string; readonly command?: string };
  };
}

export interface FileChange {
  readonly path: string;
  readonly kind: string;
  readonly from?: string;
  readonly mode?: string;
  readonly diff?: string;
}

export interface Question {
  readonly sessionId: string;
  readonly expiresAt: number;
  readonly request: {
    readonly requestId: string;
    readonly tool: string;
    readonly plugin?: string;
    readonly digest?: string;
    readonly args: Json;
    readonly class: string;
    readonly destructive: boolean;
    readonly projectedModifications: readonly string[];
    readonly preview?: {
      readonly changes: readonly FileChange[];
      readonly moreChanges?: number;
      readonly held: readonly { readonly method: string; readonly url: string }[];
    };
    readonly hash: string;
  };
}

export interface Tool {
  readonly name: string;
  readonly qualifiedName: string;
  readonly description: string;
  readonly class: string;
  readonly destructive: boolean;
  readonly inputSchema: Schema;
  readonly unavailable?: string;
}

/** The subset of JSON Schema that tools have. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
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
  readonly held?: { readonly version: string; readonly digest: string; readonly changes: readonly JsonObject[] };
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
