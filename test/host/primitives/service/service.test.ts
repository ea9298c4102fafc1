import { describe, expect, it, onTestFinished } from "vitest";
import { serviceThreads } from "../../../../host/host/service-entry.ts";
import { RECORDED_ACTS, VERIFY_JOURNAL } from "../../../../host/audit/journal-reader.ts";
import { APPEND_TO_JOURNAL, CLOSE_JOURNAL } from "../../../../host/audit/journal-writer.ts";
import { SEARCH_STEP } from "../../../../host/audit/search.ts";
import { LOOK } from "../../../../host/effects/undo/look-task.ts";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import type { ServiceAnswer, ServiceRequest } from "../../../../host/platform/threads/service-types.ts";
import { readBundle } from "../../../../host/plugins/bundles/bundle-files.ts";
import { PackageError } from "../../../../host/plugins/installing/package-error.ts";
import { unpackBy } from "../../../../host/plugins/installing/unpack.ts";
import { diffBy } from "../../../../host/effects/overlay/diff-by.ts";
import type { Side } from "../../../../host/effects/overlay/unified-diff.ts";
import { tarOf } from "../../../support/archives.ts";
import { bundleFiles, bundleOf, signed } from "../../../support/bundles.ts";
import { createService, type Service, type ServiceOptions } from "../../../../host/primitives/service/service.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

interface Thread {
  readonly posted: ServiceRequest[];
  readonly kept: boolean[];
  answer(request: ServiceRequest | undefined, output?: unknown): void;
  end(reason: string): void;
}

/** Creates a service with fake threads: the test sees the requests and answers them by hand. */
function handmade(): { readonly service: Service; readonly threads: readonly Thread[]; readonly defects: readonly string[] } {
  const threads: Thread[] = [];
  const defects: string[] = [];
  const service = createService({
    environment: createMemoryPlatform(),
    onDefect: (message, error) => defects.push(`${message}: ${String(error)}`),
    threads: {
      start() {
        let tell: (answer: ServiceAnswer) => void = () => {};
        let end: (reason: string) => void = () => {};
        const thread: Thread = {
          posted: [],
          kept: [],
          answer: (request, output) => tell({ id: request?.id ?? 0, ok: true, output }),
          end: (reason) => end(reason),
        };
        threads.push(thread);
        return {
          post: (request) => void thread.posted.push(request),
          onAnswer: (listener) => void (tell = listener),
          onExit: (listener) => void (end = listener),
          keepAlive: (on) => void thread.kept.push(on),
          terminate: () => Promise.resolve(end("terminated")),
        };
      },
    },
  });
  return { service, threads, defects };
}

const close = (service: Service, owner: string, folder: string): Promise<void> => service.run(CLOSE_JOURNAL, { folder }, { owner });
const folders = (thread: Thread | undefined): readonly unknown[] =>
  thread?.posted.map(({ input }) => (input as { folder: string }).folder) ?? [];

describe("createService()", () => {
  it("keeps one request of each owner in the thread and takes owners in turn [LV3.service] [LV2.service]", async () => {
    const { service, threads } = handmade();
    const all = [1, 2, 3].map((number) => close(service, "greedy", `greedy ${number}`));
    all.push(close(service, "modest", "modest 1"), close(service, "modest", "modest 2"));
    const [thread] = threads;
    expect(folders(thread)).toEqual(["greedy 1", "modest 1"]);
    for (let index = 0; index < 5; index++) thread?.answer(thread.posted[index]);
    await Promise.all(all);
    expect(folders(thread)).toEqual(["greedy 1", "modest 1", "greedy 2", "modest 2", "greedy 3"]);
    // Kept alive only while requests are running.
    expect([thread?.kept[0], thread?.kept.at(-1)]).toEqual([true, false]);
  });

  it("refuses only an owner whose queue is full [LV3.service]", async () => {
    const { service, threads } = handmade();
    const taken = Array.from({ length: 257 }, () => close(service, "greedy", "x"));
    await expect(close(service, "greedy", "one more")).rejects.toMatchObject({ name: "ServiceBusy" });
    const other = close(service, "modest", "y");
    const [thread] = threads;
    expect(folders(thread)).toEqual(["x", "y"]);
    for (let index = 0; index < 258; index++) thread?.answer(thread.posted[index]);
    await Promise.all([...taken, other]);
  });

  it("fails a thread's running requests when it ends, reports it once, and starts another for the next request [LV2.service]", async () => {
    const { service, threads, defects } = handmade();
    const lost = [close(service, "a", "1"), close(service, "b", "2")];
    threads[0]?.end("out of memory");
    for (const request of lost) await expect(request).rejects.toMatchObject({ name: "ServiceEnded" });
    const next = close(service, "a", "3");
    threads[1]?.answer(threads[1].posted[0]);
    await next;
    expect([threads.length, defects]).toEqual([2, ["A service thread ended; the next request starts a new one: out of memory"]]);
  });

  it("fails unanswered requests when it is closed [LV5.service]", async () => {
    const { service, defects } = handmade();
    const all = [close(service, "a", "1"), close(service, "a", "2")];
    const failed = Promise.allSettled(all);
    await service.close();
    expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(close(service, "a", "3")).rejects.toMatchObject({ name: "ServiceEnded" });
    expect(defects).toEqual([]);
  });
});

describe("a service thread", () => {
  it("writes and reads on a separate thread and passes errors on [LV2.service]", async () => {
    const platform = currentPlatform();
    const service = createService({
      threads: serviceThreads(platform),
      environment: platform,
      onDefect: (message) => expect.unreachable(message),
    });
    onTestFinished(() => service.close());
    const folder = await temporaryFolder();
    const owner = "test";
    for (const texts of [['{"type":"a"}'], ['{"type":"b"}', '{"type":"c"}']]) {
      expect(await service.run(APPEND_TO_JOURNAL, { folder, texts, again: false, maximumFileBytes: 1_000_000 }, { owner })).toEqual({
        ok: true,
      });
    }
    expect(await service.run(VERIFY_JOURNAL, { folder }, { owner })).toMatchObject({ ok: true, rows: 3 });
    const { texts } = await service.run(SEARCH_STEP, { folder, filter: {}, kept: false, before: 3, limit: 9 }, { owner });
    expect(texts).toEqual(['{"type":"b"}', '{"type":"a"}']);
    await platform.files.writeAtomic(`${folder}/000000000009.db`, "x".repeat(9_000));
    const query = { plugin: "p", bases: {}, requires: new Map() };
    const broken = service.run(RECORDED_ACTS, { folder, query }, { owner });
    await expect(broken).rejects.toMatchObject({ name: "JournalError" });
  });

  it("compares texts and reads archives on the thread and reports a bad archive with the reader's message [LV2.diffs] [LV2.archives] [LV2.bundles]", async () => {
    const platform = currentPlatform();
    const posted: string[] = [];
    const threads = watched(serviceThreads(platform), posted);
    const service = createService({ threads, environment: platform, onDefect: (message) => expect.unreachable(message) });
    onTestFinished(() => service.close());
    const text = (lines: string): Side => ({ label: "a/x", bytes: new TextEncoder().encode(lines) });
    expect(await diffBy(service, "p")(text("a\nb\n"), text("a\nc\n"))).toBe("--- a/x\n+++ a/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    const unpack = unpackBy(service);
    const archive = tarOf([{ name: "x", content: "y" }]);
    expect(await unpack(archive)).toEqual([{ path: "x", bytes: new TextEncoder().encode("y") }]);
    await expect(unpack(new Uint8Array(9))).rejects.toThrow(
      new PackageError("Not a plugin: neither a folder nor a zip, tar or tar.gz file"),
    );
    const files = await temporaryFolder();
    await platform.files.writeAtomic(`${files}/a.mcpb`, signed(bundleOf()));
    const bundle = await readBundle(platform.files, `${files}/a.mcpb`, unpackBy(service, "bundle"));
    expect([[...bundle.files.keys()].toSorted(), bundle.signed]).toEqual([Object.keys(bundleFiles()).toSorted(), true]);
    await platform.files.writeAtomic(`${files}/b.mcpb`, "no zip");
    const wrong = readBundle(platform.files, `${files}/b.mcpb`, unpackBy(service, "bundle"));
    await expect(wrong).rejects.toThrow(new PackageError("Not a bundle: not a zip file"));
    expect(posted.splice(0)).toEqual(["overlay.diff", ...Array.from({ length: 4 }, () => "archive.read")]);
    // Files too large for a diff are not sent.
    const large = { label: "b/x", bytes: new Uint8Array(2 * 1024 * 1024) };
    expect(await diffBy(service, "p")(large, large)).toBeUndefined();
    expect(posted).toEqual([]);
  });
});

describe("undo.look", () => {
  it("hashes a file on the thread and keeps it if there is room [LV2.undo]", async () => {
    const platform = currentPlatform();
    const service = createService({
      threads: serviceThreads(platform),
      environment: platform,
      onDefect: (message) => expect.unreachable(message),
    });
    onTestFinished(() => service.close());
    const folder = await temporaryFolder();
    const [path, into] = [`${folder}/a.txt`, `${folder}/00000.before`];
    await platform.files.writeAtomic(path, "one", 0o640);
    const sha256 = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    expect(await service.run(LOOK, { path, room: 2, into }, { owner: "p" })).toEqual({
      kind: "unkept",
      reason: "not enough room to keep its 3 bytes",
    });
    expect(await service.run(LOOK, { path, room: 3, into }, { owner: "p" })).toEqual({
      kind: "file",
      bytes: 3,
      sha256,
      mode: 0o640,
      modifiedMs: expect.any(Number),
      fileId: expect.any(String),
    });
    expect(await platform.files.readText(into)).toBe("one");
    expect(await service.run(LOOK, { path: `${folder}/none`, room: 3 }, { owner: "p" })).toEqual({ kind: "missing" });
  });
});

/** Notes what the threads are given. */
function watched(threads: ServiceOptions["threads"], posted: string[]): ServiceOptions["threads"] {
  return {
    start() {
      const connection = threads?.start() ?? expect.unreachable("no service threads");
      return {
        ...connection,
        post(request, moved) {
          posted.push(request.task);
          connection.post(request, moved);
        },
      };
    },
  };
}
