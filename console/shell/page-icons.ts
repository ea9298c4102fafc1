/** Icons of the pages in the sidebar and the command palette. */

import {
  Activity,
  Cable,
  ChartLine,
  CircleHelp,
  type IconNode,
  Inbox,
  Map as MapIcon,
  Play,
  Puzzle,
  Scale,
  ScrollText,
  Server,
} from "lucide";
import type { PageId } from "./pages.ts";

export const PAGE_ICONS: Readonly<Partial<Record<PageId, IconNode>>> = {
  calls: Activity,
  confirmations: Inbox,
  run: Play,
  dashboard: ChartLine,
  clients: Cable,
  journal: ScrollText,
  plugins: Puzzle,
  servers: Server,
  permissions: MapIcon,
  policy: Scale,
  why: CircleHelp,
};
