/** Tools of earlier versions, for calls that began in them before a restart (SPEC FR2). */

import { callablesOf } from "../../../manifests/mod.ts";
import { toRegistered } from "../../tools/registry.ts";
import type { RegisteredTool } from "../../tools/tool.ts";
import { createVersion, toCandidate } from "../folder/compile.ts";
import type { Consent } from "./consent.ts";
import type { Versions } from "./versions.ts";

/** Returns the tool as an earlier version of its plugin has it; undefined if that version is not kept, or only versions in the lock may run. */
type EarlierTool = (serving: RegisteredTool, digest: string) => Promise<RegisteredTool | undefined>;

interface EarlierToolOptions {
  readonly versions: Pick<Versions, "read">;
  readonly consent: Pick<Consent, "frozen" | "flush">;
  readonly newId: () => string;
}

export function createEarlierTool({ versions, consent, newId }: EarlierToolOptions): EarlierTool {
  return async ({ owner, plugin, name, source, binding }, digest) => {
    if (binding.kind !== "plugin" || plugin === undefined || consent.frozen) return undefined;
    await consent.flush();
    const snapshot = await versions.read(plugin, digest);
    const candidate = snapshot && toCandidate(snapshot, { plugins: new Set() });
    if (candidate?.kind !== "ready" || candidate.manifest.name !== plugin) return undefined;
    const { directory, bases } = binding.version;
    // Uses the plugin's folder, because grants, `$plugin` and write protection refer to it.
    const version = createVersion({ ...candidate.snapshot, directory }, candidate.manifest, bases);
    const definition = callablesOf(version.manifest).find((tool) => tool.name === name);
    return definition && toRegistered(owner, { definition, source, binding: { kind: "plugin", version } }, newId());
  };
}
