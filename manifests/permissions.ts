/**
 * Permissions in Deno's vocabulary and grammar (SPEC appendix A).
 *
 * Written form (`Permissions`) is JSON; compiled form (`CompiledPermissions`) is what decisions read. Decisions are
 * AND-ed over layers and deny is absolute in every layer.
 */

export const PERMISSION_KINDS = ["read", "write", "net", "env", "sys", "run", "ffi", "import", "tools", "mcp"] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

/** An environment variable handed over by reference: the guest sees a placeholder (SPEC C7). */
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

/** A permission set as written. A kind that is absent is not asked for. */
export type Permissions = { readonly [K in PermissionKind]?: PermissionValue };

/** Absolute, normalised folders that relative items and `$tokens` stand for. */
export interface PermissionBases {
  /** What a relative path item is relative to. */
  readonly base: string;
  readonly plugin?: string;
  readonly workspace?: string;
  readonly data?: string;
  readonly tmp?: string;
  readonly home?: string;
  /** Another spelling of a folder: what an item says of paths below `as` it says of those below `is`, where paths that are asked about lie. */
  readonly named?: { readonly as: string; readonly is: string };
}

/** The kinds whose items are paths with everything below them. */
export const PATH_KINDS = ["read", "write", "ffi"] as const;
export type PathKind = (typeof PATH_KINDS)[number];

/** True for the kinds whose items are paths. */
export function isPathKind(kind: PermissionKind): kind is PathKind {
  return PATH_KINDS.some((known) => known === kind);
}

/**
 * One act that wants to be allowed. Without the naming part it asks for the whole kind.
 *
 * Paths are absolute; a `run` name is an absolute path, or a bare name that is looked up nowhere.
 */
export type AccessQuery =
  | PathQuery
  | { readonly kind: "net"; readonly host?: string; readonly port?: number; readonly method?: string; readonly path?: string }
  | { readonly kind: "env" | "sys" | "run" | "import" | "tools" | "mcp"; readonly name?: string };

/** An act on a file or folder. */
export interface PathQuery {
  readonly kind: PathKind;
  readonly path?: string;
  /** Denials hold for every name that a file system may take for theirs (`foldName`). Items that allow stay exact. */
  readonly anySpelling?: true;
  /** Set by `evaluateAccess` for `anySpelling`: the names of `path`, folded. */
  readonly folded?: readonly string[];
}

/** Ordered: `granted > prompt > denied`. `prompt` means that a person could still allow it. */
export type AccessState = "granted" | "prompt" | "denied";

export interface LayerVerdict {
  readonly layer: string;
  readonly state: AccessState;
  /** The item that decided, as written; absent when nothing in the layer named it. */
  readonly rule?: string;
  /** A path that contains a denied one: recursive acts on it fail (SPEC PA5). */
  readonly partial?: true;
  /** Denied by an `ignore` item: the bridge answers "not found" or "unset" instead of a refusal. */
  readonly ignored?: true;
}

/** The minimum over all layers, with every layer's own verdict for `why`. */
export interface AccessVerdict {
  readonly state: AccessState;
  readonly partial?: true;
  readonly decidedBy: LayerVerdict;
  readonly layers: readonly LayerVerdict[];
}

/** A permission set ready to be asked, with its relative items and tokens resolved. Made by `compilePermissions`. */
export interface CompiledPermissions {
  readonly source: Permissions;
  readonly bases: PermissionBases;
  readonly entries: ReadonlyMap<PermissionKind, CompiledEntry>;
}

/** One kind's rules, `true` meaning everything of that kind. */
export interface CompiledEntry {
  readonly allow: true | readonly CompiledItem[];
  readonly deny: true | readonly CompiledItem[];
  /** Denied, and to be answered as if it did not exist (read and env). */
  readonly ignore?: true | readonly CompiledItem[];
  /** Items that were allowed beside everything: an address among them is more than `true` says (SPEC PA4). */
  readonly listed?: readonly CompiledItem[];
  /** Nothing was written under `allow`: a policy layer has no opinion on what it does not deny. */
  readonly isDenyOnly?: true;
}

/** One item with its matcher. */
export interface CompiledItem {
  readonly written: string;
  readonly matches: (query: AccessQuery) => boolean;
  /** For deny paths: true if the queried path contains something this item denies (SPEC PA5). */
  readonly within?: (query: AccessQuery) => boolean;
  /** For variables that are handed over by reference: where their values may go (SPEC C7). */
  readonly secret?: SecretBinding;
}

/** A secret as one layer binds it. */
export interface SecretBinding {
  readonly name: string;
  /** As written, for messages. */
  readonly hosts: readonly string[];
  /** The host is canonical, the port is always there. */
  readonly permits: (target: { readonly host: string; readonly port: number }) => boolean;
}

/** One of the layers that a call's grant is made of. */
export interface PermissionLayer {
  readonly name: string;
  readonly permissions: CompiledPermissions;
  /** What a kind the layer does not name means: none at all, or no opinion (only policy layers; SPEC PA3). */
  readonly unnamed: "none" | "transparent";
  /** The state of what the layer does not allow: `prompt` where a person could still allow it. */
  readonly otherwise: "prompt" | "denied";
}
