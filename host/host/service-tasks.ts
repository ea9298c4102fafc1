/** Everything that service threads do, by name. */

import { checkpointJournal } from "../audit/checkpoints.ts";
import { followingTask } from "../audit/following.ts";
import { actsTask, sessionTask, verifyTask } from "../audit/journal-reader.ts";
import { appendToJournal, closeJournal } from "../audit/journal-writer.ts";
import { retainJournal } from "../audit/retain-task.ts";
import { searchStep } from "../audit/search.ts";
import { unpackTask } from "../plugins/installing/unpack-task.ts";
import { diffTask } from "../effects/overlay/diff-task.ts";
import { lookTask } from "../effects/undo/look-task.ts";

/** An alias, because an interface would not fit where any tasks do. */
export type ServiceTasks = {
  readonly "journal.append": typeof appendToJournal;
  readonly "journal.checkpoint": typeof checkpointJournal;
  readonly "journal.close": typeof closeJournal;
  readonly "journal.retain": typeof retainJournal;
  readonly "audit.search": typeof searchStep;
  readonly "audit.following": typeof followingTask;
  readonly "audit.verify": typeof verifyTask;
  readonly "audit.session": typeof sessionTask;
  readonly "audit.acts": typeof actsTask;
  readonly "archive.read": typeof unpackTask;
  readonly "overlay.diff": typeof diffTask;
  readonly "undo.look": typeof lookTask;
};

export const SERVICE_TASKS: ServiceTasks = {
  "journal.append": appendToJournal,
  "journal.checkpoint": checkpointJournal,
  "journal.close": closeJournal,
  "journal.retain": retainJournal,
  "audit.search": searchStep,
  "audit.following": followingTask,
  "audit.verify": verifyTask,
  "audit.session": sessionTask,
  "audit.acts": actsTask,
  "archive.read": unpackTask,
  "overlay.diff": diffTask,
  "undo.look": lookTask,
};
