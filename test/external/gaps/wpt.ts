/** Why web-platform-tests do not pass. */

import { type Gap, gap, out } from "./gap.ts";

export const WPT_GAPS: readonly Gap[] = [
  out(
    /^FileAPI\/(?:file\/send-file|url\/)|^fetch\/api\/(?:abort\/(?:general|cache)|headers\/header-values|response\/response-cancel-stream)/,
    "the test needs a server, or `blob:` URLs, which outlive a call",
  ),
  out(
    /cache|destination|History|^fetch\/api\/request\/request-(?:structure|init-priority)|no-cors|request-headers\.any/i,
    "the browser's own: caches, navigation, and modes that hide answers from a page",
  ),
  out(/FileList|reading-data-section|realm of/, "needs a document or another realm"),
  gap(/^mimesniff\//, "`Blob.type` is kept as it is given, as in Deno"),
  gap(/^WebCryptoAPI\//, "algorithms and members that the host's WebCrypto does not have"),
  gap(/^urlpattern\//, "the polyfill differs in rare patterns"),
  gap(/^url\//, "the host's URL parser differs in rare hosts"),
  gap(/^encoding\//, "legacy encodings that the host's decoder reads otherwise"),
  gap(/^streams\/readable-streams\/owning/, "a proposal that Deno does not have either"),
  gap(/^compression\//, "`tentative` tests: they load a library from their server"),
  gap(/^(?:hr-time|user-timing)\//, "`performance` has marks and measures, but no observers, and is no event target"),
  gap(/^console\//, "the prototype of `console` is an empty object, as in Deno"),
  gap(/^streams\/|^dom\/|^fetch\/|^FileAPI\//, "single tests of rare behaviour"),
];
