/** Service-thread task: the guest supplies the texts, and the time grows with the square of the difference (SPEC LV2, B1). */

import type { ServiceTask } from "../../primitives/service/task.ts";
import { type Side, unifiedDiff } from "./unified-diff.ts";

export const DIFF: ServiceTask<typeof diffTask> = { name: "overlay.diff", run: diffTask };

function diffTask({ before, after }: { readonly before: Side; readonly after: Side }): Promise<string | undefined> {
  return unifiedDiff(before, after);
}
