/** Every task of service threads: the thread looks a request's task up here. */

import { CHECKPOINT_JOURNAL } from "../audit/checkpoints.ts";
import { FOLLOWING } from "../audit/following.ts";
import { RECORDED_ACTS, SESSION_STATE, VERIFY_JOURNAL } from "../audit/journal-reader.ts";
import { APPEND_TO_JOURNAL, CLOSE_JOURNAL } from "../audit/journal-writer.ts";
import { LOST_CALLS } from "../audit/lost-calls.ts";
import { RETAIN_JOURNAL } from "../audit/retain-task.ts";
import { SEARCH_STEP } from "../audit/search.ts";
import { RECORDED_CALLS, RECORDED_USE } from "../audit/usage.ts";
import { READ_PLAIN } from "../capabilities/files/read-plain-task.ts";
import { UNPACK_ARCHIVE } from "../plugins/installing/unpack-task.ts";
import { READ_TOOLS } from "../plugins/code/read-tools-task.ts";
import { DIFF } from "../effects/overlay/diff-task.ts";
import { LOOK } from "../effects/undo/look-task.ts";
import type { ServiceTask } from "../primitives/service/task.ts";

export const SERVICE_TASKS: readonly ServiceTask[] = [
  CHECKPOINT_JOURNAL,
  FOLLOWING,
  LOST_CALLS,
  VERIFY_JOURNAL,
  SESSION_STATE,
  RECORDED_ACTS,
  RECORDED_CALLS,
  RECORDED_USE,
  APPEND_TO_JOURNAL,
  CLOSE_JOURNAL,
  RETAIN_JOURNAL,
  SEARCH_STEP,
  READ_PLAIN,
  UNPACK_ARCHIVE,
  READ_TOOLS,
  DIFF,
  LOOK,
];
