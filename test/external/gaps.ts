/** Reasons why tests of outside suites do not pass. A baseline names the reason of each failing test by its id. */

export interface Gap {
  readonly id: string;
  readonly reason: string;
  /**
   * Whether the test needs something that no plugin can have (processes, servers, the runtime's internals), so it counts as not
   * runnable.
   */
  readonly isOut: boolean;
  /** Text in the failure's message that identifies the reason. Absent: the id was written into the baseline by hand. */
  readonly message?: RegExp;
}

function out(id: string, reason: string, message?: RegExp): Gap {
  return { id, reason, isOut: true, ...(message !== undefined && { message }) };
}

function gap(id: string, reason: string, message?: RegExp): Gap {
  return { id, reason, isOut: false, ...(message !== undefined && { message }) };
}

/** Reasons in order: the first whose text a failure's message contains applies. */
export const GAPS: readonly Gap[] = [
  // Refusals, with their own messages.
  out("processes", "the test starts a process", /: a plugin cannot start processes/),
  out("links", "the test makes links, which a plugin cannot", /: a plugin cannot make links/),
  out("modes", "the test changes owners or modes of files", /: a plugin cannot change owners and modes of files/),
  out("servers", "the test opens a server", /: a plugin cannot listen/),
  out("sockets", "the test opens sockets, or its own HTTP clients", /: a plugin cannot open sockets/),
  out("threads", "the test starts a thread; a plugin has one", /: a plugin has one thread/),
  out("webassembly", "the package contains WebAssembly, which a plugin cannot run", /: the plugin runs inside WebAssembly itself/),
  out(
    "working-directory",
    "the test changes the working directory, which belongs to the session",
    /: the working directory is the session's/,
  ),
  out("devices", "the test opens devices or kernel files, which are never granted", /and the kernel's files are never granted/),
  out("data-urls", "the test imports code from `data:` URLs; a plugin's code is its files, which its hash covers", /Cannot import "data:/),
  out("test-server", "the test connects to a server of Deno's own test runner", /Requires net access to "localhost:/),
  out("own-files", "the test writes beside its own code", /A plugin's own files? cannot be|Requires write access to "\/\$plugin\//),
  out("node-modules", "the test needs a module of Node that plugins lack", /: a plugin has no "node:/),
  out(
    "terminal",
    "the test writes to a terminal; a plugin has none",
    /cannot read property 'locked' of undefined|Cannot use Deno\.std(?:out|err)\./,
  ),
  out("gpu", "a plugin has no GPU", /GPUTextureUsage|requestAdapter/),
  out(
    "memory",
    "the test needs more memory than the 512 MB that a plugin can ask for",
    /^(?:failed\n)?(?:RangeError: invalid array buffer length|InternalError: out of memory)/,
  ),
  out(
    "remote-schemas",
    "the schema refers to another document; nothing is fetched, and such a schema is refused",
    / leads out of this schema/,
  ),
  out("vocabularies", "the schema names a draft or vocabulary of its own, which is refused", /^"\$schema" names no supported draft/),
  gap(
    "unknown-keywords",
    "an unknown keyword is refused, because it is most likely a mistake",
    /^Keyword "[^]*" is unknown$| leads to no schema$/,
  ),
  gap("empty-enum", "an empty `enum`, which accepts nothing, is refused", /^"enum" is not a list of values/),
  gap("formats-checked", "`format` is checked, where the draft leaves it to the validator", /^refused in draft[\d-]+\/format\.json/),
  gap(
    "content",
    "`contentEncoding` and `contentMediaType` are annotations, as in later drafts",
    /^accepted in draft7\/optional\/content\.json/,
  ),
  gap(
    "hostnames",
    "`hostname` follows RFC 1123, without the rules of IDNA for `xn--` labels",
    /in draft[\d-]+\/optional\/format\/hostname\.json/,
  ),
  gap(
    "uris",
    "`uri` and `uri-reference` check characters and escapes, not every part",
    /in draft[\d-]+\/optional\/format\/uri(?:-reference)?\.json/,
  ),
  gap("formats-not-checked", "the format is an annotation here", /^accepted in draft[\d-]+\/optional\/format\//),
  // Reasons that only reading the test shows.
  out(
    "refused",
    "the test expects a different error for an operation that plugins are refused (sockets, links, a terminal, the working directory)",
  ),
  out("written-code", "the test imports code that it wrote itself; a plugin's code is its files"),
  out("internals", "the test uses the runtime's internals (`Deno[Deno.internal]`, ids of open files and sockets)"),
  out("linked-data", "the test's data contains links; the files of this runner's plugins have none"),
  out("confined", "this runner lets tests write in temporary folders only and gives them no network, so they get `NotCapable` first"),
  out("network", "the test imports from the internet"),
  out("browser", "browser features: caches, navigation, documents, and modes that hide answers from a page"),
  out("web-server", "the test connects to the server of its suite"),
  out("blob-urls", "`blob:` URLs outlive a call"),
  // The engine.
  gap("stack-header", "the engine's `stack` has no first line with name and message"),
  gap("arguments", "the engine passes at most 65,534 arguments", /only 65534 allowed/),
  gap("sort", "the engine sorts with another algorithm, which shows if a comparison is inconsistent (NaN)"),
  gap(
    "native-stack",
    "JSON nested more than some 7,000 deep ends the call, but Deno throws an error that a program can catch",
    /exceeded its stackBytes limit/,
  ),
  gap("microtasks", "a pipe cancels its source some microtasks later"),
  gap("engine-words", "the engine, or the host's library, has other error messages"),
  gap("regexp-v", "the engine refuses `-` and `;;` outside of classes in regular expressions with the flag `v`"),
  // The guest API.
  gap(
    "inspect",
    "`Deno.inspect` shows some rare values differently: proxies, promises, weak collections, iterators, aggregate errors, colours",
  ),
  gap("console-prototype", "the prototype of `console` was `Object.prototype` itself when this was taken"),
  gap("file-locks", "open files have no locks"),
  gap("brotli", "`CompressionStream` has the standard's three formats, without Brotli", /value 'brotli' is not a valid enum value/),
  gap(
    "rare-arguments",
    "rare arguments: a copy onto itself, two reads of one folder at once, characters of temporary names, ids of standard streams, a folder that is opened",
  ),
  gap("global-object", "the global object is a plain object: no `window.name`, no `EventTarget`, no lazy members"),
  gap("own-files-granted", "a plugin reads its own files without a grant"),
  gap("own-times", "a plugin's own files carry no times"),
  gap("copied-times", "a copy does not keep its times"),
  gap("abandoned", "the test leaves a copy that is never awaited; here the call reports that"),
  gap("blanked-types", "types are blanked out in place, so a function's text keeps their spaces"),
  gap("environment", "the environment variables of a call are fixed when it starts, so a test's own `permissions` do not narrow them"),
  gap("node-format", "`node:util` shows text in double quotes"),
  gap("location", "`Request` needs an absolute URL: a plugin has no location"),
  gap("testing", "`Deno.test` reports the origin of a test as the file names it"),
  gap("filereader", "a second read of one `FileReader` in its own event"),
  gap("idl-places", "attributes of `FileReader` are on another object than in WebIDL"),
  gap("trusted-place", "`isTrusted` of an event is not an own property"),
  gap("detached-output", "`encodeInto` refused a detached buffer when this was taken"),
  gap("performance-order", "entries are listed by their time, as the standard says"),
  gap("performance-observers", "`performance` has marks and measures, but no observers"),
  gap("crypto-newer", "newer algorithms and members of WebCrypto that the host's runtime lacks"),
  gap("crypto-words", "the host's WebCrypto has other error messages"),
  gap("url", "the host's URL parser differs from Deno's in rare hosts"),
  gap("urlpattern", "the polyfill of `URLPattern` differs in rare patterns and in its errors"),
  gap("blob-type", "`Blob.type` is kept as it is given, as in Deno"),
  gap("legacy-encodings", "legacy encodings that the host's decoder reads differently"),
  gap("owning-streams", "streams of type `owning`, a proposal that Deno lacks too"),
  gap("tentative", "`tentative` tests that load a library from their server"),
  gap("fetch-rare", "`Request` and `Response` accept more than browsers do (`duplex`, credentials in URLs, reads after an abort)"),
  gap("streams", "single tests of rare behaviour of streams"),
  out("scripts", "the test is a script: `await` is a name there, `this` the global object, and `using` not allowed"),
  out("tail-calls", "calls at the end of functions take stack, as in Deno"),
  gap("await-constructor", "the engine's `await` reads a promise's `constructor` once more than the standard"),
  gap("eval-using", "code in `eval` is not rewritten, and the engine does not support `using`"),
  gap("export-string-names", 'the engine does not support `export { "any name" } from`'),
  gap("ambiguous-exports", "the engine treats one binding that is exported in two ways as two"),
  gap("import-source", "`import source`, a proposal"),
  gap("namespace-not-ready", "the engine throws a TypeError for a namespace binding that is not initialized yet"),
  gap("suite-names", "the test's files import one another by names of other tests"),
  gap("rare-constructs", "rare ways to make a stack or an error: `Reflect.construct` with a target that has no prototype"),
  gap("immutable-buffers", "immutable buffers, a proposal"),
  gap("suite-older", "a raw string with two backslashes: the specification changed after the suite"),
];

const BY_ID: ReadonlyMap<string, Gap> = new Map(GAPS.map((one) => [one.id, one]));

/** Returns a reason by its id; undefined if it is unknown. */
export function gapOf(id: string): Gap | undefined {
  return BY_ID.get(id);
}

/** Returns the reason that a failure's message contains. */
export function gapOfMessage(message: string): Gap | undefined {
  return GAPS.find((one) => one.message?.test(message));
}
