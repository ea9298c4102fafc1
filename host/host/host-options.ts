/** Options of a host, as the embedding program sets them (SPEC I1). Types only. */

import type { HostEvent } from "../audit/events.ts";
import type { EventStore } from "../audit/journal.ts";
import type { ConsentMode } from "../plugins/consent/change.ts";
import type { ConsentConfig } from "../plugins/consent/open-consent.ts";
import type { PlaceOptions } from "../project/places.ts";
import type { Hooks } from "../dispatch/hooks.ts";
import type { IsolationConfig, IsolationKind, JsonObject, JsonValue, Permissions } from "../../manifests/mod.ts";
import type { LearningOptions } from "../plugins/learn/learning-policy.ts";
import type { Log, Platform } from "../platform/platform.ts";
import type { Policy } from "../policy/policy.ts";
import type { Registry } from "../tools/registry.ts";
import type { Sandbox, WarmWorkers } from "../../sandbox/mod.ts";
import type { TelemetryOptions } from "../audit/telemetry/mod.ts";
import type { PluginVersion, ToolFactory } from "../tools/tool.ts";
import type { ToolkitSource } from "../sources/toolkits.ts";

/** Options of `createHost`. Every one may be left out: then the host serves the project in the current folder. */
export interface HostOptions extends PlaceOptions {
  /** Grants of this host only, by plugin; `*` means every plugin, and its denials apply to all tools. */
  readonly grants?: Readonly<Record<string, Permissions>>;
  /** Replaces the section `policy` of `bascule.json`, or the implementation of policies. */
  readonly policy?: Policy | JsonObject;
  /** Whether to keep the files that calls change, so that calls can be undone. `undo.keep` of `bascule.json` overrides it. Default false. */
  readonly undo?: boolean;
  /** A view of a sandbox that hosts share (`createSharedSandbox`), which its owner closes. Default: a sandbox of this host. */
  readonly sandbox?: Sandbox;
  /** How plugins are isolated. Overrides `isolation` of `bascule.json`. */
  readonly isolation?: IsolationKind | Partial<IsolationConfig>;
  /** Handling of plugins that change. */
  readonly consent?: ConsentMode | Partial<ConsentConfig>;
  /** A registry that the host adds to; null creates a host without one, where every call is `tool_not_found`. */
  readonly registry?: Registry | null;
  /** Whether to register the built-in tools, such as `echo`. Default true. */
  readonly builtins?: boolean;
  /** Tools of the embedding program, such as from `functionTool`. */
  readonly tools?: readonly ToolFactory[];
  /** Toolkits to start before `createHost` resolves; one that fails is skipped and reported. */
  readonly toolkits?: readonly ToolkitSource[];
  /** Functions that may change or refuse calls of this host. */
  readonly hooks?: Hooks;
  /** Where events go, and what is removed from them. */
  readonly events?: EventOptions;
  /** Whether to connect to the MCP servers of `bascule.json`, or to one of them, whose connection is awaited. Default true. */
  readonly mcpServers?: boolean | { readonly only: string };
  /** Lets one plugin use the whole given maximum, whatever its manifest requests and its grants are, to learn what it needs (SPEC P9). */
  readonly learning?: LearningOptions;
  /** Whether to follow changes of plugins, grants and `bascule.json` until `close`. Default false: `reload()` applies them once. */
  readonly watch?: boolean;
  /** Default: the platform's, pino on stderr. */
  readonly logger?: Log;
  /** Whether to apply `.bascule/settings/` to plugins. Default true. */
  readonly settings?: boolean;
  /** Files, network, clock and processes. Default: those of the runtime. */
  readonly platform?: Platform;
  /**
   * Selects the plugins whose code is loaded when they are found. Other plugins load on the first call of one of their tools, which reveals
   * then whether they load: for hosts that live for one call. Default: all.
   */
  readonly loadsAtOnce?: (plugin: PluginVersion) => boolean;
  /** Workers that are started in advance, for hosts that live for one command. Default `spare`: the first one and a spare. */
  readonly warmWorkers?: WarmWorkers;
  /**
   * Whether calls that an earlier host left go on when their time has come. Default true. False is for hosts that live for one command, or
   * with permissions of their own: there, only calls that a user answers or cancels go on.
   */
  readonly resume?: boolean;
  /** Whether to find and load plugins before `createHost` resolves. Default true; false leaves it to `reload()`. */
  readonly scan?: boolean;
  /**
   * Counts calls for `host.metrics()`, and passes spans and metrics to the program's registered OpenTelemetry providers (SPEC AU7). Default
   * false, which costs nothing.
   */
  readonly telemetry?: boolean | TelemetryOptions;
}

/** Where events go, and which values are removed from them first. */
export interface EventOptions {
  /** Receives every event, synchronously. */
  readonly publish?: (event: HostEvent) => void;
  /** Durable store of events: true is the journal in `.bascule/audit/`, false none. Default: the journal, if `bascule.json` exists. */
  readonly store?: boolean | EventStore;
  /** Removes values from arguments and event payloads that must not be kept (SPEC AU4). */
  readonly redact?: (value: JsonValue) => JsonValue;
  /** Maximum number of events that wait for a slow reader. Default 1,024. */
  readonly bufferSize?: number;
}
