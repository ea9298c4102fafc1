/** Assembles the guest's globals and gives the engine its entry points (`protocol.ts`). */

import "./async-loop.ts";
import "./import-meta.ts";
import "./test-run.ts";
import "./using-scope.ts";
import { installWebStreams } from "./web-streams.ts";
import { installAbort } from "./abort.ts";
import { installBase64 } from "./base64.ts";
import { installBlob } from "./blob.ts";
import { connect, settle } from "./channel.ts";
import { installCompressionStreams } from "./compression-streams.ts";
import { installConsole } from "./console.ts";
import { abortCall, nameContextFunctions } from "./context.ts";
import { installCrypto } from "./crypto.ts";
import { createDeno } from "./deno.ts";
import { installDisposable } from "./disposable.ts";
import { installDomException } from "./dom-exception.ts";
import { installEncoding } from "./encoding.ts";
import { installEventClasses } from "./event-classes.ts";
import { installEvent } from "./event.ts";
import { installEventTarget } from "./event-target.ts";
import { installFetch } from "./fetch.ts";
import { installFileReader } from "./file-reader.ts";
import { installFormData } from "./form-data.ts";
import { installHeaders } from "./headers.ts";
import { checkOutput, defineModule, endLoading, invokeTool } from "./invoke.ts";
import { installIntl } from "./intl.ts";
import { installAtomics } from "./atomics.ts";
import { installJson } from "./json.ts";
import { installLanguage } from "./language.ts";
import { installMessageChannel } from "./message-channel.ts";
import { installNavigator } from "./navigator.ts";
import { currentOutcome } from "./outcome.ts";
import { installPerformance } from "./performance.ts";
import { define, objectFreeze } from "./primordials.ts";
import type { Entry, Native } from "./protocol.ts";
import { lookAgainForRejections, tellRejections, trackRejection } from "./rejections.ts";
import { installSharedArrayBuffer } from "./shared-array-buffer.ts";
import { installProxies } from "./proxies.ts";
import { installReportError } from "./report-error.ts";
import { installRequest } from "./request.ts";
import { installResponse } from "./response.ts";
import { installStructuredClone } from "./structured-clone.ts";
import { installTextStreams } from "./text-streams.ts";
import { installTimers, mostTimers, runDueTimer, untilNextTimer } from "./timers.ts";
import { installUint8ArrayText } from "./uint8array-text.ts";
import { installUnavailable } from "./unavailable.ts";
import { installWeakRef } from "./weak-ref.ts";
import { installUrlPattern } from "./url-pattern.ts";
import { installUrl } from "./url.ts";

/** The completion value of the prelude script. Runs once, before any code of a plugin. */
export function boot(native: Native): Entry {
  connect(native);
  installGlobals(globalThis);
  // Without a prototype, because the engine reads these by name after the plugin has run.
  return objectFreeze({
    __proto__: null,
    define: defineModule,
    endLoading,
    invoke: (module: string, name: string, args: string, context: string) => {
      invokeTool(module, name, args, context);
      lookAgainForRejections();
      return poll();
    },
    settle,
    runTimers: runDueTimer,
    abort: abortCall,
    poll: () => {
      tellRejections();
      return poll();
    },
    checkOutput,
    rejected: trackRejection,
  });
}

function poll(): string {
  const outcome = currentOutcome();
  if (outcome !== undefined) return outcome;
  const most = mostTimers();
  // Fast path: most waiting calls never had a timer.
  return most === 0 ? "w" : `w${untilNextTimer() ?? ""},${most}`;
}

function installGlobals(global: object): void {
  installLanguage(global);
  installProxies(global);
  installJson();
  installWeakRef(global);
  installAtomics(global);
  installSharedArrayBuffer(global);
  installIntl(global);
  installDomException(global);
  installEvent(global);
  installEventTarget(global);
  installEventClasses(global);
  installReportError(global);
  installAbort(global);
  installTimers(global);
  installPerformance(global);
  installConsole(global);
  installEncoding(global);
  installUrl(global);
  installBase64(global);
  installCrypto(global);
  installStructuredClone(global);
  installNavigator(global);
  installWebStreams(global);
  installTextStreams(global);
  installCompressionStreams(global);
  installUint8ArrayText();
  installBlob(global);
  installFormData(global);
  installFileReader(global);
  installMessageChannel(global);
  installHeaders(global);
  installResponse(global);
  installRequest(global);
  installFetch(global);
  installUrlPattern(global);
  installDisposable(global);
  nameContextFunctions();
  const deno = createDeno();
  installUnavailable(global, deno);
  define(global, "Deno", deno);
  define(global, "self", global, true);
}
