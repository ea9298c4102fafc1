/** `reportError` and the global `error` event (https://html.spec.whatwg.org/#report-the-exception). */

import { ErrorEvent } from "./event-classes.ts";
import { fireGlobally } from "./event-target.ts";
import { readText } from "../inspect/inspect-error.ts";
import { reportUncaught, setErrorListener } from "./uncaught.ts";
import { exposeFunction, requireArguments } from "./webidl.ts";

function reportError(error: unknown): void {
  requireArguments(arguments.length, 1, "execute 'reportError'");
  reportUncaught(error);
}

export function installReportError(global: object): void {
  exposeFunction(global, "reportError", reportError);
  setErrorListener((error) => {
    const message = (typeof error === "object" && error !== null ? readText(error, "message") : undefined) ?? "";
    return !fireGlobally(new ErrorEvent("error", { __proto__: null, cancelable: true, message: `Uncaught ${message}`, error }));
  });
}
