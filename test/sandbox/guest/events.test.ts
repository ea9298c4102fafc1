import { describe, expect, it } from "vitest";
import { evaluateInGuest, startGuest } from "./engine.ts";
import { askBoth } from "./oracle.ts";

/** Returns a body that logs to `out` and returns it. */
function logging(body: string): string {
  return `(() => { const out = []; const log = (...values) => out.push(values.join(" ")); ${body}; return out })()`;
}

const EVENTS = [
  `(() => { const e = new Event("x", { bubbles: true, cancelable: true, composed: true }); return [e.type, e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.isTrusted, e.target, e.eventPhase] })()`,
  `new Event()`,
  `new Event(Symbol())`,
  `new CustomEvent("x", { detail: { a: 1 } }).detail`,
  `(() => { const e = new ErrorEvent("error", { message: "m", filename: "f", lineno: 3, colno: 4, error: 5 }); return [e.message, e.filename, e.lineno, e.colno, e.error] })()`,
  `(() => { const e = new MessageEvent("message", { data: [1], origin: "o", lastEventId: "i" }); return [e.data, e.origin, e.lastEventId, e.source] })()`,
  `new PromiseRejectionEvent("x", { promise: 1, reason: 2 }).reason`,
  logging(
    `const t = new EventTarget(); t.addEventListener("a", (e) => log("1", e.type, e.target === t, e.currentTarget === t, e.eventPhase, e.composedPath()[0] === t)); log(t.dispatchEvent(new Event("a")))`,
  ),
  logging(
    `const t = new EventTarget(); const f = () => log("f"); t.addEventListener("a", f); t.addEventListener("a", f); t.addEventListener("a", f, true); t.dispatchEvent(new Event("a")); t.removeEventListener("a", f); t.dispatchEvent(new Event("a"))`,
  ),
  logging(
    `const t = new EventTarget(); t.addEventListener("a", { handleEvent(e) { log("object", e.type) } }); t.dispatchEvent(new Event("a"))`,
  ),
  logging(
    `const t = new EventTarget(); t.addEventListener("a", () => log("once"), { once: true }); t.dispatchEvent(new Event("a")); t.dispatchEvent(new Event("a"))`,
  ),
  logging(
    `const t = new EventTarget(); const c = new AbortController(); t.addEventListener("a", () => log("x"), { signal: c.signal }); t.dispatchEvent(new Event("a")); c.abort(); t.dispatchEvent(new Event("a"))`,
  ),
  logging(
    `const t = new EventTarget(); t.addEventListener("a", () => log("x"), { signal: AbortSignal.abort() }); t.dispatchEvent(new Event("a"))`,
  ),
  logging(
    `const t = new EventTarget(); t.addEventListener("a", (e) => e.preventDefault()); log(t.dispatchEvent(new Event("a", { cancelable: true })), t.dispatchEvent(new Event("a")))`,
  ),
  logging(
    `const t = new EventTarget(); t.addEventListener("a", (e) => { e.preventDefault(); log(e.defaultPrevented) }, { passive: true }); log(t.dispatchEvent(new Event("a", { cancelable: true })))`,
  ),
  logging(
    `const t = new EventTarget(); t.addEventListener("a", (e) => { log(1); e.stopImmediatePropagation() }); t.addEventListener("a", () => log(2)); t.dispatchEvent(new Event("a"))`,
  ),
  logging(
    `const t = new EventTarget(); t.addEventListener("a", (e) => { log(1); e.stopPropagation() }); t.addEventListener("a", () => log(2)); t.dispatchEvent(new Event("a"))`,
  ),
  logging(
    `const t = new EventTarget(); t.addEventListener("a", () => { log(1); t.addEventListener("a", () => log("late")) }); t.dispatchEvent(new Event("a"))`,
  ),
  logging(
    `const t = new EventTarget(); const g = () => log("removed"); t.addEventListener("a", () => t.removeEventListener("a", g)); t.addEventListener("a", g); t.dispatchEvent(new Event("a"))`,
  ),
  logging(
    `const t = new EventTarget(); const e = new Event("a"); t.addEventListener("a", () => { try { t.dispatchEvent(e) } catch (error) { log(error.name) } }); t.dispatchEvent(e); log(e.eventPhase, e.currentTarget)`,
  ),
  `new EventTarget().dispatchEvent({})`,
  `new EventTarget().addEventListener("a")`,
  `new EventTarget().addEventListener("a", null)`,
  `new EventTarget().addEventListener("a", () => {}, { signal: {} })`,
  logging(
    `class T extends EventTarget { go() { this.dispatchEvent(new CustomEvent("go", { detail: 7 })) } } const t = new T(); t.addEventListener("go", (e) => log(e.detail, e.target === t)); t.go()`,
  ),
  logging(
    `globalThis.addEventListener("a", (e) => log(e.target === globalThis)); globalThis.dispatchEvent(new Event("a")); addEventListener("b", () => log("bare")); dispatchEvent(new Event("b"))`,
  ),
  `[Event.AT_TARGET, Event.prototype.BUBBLING_PHASE, Event.length, EventTarget.length]`,
  `Object.prototype.toString.call(new CustomEvent("a"))`,
  `EventTarget.prototype.addEventListener.call({}, "a", () => {})`,
];

const ABORTS = [
  `(() => { const c = new AbortController(); const before = c.signal.aborted; c.abort(); return [before, c.signal.aborted, c.signal.reason.name, c.signal.reason.code, c.signal === c.signal] })()`,
  `(() => { const c = new AbortController(); c.abort("why"); c.abort("again"); return c.signal.reason })()`,
  `(() => { const c = new AbortController(); c.abort(null); return c.signal.reason })()`,
  logging(
    `const c = new AbortController(); c.signal.onabort = (e) => log("on", e.type, e.target === c.signal); c.signal.addEventListener("abort", () => log("listener")); c.abort(); c.abort()`,
  ),
  logging(
    `const c = new AbortController(); c.signal.onabort = () => log(1); c.signal.onabort = () => log(2); log(typeof c.signal.onabort); c.abort()`,
  ),
  `AbortSignal.abort("r").throwIfAborted()`,
  `AbortSignal.abort(new RangeError("r")).throwIfAborted()`,
  `new AbortController().signal.throwIfAborted()`,
  `new AbortSignal()`,
  `AbortSignal.any([])`,
  `(() => { const a = new AbortController(); const s = AbortSignal.any([a.signal, new AbortController().signal]); a.abort("x"); return [s.aborted, s.reason] })()`,
  `AbortSignal.any([AbortSignal.abort(1), AbortSignal.abort(2)]).reason`,
  `(() => { const a = new AbortController(); const s = AbortSignal.any([AbortSignal.any([a.signal])]); a.abort("deep"); return s.reason })()`,
  logging(
    `const a = new AbortController(); const s = AbortSignal.any([a.signal]); a.signal.addEventListener("abort", () => log("source", s.aborted)); s.addEventListener("abort", () => log("any")); a.abort()`,
  ),
  `AbortSignal.any([{}])`,
  `AbortSignal.timeout(-1)`,
  `AbortSignal.timeout()`,
  `new Promise((resolve) => { const s = AbortSignal.timeout(5); s.onabort = () => resolve([s.reason.name, s.reason.code]); setTimeout(() => {}, 100) })`,
  `AbortController.prototype.abort.call({})`,
  `[AbortSignal.any.length, AbortSignal.timeout.name, Object.prototype.toString.call(AbortSignal.abort())]`,
];

const EXCEPTIONS = [
  `(() => { const e = new DOMException("m", "AbortError"); return [e.name, e.message, e.code, e instanceof Error, Object.prototype.toString.call(e), String(e)] })()`,
  `(() => { const e = new DOMException(); return [e.name, e.message, e.code] })()`,
  `(() => { const e = new DOMException("m", { name: "DataCloneError", cause: 5 }); return [e.name, e.code, e.cause] })()`,
  `["QuotaExceededError", "TimeoutError", "EncodingError", "toString", "__proto__"].map((name) => new DOMException("", name).code)`,
  `[DOMException.ABORT_ERR, DOMException.DATA_CLONE_ERR, DOMException.prototype.SYNTAX_ERR, DOMException.VALIDATION_ERR]`,
  `Object.keys(DOMException.prototype).includes("message")`,
];

describe("events", () => {
  it("are created and dispatched as in Deno [PB1.events]", async () => {
    const { deno, guest } = await askBoth(EVENTS);
    expect(guest).toEqual(deno);
  });

  it("follow the standard where Deno does not yet [PB1.events]", async () => {
    const cases = `[
      new CustomEvent("x").detail,
      ${logging(`const t = new EventTarget(); t.addEventListener("a", () => log("bubble")); t.addEventListener("a", () => log("capture"), true); t.dispatchEvent(new Event("a"))`)},
      (() => { try { return new PromiseRejectionEvent("x") } catch (error) { return error.name } })(),
      (() => { try { return new EventTarget().addEventListener("a", 3) } catch (error) { return error.name } })(),
      Object.keys(Event.prototype).includes("preventDefault"),
    ]`;
    expect(await evaluateInGuest(cases)).toEqual([null, ["capture", "bubble"], "TypeError", "TypeError", true]);
  });

  it("give DOMException names and codes as in Deno [PB1.DOMException]", async () => {
    const { deno, guest } = await askBoth(EXCEPTIONS);
    expect(guest).toEqual(deno);
  });

  it("end the call when a listener throws, after the other listeners [PB1.reportError] [B4]", async () => {
    const guest = await startGuest({
      source: `export function tool() {
        const target = new EventTarget();
        target.addEventListener("a", () => { throw new TypeError("in the listener") });
        target.addEventListener("a", () => console.log("still called"));
        target.dispatchEvent(new Event("a"));
      }`,
    });
    const outcome = guest.call();
    expect(outcome.slice(0, 1)).toBe("r");
    expect(JSON.parse(outcome.slice(1))).toEqual({
      name: "TypeError",
      message: "in the listener",
      stack: "    at <anonymous> (main.js:3:65)\n    at tool (main.js:5:29)\n",
    });
    expect(guest.logs).toEqual([{ level: "info", text: "still called" }]);
    guest.dispose();
  });

  it("let a program handle its errors by a global error event [PB1.reportError]", async () => {
    const guest = await startGuest({
      source: `export async function tool() {
        const seen = [];
        addEventListener("error", (event) => { event.preventDefault(); seen.push([event.constructor.name, event.message, event.error.name]) });
        reportError(new RangeError("mine"));
        setTimeout(() => { throw new TypeError("late") });
        await new Promise((resolve) => setTimeout(resolve, 5));
        return seen;
      }`,
    });
    expect(guest.output()).toEqual([
      ["ErrorEvent", "Uncaught mine", "RangeError"],
      ["ErrorEvent", "Uncaught late", "TypeError"],
    ]);
    guest.dispose();
  });

  it("survive an error listener that throws [PB1.reportError] [B4]", async () => {
    const guest = await startGuest({
      source: `export function tool() { addEventListener("error", () => { throw new Error("second") }); reportError(new Error("first")); return 1 }`,
    });
    const outcome = guest.call();
    expect(outcome.slice(0, 1)).toBe("r");
    expect(JSON.parse(outcome.slice(1))).toMatchObject({ name: "Error", message: "second" });
    guest.dispose();
  });
});

describe("AbortSignal", () => {
  it("aborts, combines and times out as in Deno [PB1.AbortSignal]", async () => {
    const { deno, guest } = await askBoth(ABORTS);
    expect(guest).toEqual(deno);
  });
});
