/** A bridge context with one layer of permissions that keeps everything the bridge reports. */

import type { BridgeContext, CapabilityAct } from "../../host/capabilities/mod.ts";
import { answerOperation, createActs, createExchanges, createOpenFiles } from "../../host/capabilities/mod.ts";
import type { Platform } from "../../host/platform/platform.ts";
import { CallMeter } from "../../host/call/meter.ts";
import { createSecrets } from "../../host/capabilities/secrets/secrets.ts";
import {
  compilePermissions,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Permissions,
  type SecretSource,
} from "../../manifests/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";

export interface TestCall {
  readonly context: BridgeContext;
  readonly acts: CapabilityAct[];
  readonly modified: string[];
  answer(name: string, args: JsonValue, bytes?: Uint8Array): Promise<HostAnswer>;
}

export interface TestCallOptions {
  readonly platform: Platform;
  readonly cwd: string;
  readonly permissions: Permissions;
  readonly operationBytes?: number;
  readonly ownFiles?: ReadonlyMap<string, Uint8Array>;
  readonly signal?: AbortSignal;
  /** The `secrets` of `bascule.json`. */
  readonly secrets?: Readonly<Record<string, SecretSource>>;
  /** Name of the plugin; null for a call of a host tool. Default: `words`. */
  readonly plugin?: string | null;
}

export function testCall(options: TestCallOptions): TestCall {
  const { platform, cwd, permissions, operationBytes = 1024 * 1024, ownFiles, plugin = "words" } = options;
  const acts: CapabilityAct[] = [];
  const modified: string[] = [];
  const bases = { base: cwd, workspace: cwd, tmp: `${cwd}/.tmp` };
  const grant: BridgeContext["grant"] = {
    layers: [{ name: "grant", permissions: compilePermissions(permissions, bases), unnamed: "none", otherwise: "prompt" }],
  };
  const secrets = createSecrets({ platform, sources: () => options.secrets ?? {}, root: cwd });
  const calls = createActs({
    ...{ callId: "call-1", plugin: plugin ?? undefined, owner: "session-1", clock: platform.clock },
    signal: options.signal ?? new AbortController().signal,
  });
  const context: BridgeContext = {
    callId: "call-1",
    ...(plugin !== null && { plugin }),
    holder: { caller: "session-1", ...(plugin !== null && { owner: plugin }) },
    grant,
    secrets: secrets.forCall(grant),
    cwd,
    platform,
    limits: { operationBytes },
    openFiles: createOpenFiles("call-1"),
    acts: calls,
    signal: calls.signal,
    exchanges: createExchanges(),
    meter: new CallMeter(),
    ...(ownFiles && { ownFiles }),
    record: (act) => void acts.push(act),
    modified: (path) => void modified.push(path),
  };
  return { context, acts, modified, answer: (name, args, bytes) => answerOperation({ name, args, ...(bytes && { bytes }) }, context) };
}

/** Returns the bytes of a successful answer as text. @throws {Error} for a failed one */
export function textOf(answer: HostAnswer): string {
  if (!answer.ok) throw new Error(`${answer.error.name}: ${answer.error.message}`);
  return new TextDecoder().decode(answer.bytes);
}

/** Returns the answer's value. @throws {Error} if it is not text */
export function valueOf(answer: HostAnswer): string {
  if (answer.ok && typeof answer.value === "string") return answer.value;
  throw new Error(`Not a text: ${JSON.stringify(answer)}`);
}

/** Returns the answer's value. @throws {Error} if it is not an object */
export function objectOf(answer: HostAnswer): JsonObject {
  if (answer.ok && isJsonObject(answer.value)) return answer.value;
  throw new Error(`Not an object: ${JSON.stringify(answer)}`);
}

/** Returns the name of the error; undefined for success. */
export function errorName(answer: HostAnswer): string | undefined {
  return answer.ok ? undefined : answer.error.name;
}

export function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
