/**
 * Decoders of the multibyte encodings for which Node's ICU deviates from https://encoding.spec.whatwg.org/: thousands of characters in
 * Korean and traditional Chinese, control characters in Japanese, and malformed input.
 */

import { createRequire } from "node:module";
import type { LegacyDecoders } from "../../sandbox/mod.ts";

/** The only function used of the package (checked with 1.16.0). */
type Package = Pick<typeof import("@exodus/bytes/multi-byte.js"), "createMultibyteDecoder">;

const NAMES: ReadonlySet<string> = new Set(["big5", "euc-jp", "euc-kr", "iso-2022-jp", "shift_jis"]);

let loaded: Package | undefined;

/**
 * Undefined on Deno, whose own decoders are correct. Loaded with the first such text, because the tables take 20 to 40 ms, which other
 * workers save.
 */
export const legacyDecoders: LegacyDecoders | undefined =
  "Deno" in globalThis
    ? undefined
    : (encoding, fatal) => {
        if (!NAMES.has(encoding)) return undefined;
        loaded ??= createRequire(import.meta.url)("@exodus/bytes/multi-byte.js") as Package;
        const decode = loaded.createMultibyteDecoder(encoding, !fatal);
        return { decode: (bytes, { stream }) => decode(bytes, stream) };
      };
