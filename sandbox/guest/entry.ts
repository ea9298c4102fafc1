/** Assembles the guest's globals and gives the engine its entry points (`protocol.ts`). */

import "./language/async-loop.ts";
import "./language/import-meta.ts";
import "./test/test-run.ts";
import "./language/using-scope.ts";
import { installWebStreams } from "./streams/web-streams.ts";
import { installAbort } from "./web/abort.ts";
import { installBase64 } from "./web/base64.ts";
import { installBlob } from "./web/blob.ts";
import { connect, isIdle, settle } from "./call/channel.ts";
import { installCompressionStreams } from "./streams/compression-streams.ts";
import { installConsole } from "./inspect/console.ts";
import { abortCall, nameContextFunctions } from "./call/context.ts";
import { cancelYields } from "./call/yields.ts";
import { installCrypto } from "./crypto/crypto.ts";
import { createDeno } from "./deno/deno.ts";
import { installDisposable } from "./language/disposable.ts";
import { installDomException } from "./web/dom-exception.ts";
import { installEncoding } from "./web/encoding.ts";
import { installEventClasses } from "./web/event-classes.ts";
import { installEvent } from "./web/event.ts";
import { installEventTarget } from "./web/event-target.ts";
import { installFetch } from "./web/fetch.ts";
import { hasWaiting } from "./web/fetch-exchange.ts";
import { installFileReader } from "./web/file-reader.ts";
import { installFormData } from "./web/form-data.ts";
import { installHeaders } from "./web/headers.ts";
import { checkOutput, defineModule, endLoading, invokeTool } from "./call/invoke.ts";
import { installIntl } from "./intl/intl.ts";
import { installAtomics } from "./language/atomics.ts";
import { installJson } from "./language/json.ts";
import { installLoadRandom } from "./language/load-random.ts";
import { installLanguage } from "./language/language.ts";
import { installMessageChannel } from "./web/message-channel.ts";
import { installNavigator } from "./web/navigator.ts";
import { currentOutcome, finish } from "./call/outcome.ts";
import { installPerformance } from "./web/performance.ts";
import { define, objectFreeze, PrimordialTypeError } from "./language/primordials.ts";
import type { Entry, Native } from "./call/protocol.ts";
import { describeThrown } from "./inspect/thrown.ts";
import { lookAgainForRejections, tellRejections, trackRejection } from "./call/rejections.ts";
import { installSharedArrayBuffer } from "./language/shared-array-buffer.ts";
import { installProxies } from "./language/proxies.ts";
import { installReportError } from "./web/report-error.ts";
import { installRequest } from "./web/request.ts";
import { installResponse } from "./web/response.ts";
import { installStructuredClone } from "./web/structured-clone.ts";
import { installTextStreams } from "./streams/text-streams.ts";
import { installTimers, mostTimers, runDueTimer, untilNextTimer } from "./web/timers.ts";
import { installUint8ArrayText } from "./web/uint8array-text.ts";
import { installUnavailable } from "./language/unavailable.ts";
import { installWeakRef } from "./language/weak-ref.ts";
import { installUrlPattern } from "./web/url-pattern.ts";
import { installUrl } from "./web/url.ts";

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
    abort: () => {
      abortCall();
      cancelYields();
    },
    poll: () => {
      tellRejections();
      return poll();
    },
    checkOutput,
    rejected: trackRejection,
  });
}

const UNREAD =
  "further requests wait until the bodies of earlier responses are read or cancelled, and the program reads none of them (read each body before awaiting all responses)";

function poll(): string {
  const outcome = currentOutcome();
  if (outcome !== undefined) return outcome;
  if (hasWaiting() && isIdle() && untilNextTimer() === undefined) {
    finish(`t${describeThrown(new PrimordialTypeError(`fetch: ${UNREAD}`))}`);
    return poll();
  }
  const most = mostTimers();
  // Fast path: most waiting calls never had a timer.
  return most === 0 ? "w" : `w${untilNextTimer() ?? ""},${most}`;
}

function installGlobals(global: object): void {
  installLanguage(global);
  installLoadRandom();
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
