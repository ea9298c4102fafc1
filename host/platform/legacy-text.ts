/**
 * Decoders of the multibyte encodings that Node's ICU reads otherwise than https://encoding.spec.whatwg.org/: thousands of
 * characters in Korean and traditional Chinese, control characters in Japanese, and what is wrong.
 */

import { createRequire } from "node:module";
import type { LegacyDecoders } from "../../sandbox/mod.ts";

/** The function of the package that is used (checked with 1.16.0). */
type Package = Pick<typeof import("@exodus/bytes/multi-byte.js"), "createMultibyteDecoder">;

const NAMES: ReadonlySet<string> = new Set(["big5", "euc-jp", "euc-kr", "iso-2022-jp", "shift_jis"]);

let loaded: Package | undefined;

/** Undefined on Deno, whose own are right. Loaded with the first such text: tables and all take 20 to 40 ms, which other workers save. */
export const legacyDecoders: LegacyDecoders | undefined =
  "Deno" in globalThis
    ? undefined
    : (encoding, fatal) => {
        if (!NAMES.has(encoding)) return undefined;
        loaded ??= createRequire(import.meta.url)("@exodus/bytes/multi-byte.js") as Package;
        const decode = loaded.createMultibyteDecoder(encoding, !fatal);
        return { decode: (bytes, { stream }) => decode(bytes, stream) };
      };
