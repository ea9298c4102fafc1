/** Connects the host's event sinks: the log, the journal and the embedding program (SPEC AU3, AU4). */

import type { EventOptions } from "./host-options.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { Places } from "../project/places.ts";
import type { Platform } from "../platform/platform.ts";
import { createService, type Service } from "../primitives/service/service.ts";
import { CHECKPOINT_JOURNAL } from "../audit/checkpoints.ts";
import { APPEND_TO_JOURNAL, CLOSE_JOURNAL } from "../audit/journal-writer.ts";
import { RETAIN_JOURNAL } from "../audit/retain-task.ts";
import { serviceThreads } from "./service-entry.ts";
import { createEventBus, type EventBus } from "../audit/event-bus.ts";
import { createJournal, type EventStore, type JournalOptions, type JournalWriter } from "../audit/journal.ts";
import type { HostMark } from "../audit/host-mark.ts";
import { createLogSink } from "../audit/log-sink.ts";
import { createFieldRedaction, guardRedaction, hiddenFields } from "../primitives/json/redact-fields.ts";

interface OpenEventsOptions {
  readonly platform: Pick<Platform, "clock" | "random" | "log" | "journals" | "files" | "guarded" | "services">;
  readonly places: Pick<Places, "auditFolder" | "checkpointFile" | "project">;
  readonly options: EventOptions;
  /** Removes secrets. */
  readonly redactSecrets: (value: JsonValue) => JsonValue;
  /** Absent if nothing of this host survives its process. */
  readonly mark?: HostMark;
  readonly onDefect: (message: string, error?: unknown) => void;
}

export interface HostEvents {
  readonly bus: EventBus;
  /** Redacts events and results. */
  readonly redact: (value: JsonValue) => JsonValue;
  /** Returns the redaction of values that stay bytes; undefined if only whole values can be redacted. */
  readonly redactLarge: () => { readonly isHidden: ((name: string) => boolean) | undefined } | undefined;
  /** Absent if no events are kept. */
  readonly store?: EventStore;
  /** Set if the journal's rows name this host. */
  readonly mark?: HostMark;
  /** Runs all background work but the journal's, which has its own thread. Close it after the store. */
  readonly service: Service;
}

export function openEvents({ platform, places, options, redactSecrets, mark, onDefect }: OpenEventsOptions): HostEvents {
  const { redact: redactMore, publish, bufferSize, store: wanted } = options;
  const redactFields = createFieldRedaction(() => places.project.config().audit.redact);
  const redactOwn = redactMore && guardRedaction(redactMore, onDefect);
  const redact = (value: JsonValue): JsonValue => redactSecrets(redactFields(redactOwn === undefined ? value : redactOwn(value)));
  const { clock, random, log } = platform;
  const { auditFolder: folder, checkpointFile } = places;
  const openService = (): Service => createService({ threads: serviceThreads(platform), environment: platform, onDefect });
  const service = openService();
  const { path, config } = places.project;
  const isKept = wanted ?? (path !== undefined && config().audit.store);
  const ownStore = typeof isKept === "object" ? isKept : undefined;
  const store =
    isKept === true
      ? createJournal({
          ...{ writer: journalWriter(openService(), folder, checkpointFile), retain: retainBy(service, checkpointFile) },
          ...{ clock, folder, onDefect, ...(mark && { host: mark.id }) },
        })
      : ownStore;
  const bus = createEventBus({
    ...{ newId: random.uuidv7, now: clock.now, onDefect, redact },
    ...(bufferSize !== undefined && { bufferSize }),
    ...(store && { keep: (event) => store.append(event) }),
  });
  bus.subscribe(createLogSink(log));
  if (publish) bus.subscribe(publish);
  const redactLarge: HostEvents["redactLarge"] = () =>
    redactMore === undefined ? { isHidden: hiddenFields(places.project.config().audit.redact) } : undefined;
  return { bus, redact, redactLarge, service, ...(store && { store }), ...(isKept === true && mark && { mark }) };
}

/** @param checkpoints their file: a removal is noted there before the file goes */
export function retainBy(work: Service, checkpoints?: string): JournalOptions["retain"] {
  return async (retain) =>
    await work.run(RETAIN_JOURNAL, { ...retain, ...(checkpoints !== undefined && { checkpoints }) }, { owner: "journal" });
}

/** A thread of its own, because calls wait for the journal and must not queue behind other work. */
export function journalWriter(service: Service, folder: string, checkpoints?: string): JournalWriter {
  const request = { owner: "journal" };
  let isOpen = false;
  return {
    append(batch) {
      isOpen = true;
      return service.run(APPEND_TO_JOURNAL, batch, request);
    },
    async checkpoint(time) {
      return checkpoints === undefined ? {} : await service.run(CHECKPOINT_JOURNAL, { folder, file: checkpoints, time }, request);
    },
    async close() {
      if (isOpen) await service.run(CLOSE_JOURNAL, { folder }, request);
      await service.close();
    },
  };
}
