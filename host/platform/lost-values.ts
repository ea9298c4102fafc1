/** Values that JSON cannot represent, for code that runs natively. Trusted plugins' processes load this file too, so it imports nothing. */

/**
 * Explains why an object without `toJSON` has no JSON form. @param members number of its own keys. @returns undefined if it has a JSON form
 */
export function lostValue(value: object, members: number): string | undefined {
  const name = members > 0 && !ArrayBuffer.isView(value) ? undefined : lostName(value);
  if (name === undefined) return undefined;
  return `${/^[AEIO]/.test(name) ? "An" : "A"} ${name} has no JSON form (${adviceOn(name)})`;
}

/** Checks a value that was converted to JSON. @throws {TypeError} for the first part without a JSON form, with its JSON pointer */
export function refuseLost(value: unknown, text: string, what: string): void {
  if (!text.includes("{}") && !text.includes('{"0":')) return;
  const places: { readonly value: unknown; readonly pointer: string }[] = [{ value, pointer: "" }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { value: found, pointer } = place;
    if (typeof found !== "object" || found === null || typeof Reflect.get(found, "toJSON") === "function") continue;
    if (BOXES.some((box) => found instanceof box)) continue;
    const keys = Object.keys(found);
    const lost = Array.isArray(found) ? undefined : lostValue(found, keys.length);
    if (lost !== undefined) throw new TypeError(`Invalid ${what}${pointer === "" ? "" : ` at ${pointer}`}: ${lost}`);
    for (const key of keys.toReversed()) {
      const member: unknown = Reflect.get(found, key);
      const to = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (typeof member === "object") places.push({ value: member, pointer: to.slice(0, MAX_POINTER) });
    }
  }
}

/** Wrapper objects, whose values JSON holds. */
const BOXES = [Boolean, Number, String];
const MAX_POINTER = 200;
const MAX_NAME = 50;

function lostName(value: object): string | undefined {
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return tag === "Object" || tag === "Arguments" ? undefined : tag.slice(0, MAX_NAME);
}

/** Keep in sync with `sandbox/guest/call/lost-values.ts`, which runs beside a plugin's code. */
function adviceOn(name: string): string {
  if (name === "Promise") return "await it";
  if (["Map", "Headers", "FormData", "URLSearchParams"].includes(name)) return "Object.fromEntries makes an object of it";
  if (name === "AsyncGenerator") return "Array.fromAsync makes an array of what it yields";
  if (name === "Generator" || name.includes("Iterator")) return "Array.from makes an array of what it yields";
  if (name === "Error") return "throw it, or return its message";
  if (name === "Uint8Array") return "toBase64() makes a string of it, Array.from an array of numbers";
  if (name === "Set" || (name.includes("Array") && name !== "ArrayBuffer")) return "Array.from makes an array of it";
  return "return its content as plain values";
}
