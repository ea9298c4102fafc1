/** First stage of a host: its places, its platform and its event sinks. Every later stage needs them. */

import { createHostMark } from "../audit/host-mark.ts";
import { createLogTail, type LogLine } from "../audit/log-tail.ts";
import { createSecrets, type Secrets } from "../capabilities/secrets/secrets.ts";
import { defectText } from "../platform/error-text.ts";
import type { Platform } from "../platform/platform.ts";
import { createDataFolders, type DataFolders } from "../routes/data-folders.ts";
import { createService, type Service } from "../primitives/service/service.ts";
import { createSealedStore, type SealedStore } from "../primitives/state/sealed-store.ts";
import { openPlaces, type Places } from "../project/places.ts";
import { serviceThreads } from "./service-entry.ts";
import { guardLog } from "./guard-log.ts";
import type { HostOptions } from "./host-options.ts";
import { type HostEvents, openEvents } from "./open-events.ts";

/** Reports a defect of the host, or of the embedding program's own functions, to the log. */
type OnDefect = (message: string, error?: unknown, fields?: Readonly<Record<string, unknown>>) => void;

export interface GroundStage extends HostEvents {
  readonly places: Places;
  /** Its log redacts secrets. */
  readonly platform: Platform;
  readonly secrets: Secrets;
  readonly dataFolders: DataFolders;
  /** A service that may wait for a disk: nothing but reads for plugins waits with it. */
  readonly fileService: Service;
  /** Rows that survive the process. Absent without a project, and in a host for one call. */
  readonly lasting?: SealedStore;
  readonly onDefect: OnDefect;
  /** Returns the last log lines about a plugin. */
  readonly logLines: (plugin: string) => readonly LogLine[];
}

/** @param opened closes the service threads and the journal if a later stage fails */
export async function openGround(given: Platform, options: HostOptions, opened: AsyncDisposableStack): Promise<GroundStage> {
  const places = await openPlaces(given, options);
  const tail = createLogTail(options.logger === undefined ? given.log : guardLog(options.logger, given.log), () => given.clock.now());
  const logger = tail.log;
  const secrets = createSecrets({ platform: { ...given, log: logger }, sources: () => places.project.config().secrets, root: places.root });
  await secrets.refresh();
  const log = secrets.redactLog(logger);
  const platform: Platform = { ...given, log };
  const onDefect: OnDefect = (message, error, fields = {}) =>
    log.write("error", message, { ...fields, ...(error !== undefined && { error: defectText(error) }) });
  const lasting = openLasting(platform, places, options, onDefect);
  const mark =
    lasting && createHostMark({ store: lasting.space("host"), newId: platform.random.uuidv7, now: platform.clock.now, onDefect });
  const redactSecrets = secrets.redact;
  const events = openEvents({ platform, places, options: options.events ?? {}, redactSecrets, ...(mark && { mark }), onDefect });
  const fileService = createService({ threads: serviceThreads(platform), environment: platform, onDefect });
  opened.defer(() => events.service.close());
  opened.defer(() => fileService.close());
  opened.defer(async () => await events.store?.close());
  const dataFolders = createDataFolders({ data: places.folders.data, databases: places.databases }, platform);
  return { ...events, ...(lasting && { lasting }), places, platform, secrets, dataFolders, fileService, onDefect, logLines: tail.lines };
}

function openLasting(
  { states, files, random }: Platform,
  places: Places,
  { loadsAtOnce }: HostOptions,
  onDefect: OnDefect,
): SealedStore | undefined {
  if (places.project.path === undefined || loadsAtOnce !== undefined) return undefined;
  const { waitingFolder: folder, waitingKeyFile: keyFile } = places;
  return createSealedStore({ states, files, folder, keyFile, newId: random.uuidv7, onDefect });
}
