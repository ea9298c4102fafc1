/**
 * All pages of the console. The sidebar, the command palette, the router, the accessibility tests and the screenshots read this list.
 * To add a page, add an entry here and its component to `views.tsx`.
 */

/** A page of the console. */
export interface PageEntry {
  readonly id: PageId;
  /** Path in the URL's fragment; a part that begins with ":" is a parameter. */
  readonly path: string;
  readonly title: string;
  /** Group in the sidebar; absent for a page that is reached through another one. */
  readonly group?: PageGroup;
  /** Page whose entry in the sidebar is marked as current. */
  readonly parent?: PageId;
}

/** Groups of the sidebar, in order. */
export const PAGE_GROUPS = ["Activity", "Plugins", "Rules"] as const;
export type PageGroup = (typeof PAGE_GROUPS)[number];

export type PageId =
  | "calls"
  | "call"
  | "confirmations"
  | "confirmation"
  | "run"
  | "dashboard"
  | "clients"
  | "journal"
  | "plugins"
  | "plugin"
  | "servers"
  | "permissions"
  | "policy"
  | "why";

export const PAGES: readonly PageEntry[] = [
  { id: "calls", path: "/calls", title: "Calls", group: "Activity" },
  { id: "call", path: "/calls/:callId", title: "Call", parent: "calls" },
  { id: "confirmations", path: "/confirmations", title: "Confirmations", group: "Activity" },
  { id: "confirmation", path: "/confirmations/:requestId", title: "Confirmation", parent: "confirmations" },
  { id: "run", path: "/run", title: "Run a tool", group: "Activity" },
  { id: "dashboard", path: "/dashboard", title: "Dashboard", group: "Activity" },
  { id: "clients", path: "/clients", title: "Sessions", group: "Activity" },
  { id: "journal", path: "/journal", title: "Journal", group: "Activity" },
  { id: "plugins", path: "/plugins", title: "Plugins", group: "Plugins" },
  { id: "plugin", path: "/plugins/:name", title: "Plugin", parent: "plugins" },
  { id: "servers", path: "/servers", title: "MCP servers", group: "Plugins" },
  { id: "permissions", path: "/permissions", title: "Permission map", group: "Rules" },
  { id: "policy", path: "/policy", title: "Policy", group: "Rules" },
  { id: "why", path: "/why", title: "Why", group: "Rules" },
];

/** Page that is shown at first. */
export const HOME: PageEntry["path"] = "/calls";
