/** The events of a plugin's life (SPEC H8, AU1). Payloads are JSON; text from plugins in them is data. */

import { type JsonObject, type Manifest, type Problem, problemToText } from "../../../manifests/mod.ts";
import { defined } from "../../primitives/defined.ts";
import type { ConsentChange } from "../consent/change.ts";
import type { PluginVersion } from "../../tools/tool.ts";
import { type Failure, manifestOf, type PluginRecord, reasonOf } from "./record.ts";
import type { Admitted, HeldVersion, PluginEvent } from "./status.ts";

/** One method for each event of a plugin. */
export interface Announcements {
  /** Called after a swap, or when the folder holds the served version again. `previous` is what the same folder served before. */
  serving(record: PluginRecord, version: PluginVersion, previous: PluginVersion | undefined, admission?: Admitted): void;
  failed(record: PluginRecord, failure: Failure): void;
  quarantined(record: PluginRecord, held: HeldVersion, reason: string): void;
  /** Called when its tools are gone, or answer `unavailable` (`disabled`). */
  removed(record: PluginRecord, version: PluginVersion | undefined, reason: RemovalReason): void;
}

/** `displaced`: another folder took its name, after its own folder changed to another one. */
type RemovalReason = "removed" | "disabled" | "renamed" | "displaced";

/** Emits each event in the tick of the change. */
export function createAnnouncements(emit: (event: PluginEvent) => void): Announcements {
  return {
    serving(record, version, previous, { changes = [], consent } = { kind: "admit" }) {
      const { manifest, digest, name: plugin } = version;
      const payload: JsonObject = {
        ...{ version: manifest.version, directory: record.path, tools: toolNames(manifest) },
        ...(changes.length > 0 && consent !== undefined && { consent, changes: toJson(changes) }),
      };
      const isRenamed = previous !== undefined && previous.name !== plugin;
      if (isRenamed) emit(removal(previous.name, previous.digest, { directory: record.path, reason: "renamed" }));
      if (previous === undefined || isRenamed) emit({ type: "plugin.loaded", plugin, digest, payload });
      else emit({ type: "plugin.reloaded", plugin, digest, payload: { ...payload, previousDigest: previous.digest } });
    },
    failed(record, failure) {
      const { file, line, column, stack } = failure.error;
      const payload: JsonObject = {
        message: reasonOf(failure) ?? failure.error.message,
        directory: record.path,
        ...defined({ file, line, column, stack }),
        problems: failure.problems.map(toPayload),
        ...(record.serving !== undefined && { lastGood: record.serving.digest }),
      };
      const plugin = failure.manifest?.name ?? record.serving?.name ?? record.place.folder;
      emit({ type: "plugin.failed", plugin, payload });
    },
    quarantined(record, { version, digest, changes }, reason) {
      const { serving } = record;
      const payload: JsonObject = {
        ...{ reason, version, directory: record.path, changes: toJson(changes) },
        ...(serving !== undefined && { lastGood: serving.digest }),
      };
      emit({ type: "plugin.quarantined", plugin: manifestOf(record)?.name ?? record.place.folder, digest, payload });
    },
    removed(record, version, reason) {
      const plugin = version?.name ?? manifestOf(record)?.name ?? record.place.folder;
      emit(removal(plugin, version?.digest, { directory: record.path, reason }));
    },
  };
}

function removal(plugin: string, digest: string | undefined, payload: JsonObject): PluginEvent {
  return { type: "plugin.removed", plugin, ...(digest !== undefined && { digest }), payload };
}

/** Changes are plain JSON; a union of interfaces only lacks an index signature. */
function toJson(changes: readonly ConsentChange[]): readonly JsonObject[] {
  return changes.map((change) => ({ ...change }));
}

function toolNames(manifest: Manifest): readonly string[] {
  return manifest.tools.map((tool) => tool.name);
}

function toPayload(problem: Problem): JsonObject {
  const { severity, pointer, line, column } = problem;
  return { severity, pointer, text: problemToText(problem), ...defined({ line, column }) };
}
