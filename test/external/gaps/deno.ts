/** Why tests of Deno's `tests/unit` do not pass. */

import { type Gap, gap, out } from "./gap.ts";

export const DENO_GAPS: readonly Gap[] = [
  out(/fetch_test\.ts: /, "the test talks to a server of Deno's own test runner, or opens one"),
  out(/body_test\.ts: body(?:MultipartFormData|URLEncodedFormData)$/, "the test talks to a server of Deno's own test runner"),
  out(
    /console_test\.ts: console(?!TestStringify|TestWith(?:Constr|Custom|Integer|Json)|TestIter|TestWeak|ShouldBe|HasRight)|streams_test\.ts: (?:readableStream(?!From|Emitting|VeryLongReadAll$)|streamCount|writableStreamForRid)|path_from_url_test|text_encoding_test\.ts: binaryEncode|globals_test\.ts: Deno(?:Core|Namespace)/,
    "the test uses the runtime's internals (`Deno[Deno.internal]`)",
  ),
  out(
    /timers_test\.ts|globals_test\.ts: overwriteEvent|streams_test\.ts: readableStreamEmitting|filesReadableCancel|FifoCancel|OnFifo|[fF]lock|LockFile/,
    "the test starts a process",
  ),
  out(
    /[sS]ymlink|symlinkSuccess|renameSyncErrorsUnix|statUnixFields|l?stat(?:Sync)?Success/,
    "the test makes links, or needs one in its checkout; a plugin makes none",
  ),
  out(/Mode$|Chmod$|open(?:Sync)?Url|mkdir(?:Sync)?Recursive|mkdirSyncErrors/, "owners and modes of files are not a plugin's concern"),
  out(/dir_test\.ts: dir(?:Chdir|Cwd)/, "the working directory is the session's workspace"),
  out(/DevFd|ProcFs|UnixSocket|DevTty|Stdout|StdioFile/, "devices, sockets and the kernel's files are never granted"),
  out(
    /make_temp_test|write_(?:text_)?file_test\.ts: .*(?:Fail|NotFound)$|remove(?:All)?Fail|truncateSyncNotFound/,
    "this runner lets tests write in temporary folders only, so they meet `NotCapable` first",
  ),
  out(/permissionQueryImport|message port transfer keeps|transferredReadable/, "the test imports from the network, or starts a thread"),
  out(/pipeToResource|bodyBadResource/, "the test uses ids of open files and sockets"),
  // The engine.
  gap(
    /errorStack|captureStackTrace|customInspectFunction|quotaExceededErrorHasStack/,
    "the engine's `stack` has no first line with name and message",
  ),
  gap(
    /bodyArrayBufferMultipleParts|V8LimitError|readableStreamVeryLong|LargeArrayBuffer|LongByPiece/,
    "the test needs more memory than the 512 MB that a plugin can ask for",
  ),
  gap(
    /console_test/,
    "`Deno.inspect` shows some rare values in other words: proxies, promises, weak collections, aggregate errors, colours",
  ),
  gap(/rotli/, "no Brotli: web standards do not have it"),
  gap(/compressionStream|decompressionStream/, "`CompressionStream` has the standard's three formats"),
  // The guest API.
  gap(/TryLock/, "open files have no locks"),
  gap(/files_test|fsFileStat/, "errors of open files in other words"),
  gap(
    /webcrypto_test/,
    "newer algorithms and members (`SubtleCrypto.supports`, KangarooTwelve, SHA-3 with HMAC), and single errors in other words",
  ),
  gap(/navigator_test/, "the guest does not say that it is Deno"),
  gap(/performance_test/, "entries are listed by their time, as the standard says"),
  gap(
    /event_test|dom_exception_test|headers_test|version_test|globals_test|structured_clone_test|symbol_test/,
    "small differences in what an object shows of itself",
  ),
  gap(/filereader_test|readableByteStreamTee/, "a second read of one `FileReader` in its own event, and a tee of a closed byte stream"),
  gap(/request_test/, "`Request` needs an absolute URL: a plugin has no location"),
  gap(/url_test|urlpattern_test/, "the host's URL parser differs from Deno's in rare hosts and pattern errors"),
  gap(
    /copy_file_test|truncate_test|read_dir_test/,
    "rare arguments: a copy onto itself, a negative length, two reads of one folder at once",
  ),
  gap(/textDecoderStreamCleansUp|testing_test|readableStreamFrom/, "rare behaviour of streams and of `Deno.test` itself"),
];
