/** `navigator`: the identity of the runtime (https://html.spec.whatwg.org/#client-identification), the same on every machine. */

import { define, objectHasOwn, PrimordialTypeError, stringIndexOf, stringSlice } from "../language/primordials.ts";
import { exposeInterface, requireArguments, showAs, toDomString } from "./webidl.ts";

const secret = {};
/** Version of Deno whose API a guest has. Modules read it to choose which functions they use. */
export const DENO_VERSION = "2.9.5";
const BASCULE_VERSION = "0.1.0";
const USER_AGENT = `Deno/${DENO_VERSION} bascule/${BASCULE_VERSION}`;
/** Matches `Deno.build`. */
const PLATFORM = "Linux";

interface Brand {
  readonly brand: string;
  readonly version: string;
}

class Navigator {
  constructor(key?: unknown) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
  }

  get userAgent(): string {
    return USER_AGENT;
  }

  get userAgentData(): NavigatorUAData {
    return userAgentData;
  }

  get platform(): string {
    return `${PLATFORM} x86_64`;
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

/** User-agent client hints (https://wicg.github.io/ua-client-hints/#interface). */
class NavigatorUAData {
  constructor(key?: unknown) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
  }

  get brands(): readonly Brand[] {
    return brands(majorOf);
  }

  get mobile(): boolean {
    return false;
  }

  get platform(): string {
    return PLATFORM;
  }

  toJSON(): Record<string, unknown> {
    return { brands: this.brands, mobile: false, platform: PLATFORM };
  }

  /** Returns the known hints. */
  async getHighEntropyValues(hints: unknown): Promise<Record<string, unknown>> {
    requireArguments(arguments.length, 1, "execute 'getHighEntropyValues' on 'NavigatorUAData'");
    const known: Record<string, unknown> = {
      architecture: "x86",
      bitness: "64",
      fullVersionList: brands((version) => version),
      model: "",
      platformVersion: "",
      uaFullVersion: DENO_VERSION,
      wow64: false,
    };
    const values = this.toJSON();
    for (const hint of hints as Iterable<unknown>) {
      const name = toDomString(hint);
      if (objectHasOwn(known, name)) values[name] = known[name];
    }
    return values;
  }
}

function brands(show: (version: string) => string): readonly Brand[] {
  return [
    { brand: "Deno", version: show(DENO_VERSION) },
    { brand: "bascule", version: show(BASCULE_VERSION) },
  ];
}

function majorOf(version: string): string {
  return stringSlice(version, 0, stringIndexOf(version, ".", 0));
}

const userAgentData = new NavigatorUAData(secret);

export function installNavigator(global: object): void {
  const navigator = new Navigator(secret);
  for (const constructor of [Navigator, NavigatorUAData]) Reflect.defineProperty(constructor, "length", { value: 0, configurable: true });
  exposeInterface(global, "Navigator", Navigator);
  exposeInterface(global, "NavigatorUAData", NavigatorUAData);
  define(global, "navigator", navigator, true);
  const { userAgent, language, languages, hardwareConcurrency, platform } = navigator;
  const members = { hardwareConcurrency, userAgent, userAgentData, platform, language, languages };
  showAs((value) => (value === navigator ? { name: "Navigator", members } : undefined));
  showAs((value) => (value === userAgentData ? { name: "NavigatorUAData", members: userAgentData.toJSON() } : undefined));
}
