/** Client of the project's socket: implements `Operations` by sending each request to the process that serves the project. */

import type { Permissions } from "../../../manifests/mod.ts";
import { JsonArgumentText } from "../../call/argument-text.ts";
import type { ToolResult } from "../../call/call.ts";
import type { WaitingCall } from "../../effects/frozen/frozen-calls.ts";
import type { AnswerOutcome, ConfirmationAnswer, PendingConfirmation } from "../../confirmations/pending.ts";
import type { AcceptOutcome, RemoveOutcome, RollbackOutcome } from "../../plugins/consent/consent-acts.ts";
import type { StoredGrant } from "../../project/grants/grants.ts";
import type { InstalledPlugin, PackagePreview } from "../../plugins/installing/installer.ts";
import type { Committed } from "../../effects/overlay/dry-runs.ts";
import type { ClientPlatform, LineConnection } from "../../platform/platform.ts";
import type { UndoCall, UndoResult, UndoRequest } from "../../effects/undo/undos.ts";
import type { KeptRange, KeptRangeOptions } from "../../dispatch/results/kept-results.ts";
import type { SettingChange, SettingsView } from "../../plugins/settings/plugin-settings.ts";
import type {
  CallListener,
  CallRequest,
  GrantList,
  HostStatus,
  Info,
  Operations,
  PluginView,
  WatchListener,
  WhyAnswer,
  WhyQuestion,
} from "../operations.ts";
import { DoorError } from "../operations.ts";
import { connectToSocket } from "./socket-path.ts";
import { type Frame, MAX_LINE_BYTES, readFrame } from "../frames.ts";

/** A connection to a running host. */
interface RemoteHost {
  readonly operations: Operations;
  close(): void;
}

/** Connects to the host that serves a project. Returns undefined if no host is running. */
export async function connectToHost(
  platform: Pick<ClientPlatform, "files" | "sockets">,
  stateDirectory: string,
): Promise<RemoteHost | undefined> {
  const connection = await connectToSocket(platform, stateDirectory);
  if (!connection) return undefined;
  const client = createClient(connection);
  return { operations: remoteOperations(client), close: () => connection.close() };
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: DoorError) => void;
  readonly listener?: RequestListener;
  readonly cancel: () => void;
  /** Controllers that withdraw the open confirmations, by request id. */
  readonly questions: Map<string, AbortController>;
}

/** Listener of a call, or of the host's events. */
type RequestListener = CallListener & Partial<Pick<WatchListener, "onEvent">>;

interface Client {
  request(op: string, params?: object, listener?: RequestListener): Promise<unknown>;
}

function createClient(connection: LineConnection): Client {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let closed = false;

  connection.onLine((line) => {
    const frame = readFrame(line);
    if (frame) receive(frame);
  });
  connection.onClose(() => {
    closed = true;
    for (const [id, request] of [...waiting]) finish(id, () => request.reject(gone()));
  });

  function receive(frame: Frame): void {
    if (frame.id === null) return;
    const { id } = frame;
    const request = waiting.get(id);
    if (!request) return;
    if ("event" in frame) return hear(frame, request, connection);
    finish(id, () =>
      frame.ok
        ? request.resolve(frame.result)
        : request.reject(new DoorError(frame.error.code, frame.error.message, frame.error.suggestion)),
    );
  }

  function finish(id: number, settle: () => void): void {
    const request = waiting.get(id);
    waiting.delete(id);
    for (const question of request?.questions.values() ?? []) question.abort();
    // A caller's signal may outlive thousands of its requests: remove the listener, or it leaks.
    if (request) request.listener?.signal.removeEventListener("abort", request.cancel);
    settle();
  }

  return {
    request(op, params = {}, listener) {
      if (closed) return Promise.reject(gone());
      const id = nextId;
      nextId += 1;
      const line = JSON.stringify({ id, op, params });
      if (new TextEncoder().encode(line).length > MAX_LINE_BYTES)
        return Promise.reject(new DoorError("too_large", `Cannot send more than ${MAX_LINE_BYTES} bytes in one request`));
      return new Promise((resolve, reject) => {
        const cancel = (): void => {
          if (!closed) connection.send(JSON.stringify({ id, op: "cancel" }));
        };
        waiting.set(id, { resolve, reject, questions: new Map(), cancel, ...(listener ? { listener } : {}) });
        listener?.signal.addEventListener("abort", cancel, { once: true });
        connection.send(line);
      });
    },
  };
}

/** Passes progress and confirmations of a running call to its caller. */
function hear(frame: Extract<Frame, { readonly event: string }>, request: Waiting, connection: LineConnection): void {
  const { id } = frame;
  if (frame.event === "progress") return request.listener?.onProgress?.(frame.value);
  if (frame.event === "yield") return void request.listener?.onYield?.(frame.value);
  if (frame.event === "watched") return request.listener?.onEvent?.(frame.value);
  if (frame.event === "settled") return request.questions.get(frame.requestId)?.abort();
  const { requestId } = frame.request;
  const question = new AbortController();
  const answer = (value: boolean | undefined): void => {
    request.questions.delete(requestId);
    connection.send(JSON.stringify({ id, op: "answer", requestId, answer: value ?? null }));
  };
  if (!request.listener?.confirm) return answer(undefined);
  request.questions.set(requestId, question);
  // If the prompt fails, the confirmation has no answer.
  request.listener.confirm(frame.request, question.signal).then(answer, () => answer(undefined));
}

/** Creates `Operations` over a connection. The casts are safe because the same program runs on the other end (see `readFrame`). */
function remoteOperations(client: Client): Operations {
  return {
    call: (request: CallRequest, listener: CallListener) =>
      client.request("call", { ...toParams(request), interactive: listener.confirm !== undefined }, listener) as Promise<ToolResult>,
    readResult: (handle: string, range?: KeptRangeOptions) => client.request("read_result", { handle, ...range }) as Promise<KeptRange>,
    status: () => client.request("status") as Promise<HostStatus>,
    list: () => client.request("list") as Promise<readonly PluginView[]>,
    info: (name: string) => client.request("info", { name }) as Promise<Info>,
    grant: (plugin: string, permissions: Permissions) => client.request("grant", { plugin, permissions }) as Promise<StoredGrant>,
    revoke: (plugin: string, taken?: Permissions) => client.request("revoke", { plugin, ...(taken ? { taken } : {}) }) as Promise<number>,
    grants: () => client.request("grants") as Promise<GrantList>,
    settings: (plugin: string, change?: SettingChange) => client.request("settings", { plugin, ...change }) as Promise<SettingsView>,
    why: (question: WhyQuestion) => client.request("why", question) as Promise<WhyAnswer>,
    pending: () => client.request("pending") as Promise<readonly PendingConfirmation[]>,
    resolve: (requestId: string, answer: ConfirmationAnswer) =>
      client.request("resolve", { requestId, ...answer }) as Promise<AnswerOutcome>,
    // The socket has no undefined.
    result: async (callId: string) => ((await client.request("result", { callId })) ?? undefined) as ToolResult | undefined,
    commit: (callId: string, hash?: string) =>
      client.request("commit", { callId, ...(hash !== undefined && { hash }) }) as Promise<Committed>,
    undo: (callId: string, options?: UndoRequest) => client.request("undo", { callId, ...options }) as Promise<UndoResult>,
    waiting: () => client.request("waiting") as Promise<readonly WaitingCall[]>,
    cancelWaiting: async (callId: string) => ((await client.request("cancelWaiting", { callId })) ?? undefined) as ToolResult | undefined,
    undoable: () => client.request("undoable") as Promise<readonly UndoCall[]>,
    accept: (plugin, digest) => client.request("accept", { plugin, digest }) as Promise<AcceptOutcome>,
    inspect: (source, signal) => client.request("inspect", { source }, { signal }) as Promise<PackagePreview>,
    install: (digest) => client.request("install", { digest }) as Promise<InstalledPlugin>,
    rollback: (plugin) => client.request("rollback", { plugin }) as Promise<RollbackOutcome>,
    remove: (plugin, { data = false } = {}) => client.request("remove", { plugin, data }) as Promise<RemoveOutcome>,
    watch: async (recent, listener) => void (await client.request("watch", { recent }, listener)),
    reload: () => client.request("reload") as Promise<number>,
  };
}

function toParams({ args, ...rest }: CallRequest): object {
  return args instanceof JsonArgumentText ? { ...rest, argsText: args.text } : { ...rest, args };
}

function gone(): DoorError {
  return new DoorError(
    "closed",
    "The host that served this project has stopped (start it again; `bascule waiting` lists the calls that it continues)",
  );
}
