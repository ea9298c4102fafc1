/** `URLPattern` (https://urlpattern.spec.whatwg.org/) from the package urlpattern-polyfill; its regular expressions run in the guest. */

import { bareObject, PrimordialRangeError, PrimordialTypeError, reflectGet } from "../language/primordials.ts";
import { load } from "./urlpattern-polyfill.gen.ts";
import { exposeInterface, nameFunction, showAs } from "./webidl.ts";

const SHOWN = ["protocol", "username", "password", "hostname", "port", "pathname", "search", "hash", "hasRegExpGroups"] as const;

export function installUrlPattern(global: object): void {
  const { URLPattern } = load(PrimordialTypeError, PrimordialRangeError);
  exposeInterface(global, "URLPattern", URLPattern);
  nameFunction(URLPattern, "URLPattern", 0);
  // Exists in the package for its own tests only.
  Reflect.deleteProperty(URLPattern, "compareComponent");
  showAs((value) => {
    if (!(value instanceof URLPattern) || value === URLPattern.prototype) return undefined;
    const members: Record<string, unknown> = bareObject();
    for (let index = 0; index < SHOWN.length; index++) members[SHOWN[index] ?? ""] = reflectGet(value, SHOWN[index] ?? "");
    return { name: "URLPattern", members };
  });
}
