/**
 * Deno's permission broker (`DENO_PERMISSION_BROKER_PATH`): one JSON line per check, answered in order. Implements version 1 of Deno 2.9.5.
 * The protocol is experimental, so any deviation ends the process, and nothing is allowed.
 */

import { isAtOrBelow, isJsonObject, type JsonValue, normalizePath } from "../../../manifests/mod.ts";
import { reportModified } from "../../capabilities/files/file-act.ts";
import type { BridgeContext, CapabilityAct } from "../../capabilities/bridge.ts";
import { createMutex } from "../../platform/mutex.ts";
import { readText } from "../../primitives/json/read-slices.ts";
import type { Slices } from "../../platform/platform.ts";
import type { TrustedProcess } from "../../platform/trusted/trusted-types.ts";
import { answerCheck, type Check, MAX_VALUE_LENGTH, realPathOf } from "./check.ts";

interface BrokerOptions {
  readonly bridge: BridgeContext;
  readonly process: () => Promise<Pick<TrustedProcess, "root" | "code" | "channel" | "answer">>;
  /** Counts a check; returns false if the call may do no more. */
  readonly count: () => boolean;
  /** Called when the process violates the protocol; no further check is answered. */
  readonly onFault: (message: string) => void;
}

export interface Broker {
  /** Resolves when the check is answered or never will be; never rejects. */
  onCheck(line: string): Promise<void>;
  /** Marks the start of the plugin's code. Before it only bascule's own code ran, and only to reach the host. */
  begin(): void;
  /** Records the act that was held back, after the process has ended. */
  end(): void;
  /** Whether the plugin was allowed to start a program. */
  readonly ran: boolean;
}

const VERSION = 1;
/** Bounds of a check, an object of plain values. The connection bounds its bytes. */
const BOUNDS = { maxBytes: Infinity, maxDepth: 8 };

export function createBroker({ bridge, process, count, onFault }: BrokerOptions): Broker {
  let begun = false;
  let ran = false;
  let lastId = 0;
  let isOver = false;
  const inTurn = createMutex();
  /** Deno checks all of `run` before it checks one program: a refusal of that is recorded only if no check of a program follows. */
  let probe: CapabilityAct | undefined;

  async function answer(line: string): Promise<void> {
    if (isOver) return;
    const check = await readCheck(line, lastId + 1, bridge.platform.slices);
    if (typeof check === "string") {
      isOver = true;
      onFault(`Unknown version of Deno's permission broker protocol: ${check}`);
      return;
    }
    lastId += 1;
    const reason = await refusal(check);
    const { answer: send } = await process();
    send(JSON.stringify(reason === undefined ? { id: lastId, result: "allow" } : { id: lastId, result: "deny", reason }));
  }

  /** Returns the reason, or undefined if the act is allowed. */
  async function refusal(check: Check): Promise<string | undefined> {
    // A value too long for a path is refused below.
    const own = (check.value?.length ?? 0) > MAX_VALUE_LENGTH ? undefined : await ownPlace(check);
    if (own !== undefined)
      return own === "allowed" ? undefined : record({ ...deniedAct(check), layer: "own process" }, "This folder belongs to the host");
    if (!begun) return "The call has not started";
    if (!count()) return "The call has used up its operations";
    const given = await answerCheck(check, bridge);
    if (!given.ok) return record(given.act, given.reason);
    const excess = bridge.meter.spend("hostCalls", 1) ?? (check.permission === "net" ? bridge.meter.spend("requests", 1) : undefined);
    if (excess !== undefined) return record({ ...given.act, decision: "denied", layer: "quota" }, excess.message);
    record(given.act);
    if (check.permission === "run") ran = true;
    if (check.permission === "write" && check.value !== undefined) reportModified({ path: check.value }, bridge);
    return undefined;
  }

  /**
   * Decides access to the process's own folder. The plugin's copy may be read, as its own files may in the sandbox. Before the call,
   * bascule's own code connects to the channel.
   */
  async function ownPlace({ permission, value = "" }: Check): Promise<"allowed" | "denied" | undefined> {
    const { root, code, channel } = await process();
    const named = permission === "net" && value.startsWith("unix:") ? value.slice("unix:".length) : value;
    const path = named.startsWith("/") ? normalizePath(named, "/") : undefined;
    if (path === undefined) return undefined;
    const real = await realPathOf(path, bridge);
    if (!isAtOrBelow(path, root) && (real === undefined || !isAtOrBelow(real, root))) return undefined;
    if (!begun && path === channel) return "allowed";
    return begun && permission === "read" && isAtOrBelow(real ?? path, code) ? "allowed" : "denied";
  }

  function record(act: CapabilityAct, reason?: string): string | undefined {
    const isProbe = act.permission === "run" && act.value === "" && act.decision === "denied";
    if (act.permission === "run" && !isProbe) probe = undefined;
    else recordProbe();
    if (isProbe) probe = act;
    else bridge.record(act);
    return reason;
  }

  function recordProbe(): void {
    if (probe !== undefined) bridge.record(probe);
    probe = undefined;
  }

  return {
    onCheck(line) {
      // Checks run one after the other. A defect of the host must not leave Deno without an answer.
      return inTurn(() =>
        answer(line).catch((defect: unknown) => {
          isOver = true;
          onFault(`A permission could not be checked: ${String(defect)}`);
        }),
      );
    },
    begin() {
      begun = true;
    },
    end: recordProbe,
    get ran() {
      return ran;
    },
  };
}

/** Reads a check, or returns what is wrong with it. */
async function readCheck(line: string, id: number, slices: Slices): Promise<Check | string> {
  const read = await readText(line, BOUNDS, slices);
  // Parsed text is JSON.
  const message = read.ok ? (read.value as JsonValue) : undefined;
  if (!isJsonObject(message)) return "a line is not a JSON object";
  const { v, id: given, permission, value } = message;
  if (v !== VERSION) return `version ${JSON.stringify(v)?.slice(0, 20) ?? "missing"} instead of ${VERSION}`;
  if (given !== id) return `check ${JSON.stringify(given)?.slice(0, 20) ?? "missing"} instead of ${id}`;
  if (typeof permission !== "string") return "a check names no permission";
  if (value !== null && typeof value !== "string") return "a check's value is not a string";
  return { permission, value: value ?? undefined };
}

function deniedAct({ permission, value = "" }: Check): Omit<CapabilityAct, "layer"> {
  return { decision: "denied", permission: permission.slice(0, 100), value: value.slice(0, 8_192) };
}
