/** Converts a plugin's status to the form that doors show: problems with code frames, granted and missing permissions. */

import type { Manifest, PermissionItem, PermissionKind, Permissions, PermissionValue, Problem } from "../../manifests/mod.ts";
import {
  callablesOf,
  coversPermissions,
  permissionsForEffects,
  toEntry,
  DEFAULT_LIMITS,
  LIMIT_CEILINGS,
  LIMIT_NAMES,
  limitText,
  parseJson,
  PERMISSION_KINDS,
  raisedLimits,
} from "../../manifests/mod.ts";
import { orUndefined } from "../platform/or-undefined.ts";
import type { Files } from "../platform/platform.ts";
import type { LackingLimit } from "../call/limit-hint.ts";
import type { PluginStatus } from "../plugins/folder/status.ts";
import { defined } from "../primitives/defined.ts";
import { absolutePermissions } from "./absolute-permissions.ts";
import { excerpt } from "./code-frame.ts";
import { MAX_FRAMED_BYTES, readText, withFrame } from "./problem-frame.ts";
import type { LimitView, PluginProblem, PluginState, PluginView, ToolView } from "./operations.ts";

const MANIFEST = "manifest.json";
/** Permission kinds that have no effect in the sandbox (SPEC C1). */
const NATIVE_ONLY: ReadonlySet<PermissionKind> = new Set(["run", "sys", "ffi", "import"] as const);

/** Facts that the status does not hold. */
interface PluginViewOptions {
  readonly files: Files;
  readonly tools: readonly ToolView[];
  readonly granted: Permissions;
  /** Limits that policy allows only in part; absent if the plugin's tools cannot be called. */
  readonly lacking?: readonly LackingLimit[];
}

/** @returns plain JSON that shares nothing with `status`. */
export async function toPluginView(status: PluginStatus, { files, tools, granted, lacking }: PluginViewOptions): Promise<PluginView> {
  // A grant resolves relative items against the project, not the plugin's folder. Absolute items can be granted as shown.
  const folder = (await orUndefined(files.realPath(status.directory))) ?? status.directory;
  const asked = status.requested ?? {};
  const needed = absolutePermissions(narrowed(asked, status.manifest), folder);
  return {
    name: status.name ?? status.folder,
    state: stateOf(status),
    directory: status.directory,
    ...defined({ version: status.version, description: status.manifest?.description, digest: status.digest }),
    tools,
    problems: await problemsOf(status, files),
    requested: absolutePermissions(asked, folder),
    granted,
    missing:
      status.state === "disabled" ? {} : missingPermissions(needed, granted, { isNative: tools.some(({ route }) => route === "host") }),
    limits: limitViews(status, lacking ?? unaccepted(status)),
    ...(status.held && { held: status.held }),
  };
}

function limitViews({ manifest }: PluginStatus, lacking: readonly LackingLimit[]): readonly LimitView[] {
  const raised = manifest === undefined ? {} : raisedLimits(manifest);
  return LIMIT_NAMES.flatMap((limit): readonly LimitView[] => {
    const asked = raised[limit];
    if (asked === undefined) return [];
    // Rules may differ per tool: show the lowest allowed value.
    const [least] = lacking.filter((one) => one.limit === limit).toSorted((a, b) => a.allowed - b.allowed);
    if (least === undefined) return [{ limit, asked, allowed: asked, text: `${limit} ${limitText(limit, asked)}` }];
    const { allowed, by } = least;
    return [{ limit, asked, allowed, by, text: `${limit} ${limitText(limit, asked)}, allowed ${limitText(limit, allowed)}` }];
  });
}

/** Returns the raised limits that the user has not accepted, for a plugin whose calls policy does not decide. */
function unaccepted({ manifest, acceptedLimits = {} }: PluginStatus): readonly LackingLimit[] {
  const raised = manifest === undefined ? {} : raisedLimits(manifest);
  return LIMIT_NAMES.flatMap((limit): readonly LackingLimit[] => {
    const [asked = 0, allowed] = [raised[limit], Math.max(acceptedLimits[limit] ?? 0, DEFAULT_LIMITS[limit])];
    return asked > allowed ? [{ limit, asked, allowed, by: "consent" }] : [];
  });
}

/**
 * Returns the requested permissions of the kinds for which the plugin has no grant.
 *
 * A kind that is granted in part is not missing, because the user has decided how much of it the plugin gets. Permissions that the
 * user denied are not missing either, because no grant restores them. If no tool of the plugin runs natively, kinds that no sandbox
 * has are left out: such a plugin needs to be trusted, and its tools say so.
 */
function missingPermissions(requested: Permissions, granted: Permissions, { isNative }: { readonly isNative: boolean }): Permissions {
  const missing: { [K in PermissionKind]?: PermissionValue } = {};
  for (const kind of PERMISSION_KINDS) {
    const value = withoutDenied(kind, requested[kind], granted[kind]);
    if (!isNative && NATIVE_ONLY.has(kind)) continue;
    if (value !== undefined && allowsAnything(value) && !allowsAnything(granted[kind])) missing[kind] = value;
  }
  return missing;
}

/** Returns the request without the items that the grant denies. */
function withoutDenied(
  kind: PermissionKind,
  wanted: PermissionValue | undefined,
  granted: PermissionValue | undefined,
): PermissionValue | undefined {
  const { deny = [] } = toEntry(granted ?? {});
  if (wanted === undefined || deny === true) return undefined;
  const { allow } = toEntry(wanted);
  if (!Array.isArray(allow) || !Array.isArray(deny) || deny.length === 0) return wanted;
  const left = allow.filter((item: PermissionItem) => coversPermissions({ [kind]: deny }, { [kind]: [item] }).length > 0);
  return withAllow(wanted, left);
}

/** Narrows "everything of a kind" to the union of what the tools request, if each tool that may use the kind requests less. */
function narrowed(requested: Permissions, manifest: Manifest | undefined): Permissions {
  if (manifest === undefined) return requested;
  const narrow = PERMISSION_KINDS.flatMap((kind): readonly (readonly [PermissionKind, PermissionValue])[] => {
    const value = requested[kind];
    if (value === undefined || toEntry(value).allow !== true) return [];
    const users = callablesOf(manifest).filter(({ sideEffects }) => Object.hasOwn(permissionsForEffects(sideEffects), kind));
    const items = users.map(({ permissions }) => (permissions === undefined ? true : (toEntry(permissions[kind] ?? {}).allow ?? [])));
    const lists = items.filter((allow) => typeof allow !== "boolean");
    return users.length === 0 || items.includes(true) ? [] : [[kind, withAllow(value, [...new Set(lists.flat())])]];
  });
  return { ...requested, ...Object.fromEntries(narrow) };
}

function withAllow(value: PermissionValue, allow: readonly PermissionItem[]): PermissionValue {
  return typeof value === "boolean" || Array.isArray(value) ? allow : { ...value, allow };
}

function allowsAnything(value: PermissionValue | undefined): boolean {
  const { allow } = toEntry(value ?? {});
  return allow === true || (Array.isArray(allow) && allow.length > 0);
}

function stateOf(status: PluginStatus): PluginState {
  return status.state === "failed" && status.lastGood ? "stale" : status.state;
}

async function problemsOf(status: PluginStatus, files: Files): Promise<readonly PluginProblem[]> {
  const { error, state, reason } = status;
  if (error?.file !== undefined && error.file !== MANIFEST) {
    const { message, file, line, column } = error;
    return [await withFrame({ severity: "error", pointer: "", message, file, ...defined({ line, column }) }, status.directory, files)];
  }
  if (status.problems.length === 0) {
    return reason === undefined ? [] : [{ severity: state === "failed" ? "error" : "warning", pointer: "", message: reason }];
  }
  const manifest = await readText(`${status.directory}/${MANIFEST}`, files);
  return await Promise.all(
    status.problems.map(async (problem) =>
      problem.file === undefined ? inManifest(problem, manifest) : await withFrame(problem, status.directory, files),
    ),
  );
}

/** Adds the position in the manifest and the lines around it. */
function inManifest(problem: Problem, text: string | undefined): PluginProblem {
  if (text === undefined || (problem.line === undefined && problem.pointer === "")) return problem;
  const place = problem.line === undefined ? locate(text, problem.pointer) : {};
  if (place === undefined) return problem;
  const placed: PluginProblem = { ...problem, ...place, file: MANIFEST };
  const frame = placed.line === undefined ? undefined : excerpt(text, placed.line);
  return frame === undefined ? placed : { ...placed, frame };
}

function locate(text: string, pointer: string): { readonly line: number; readonly column: number } | undefined {
  const parsed = parseJson(text, { maxBytes: MAX_FRAMED_BYTES, maxDepth: LIMIT_CEILINGS.jsonDepth });
  return parsed.ok ? parsed.value.locate(pointer) : undefined;
}
