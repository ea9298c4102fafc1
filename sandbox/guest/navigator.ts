/** `navigator`: who this is (https://html.spec.whatwg.org/#client-identification). */

import { define, PrimordialTypeError } from "./primordials.ts";
import { exposeInterface, showAs } from "./webidl.ts";

const secret = {};
const USER_AGENT = "bascule/0.1";

export class Navigator {
  constructor(key?: unknown) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
  }

  get userAgent(): string {
    return USER_AGENT;
  }

  get language(): string {
    return "en-US";
  }

  get languages(): readonly string[] {
    return ["en-US"];
  }

  get hardwareConcurrency(): number {
    return 1;
  }
}

export function installNavigator(global: object): void {
  const navigator = new Navigator(secret);
  Reflect.defineProperty(Navigator, "length", { value: 0, configurable: true });
  exposeInterface(global, "Navigator", Navigator);
  define(global, "navigator", navigator, true);
  const { userAgent, language, languages, hardwareConcurrency } = navigator;
  const members = { hardwareConcurrency, userAgent, language, languages };
  showAs((value) => (value === navigator ? { name: "Navigator", members } : undefined));
}
