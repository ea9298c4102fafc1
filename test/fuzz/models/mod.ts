/** All models, by the name for `npm run fuzz -- --only`. */

import { manifestModels } from "./manifests.ts";
import { marshalModels } from "./marshal.ts";
import type { Model } from "./model.ts";
import { netModels } from "./net.ts";
import { pathModels } from "./paths.ts";
import { permissionModels } from "./permissions.ts";
import { undoModels } from "./undo.ts";

export const MODELS: Readonly<Record<string, readonly Model[]>> = {
  permissions: permissionModels,
  net: netModels,
  manifests: manifestModels,
  paths: pathModels,
  marshal: marshalModels,
  undo: undoModels,
};
