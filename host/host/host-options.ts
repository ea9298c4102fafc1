/** What a host is made of, as the embedding program says it (SPEC I1). Types only. */

import type { HostEvent } from "../audit/events.ts";
import type { EventStore } from "../audit/journal.ts";
import type { ConsentMode } from "../plugins/consent/changes.ts";
import type { ConsentConfig } from "../plugins/consent/open-consent.ts";
import type { PlaceOptions } from "../project/places.ts";
import type { Hooks } from "../dispatch/hooks.ts";
import type { IsolationConfig, IsolationKind, JsonObject, JsonValue, Permissions } from "../../manifests/mod.ts";
import type { LearningOptions } from "../plugins/learn/learning-policy.ts";
import type { Log, Platform } from "../platform/platform.ts";
import type { Policy } from "../policy/policy.ts";
import type { Registry } from "../tools/registry.ts";
import type { TelemetryOptions } from "../audit/telemetry/mod.ts";
import type { PluginVersion, ToolFactory } from "../tools/tool.ts";
import type { ToolkitSource } from "../sources/toolkits.ts";

export interface HostOptions extends PlaceOptions {
  /** For this host only, by plugin; `*` is every plugin, and what it denies is denied to all tools. */
  readonly grants?: Readonly<Record<string, Permissions>>;
  /** The `policy` section of `bascule.json`, in its place; or another implementation altogether. */
  readonly policy?: Policy | JsonObject;
  /** Whether what calls change is kept, so that it can be undone; `undo.keep` of `bascule.json` stands above it. Default false. */
  readonly undo?: boolean;
  /** What keeps plugins apart, as `isolation` of `bascule.json`, in whose place it stands. */
  readonly isolation?: IsolationKind | Partial<IsolationConfig>;
  /** What happens to plugins that change. */
  readonly consent?: ConsentMode | Partial<ConsentConfig>;
  /** A registry that the host adds to; null is a host that has none, where every call is `tool_not_found`. */
  readonly registry?: Registry | null;
  /** Default true. */
  readonly builtins?: boolean;
  readonly tools?: readonly ToolFactory[];
  /** Started before `createHost` resolves; one that fails to is skipped and reported. */
  readonly toolkits?: readonly ToolkitSource[];
  readonly hooks?: Hooks;
  readonly events?: EventOptions;
  /** Connect to the MCP servers of `bascule.json`, or to one of them, which is waited for as long as connecting may take. Default true. */
  readonly mcpServers?: boolean | { readonly only: string };
  /** One plugin may do what its maximum says, whatever its manifest asks for and it was granted: to learn what it needs (SPEC P9). */
  readonly learning?: LearningOptions;
  /** Follow changes of plugins, grants and `bascule.json` until `close`. Default false: `reload()` does it once. */
  readonly watch?: boolean;
  /** Default: the platform's, pino on stderr. */
  readonly logger?: Log;
  /** Whether plugins are set as `.bascule/settings/` says. Default true; false leaves them as they come. */
  readonly settings?: boolean;
  readonly platform?: Platform;
  /**
   * Which plugins' code is loaded when they are found. The others' is when one of their tools is first called, and
   * whether it loads is found out then: for hosts that live for one call. Default: all.
   */
  readonly loadsAtOnce?: (plugin: PluginVersion) => boolean;
  /** Plugins are found and loaded before `createHost` resolves. Default true; false leaves it to `reload()`. */
  readonly scan?: boolean;
  /**
   * Count calls for `host.metrics()`, and hand spans and metrics to the OpenTelemetry providers that the program has registered
   * (SPEC AU7). Default false, which costs nothing.
   */
  readonly telemetry?: boolean | TelemetryOptions;
}

/** Who gets events, and what is taken out of them first. */
export interface EventOptions {
  /** Gets every event, synchronously. */
  readonly publish?: (event: HostEvent) => void;
  /**
   * Where events are kept for good: true is the journal in `.bascule/audit/`, false nowhere. Default: the journal, if there is
   * a `bascule.json`.
   */
  readonly store?: boolean | EventStore;
  /** Takes out of arguments and event payloads what must not be kept (SPEC AU4). */
  readonly redact?: (value: JsonValue) => JsonValue;
  /** Events kept for each reader that is slower than the host. Default 1,024. */
  readonly bufferSize?: number;
}
