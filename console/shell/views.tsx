/** The component of each page. */

import type { VNode } from "preact";
import { Call } from "../pages/call.tsx";
import { Calls } from "../pages/calls.tsx";
import { Clients } from "../pages/clients.tsx";
import { Confirmations } from "../pages/confirmations.tsx";
import { Dashboard } from "../pages/dashboard.tsx";
import { PermissionMapPage } from "../pages/permission-map/permission-map.tsx";
import { PluginPage } from "../pages/plugin/plugin.tsx";
import { Plugins } from "../pages/plugins.tsx";
import { Policy } from "../pages/policy/policy.tsx";
import { RecordView } from "../pages/record.tsx";
import { Run } from "../pages/run.tsx";
import { Servers } from "../pages/servers.tsx";
import { Why } from "../pages/why.tsx";
import type { PageId } from "./pages.ts";

/** Parameters of the page's path. */
export type PageParams = Readonly<Record<string, string>>;

export const VIEWS: Readonly<Record<PageId, (params: PageParams) => VNode>> = {
  calls: () => <Calls />,
  call: ({ callId = "" }) => <Call callId={callId} />,
  confirmations: () => <Confirmations />,
  confirmation: ({ requestId }) => <Confirmations requestId={requestId} />,
  run: () => <Run />,
  journal: () => <RecordView />,
  dashboard: () => <Dashboard />,
  clients: () => <Clients />,
  plugins: () => <Plugins />,
  plugin: ({ name = "" }) => <PluginPage name={name} />,
  servers: () => <Servers />,
  permissions: () => <PermissionMapPage />,
  policy: () => <Policy />,
  why: () => <Why />,
};
