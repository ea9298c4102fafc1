/**
 * Permissions in Deno's vocabulary and grammar (SPEC appendix A).
 *
 * The written form (`Permissions`) is JSON; decisions use the compiled form (`CompiledPermissions`). All layers must allow an
 * access, and a denial is absolute in every layer.
 */

export const PERMISSION_KINDS = ["read", "write", "net", "env", "sys", "run", "ffi", "import", "tools", "mcp"] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

/** An environment variable passed by reference: the guest sees a placeholder (SPEC C7). */
export interface SecretItem {
  readonly name: string;
  readonly secret: true;
  readonly hosts: readonly string[];
}

/** A host limited to methods and path prefixes (SPEC PA2). */
export interface NetItem {
  readonly host: string;
  readonly methods?: readonly string[];
  readonly paths?: readonly string[];
}

export type PermissionItem = string | SecretItem | NetItem;

export interface PermissionEntry {
  readonly allow?: boolean | readonly PermissionItem[];
  readonly deny?: boolean | readonly PermissionItem[];
  readonly ignore?: boolean | readonly PermissionItem[];
  readonly reason?: string;
}

export type PermissionValue = boolean | readonly PermissionItem[] | PermissionEntry;

/** A permission set as written. An absent kind is not requested. */
export type Permissions = { readonly [K in PermissionKind]?: PermissionValue };

/** Absolute, normalised folders for relative items and `$tokens`. */
export interface PermissionBases {
  /** Base of relative path items. */
  readonly base: string;
  readonly plugin?: string;
  readonly workspace?: string;
  readonly data?: string;
  readonly tmp?: string;
  readonly home?: string;
  /** Second spelling of a folder: items for paths below `as` also apply to paths below `is`, where the queried paths lie. */
  readonly named?: { readonly as: string; readonly is: string };
}

/** Kinds whose items are paths including their contents. */
const PATH_KINDS = ["read", "write", "ffi"] as const;
export type PathKind = (typeof PATH_KINDS)[number];

/** Returns true for the kinds whose items are paths. */
export function isPathKind(kind: PermissionKind): kind is PathKind {
  return PATH_KINDS.some((known) => known === kind);
}

/**
 * Query for one access. Without its name it is for the whole kind.
 *
 * Paths are absolute; a `run` name is an absolute path, or a bare name that is never looked up.
 */
export type AccessQuery =
  | PathQuery
  | { readonly kind: "net"; readonly host?: string; readonly port?: number; readonly method?: string; readonly path?: string }
  | { readonly kind: "env" | "sys" | "run" | "import" | "tools" | "mcp"; readonly name?: string };

/** Access to a file or folder. */
interface PathQuery {
  readonly kind: PathKind;
  readonly path?: string;
  /** Denials match every name that a file system may treat as equal (`foldName`). Allowances match exactly. */
  readonly anySpelling?: true;
  /** Set by `evaluateAccess` for `anySpelling`: the folded names of `path`. */
  readonly folded?: readonly string[];
}

/** Ordered: `granted > prompt > denied`. `prompt` means that the user could still allow it. */
export type AccessState = "granted" | "prompt" | "denied";

export interface LayerVerdict {
  readonly layer: string;
  readonly state: AccessState;
  /** The item that decided, as written; absent if the layer has no matching item. */
  readonly rule?: string;
  /** Marks a path that contains a denied one: recursive operations on it fail (SPEC PA5). */
  readonly partial?: true;
  /** Denied by an `ignore` item: the bridge answers "not found" or "unset" instead of a refusal. */
  readonly ignored?: true;
}

/** The minimum over all layers, with each layer's verdict for `why`. */
export interface AccessVerdict {
  readonly state: AccessState;
  readonly partial?: true;
  readonly decidedBy: LayerVerdict;
  readonly layers: readonly LayerVerdict[];
}

/** A permission set with its relative items and tokens resolved, created by `compilePermissions`. */
export interface CompiledPermissions {
  readonly source: Permissions;
  readonly bases: PermissionBases;
  readonly entries: ReadonlyMap<PermissionKind, CompiledEntry>;
}

/** Rules of one kind; `true` means everything of that kind. */
export interface CompiledEntry {
  readonly allow: true | readonly CompiledItem[];
  readonly deny: true | readonly CompiledItem[];
  /** Denied, and answered as if it did not exist (read and env). */
  readonly ignore?: true | readonly CompiledItem[];
  /** Items allowed besides everything: an address among them allows more than `true` (SPEC PA4). */
  readonly listed?: readonly CompiledItem[];
  /** Set if `allow` is absent: a policy layer then decides only about its denials. */
  readonly isDenyOnly?: true;
}

/** One item with its matcher. */
export interface CompiledItem {
  readonly written: string;
  readonly matches: (query: AccessQuery) => boolean;
  /** For denied paths: returns true if the queried path contains something that this item denies (SPEC PA5). */
  readonly within?: (query: AccessQuery) => boolean;
  /** For variables passed by reference: the hosts that may receive their values (SPEC C7). */
  readonly secret?: SecretBinding;
}

/** A secret as one layer binds it. */
export interface SecretBinding {
  readonly name: string;
  /** Hosts as written, for messages. */
  readonly hosts: readonly string[];
  /** Tests a target with canonical host and explicit port. */
  readonly permits: (target: { readonly host: string; readonly port: number }) => boolean;
}

/** One layer of a call's grant. */
export interface PermissionLayer {
  readonly name: string;
  readonly permissions: CompiledPermissions;
  /** Meaning of a kind that the layer does not name: none, or transparent (policy layers only; SPEC PA3). */
  readonly unnamed: "none" | "transparent";
  /** State of accesses that the layer does not allow: `prompt` if the user could still allow them. */
  readonly otherwise: "prompt" | "denied";
}
