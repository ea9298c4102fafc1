/** A task of the service thread: what is compared is a guest's, and takes time with the square of what differs (SPEC LV2, B1). */

import type { ServiceTask } from "../../primitives/service/task.ts";
import { type Side, unifiedDiff } from "./unified-diff.ts";

export const DIFF: ServiceTask<typeof diffTask> = { name: "overlay.diff", run: diffTask };

export function diffTask({ before, after }: { readonly before: Side; readonly after: Side }): Promise<string | undefined> {
  return unifiedDiff(before, after);
}
