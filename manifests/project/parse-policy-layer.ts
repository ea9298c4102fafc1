/** Reads the parts of `bascule.json` that restrict tools: layers, roles, permission types (SPEC P3, P5, P7). */

import { compact, type DocumentReader, type Fields } from "../text/document.ts";
import type { JsonValue } from "../text/json.ts";
import { printable } from "../text/names.ts";
import { checkItem } from "../permissions/permission-parse.ts";
import { readPermissions } from "../permissions/permission-field.ts";
import {
  type FlatPermissions,
  LAYER_LEVELS,
  type LayerLevel,
  PERMISSION_TYPES,
  type PermissionType,
  type PermissionTypeRules,
  type PolicyLayer,
  REQUIRED_RECORDS,
} from "./policy-layer.ts";

const LAYER_FIELDS = ["name", "level", "role", "allow", "deny", "permissions", "audit"];
const ROLE_FIELDS = ["webAccess", "allowedCategories", "allowedTools", "forbiddenTools"];
const MAX_NAME_LENGTH = 128;

/** Reads one item of `policy.layers`. */
export function readLayer(reader: DocumentReader, value: JsonValue, pointer: string): PolicyLayer | undefined {
  const fields = reader.fields(value, pointer, { what: "Layer", known: LAYER_FIELDS, required: ["name", "level"] });
  if (fields === undefined) return undefined;
  const level: LayerLevel | undefined = fields.choice("level", LAYER_LEVELS);
  const role = fields.text("role", checkName);
  if (level === "task") {
    reader.refuse(fields.at("level"), "Task layers come with a session", `open the session with { "readOnly": true } or { "noWeb": true }`);
  } else if (level === "role" && !fields.has("role")) {
    reader.refuse(pointer, `Layer of level "role" has no "role"`, `add "role", or make it "global"`);
  } else if (level !== undefined && level !== "role" && fields.has("role")) {
    reader.refuse(fields.at("role"), `A ${level} layer applies to every role`, `write "level": "role", or leave "role" out`);
  }
  const layer = compact({
    name: fields.text("name", checkName) ?? "",
    level: level === undefined || level === "task" ? ("global" as const) : level,
    role,
    allow: fields.texts("allow", checkSelector),
    deny: fields.texts("deny", checkSelector),
    permissions: readPermissions(reader, fields, "permissions"),
    audit: readRequired(reader, fields),
  });
  if (layer.allow === undefined && layer.deny === undefined && layer.permissions === undefined && !fields.has("audit"))
    reader.refuse(pointer, "Layer has no effect", `add "allow", "deny", "permissions" or "audit"`);
  return layer;
}

function readRequired(reader: DocumentReader, parent: Fields): PolicyLayer["audit"] {
  const fields = parent.has("audit")
    ? reader.fields(parent.get("audit"), parent.at("audit"), { what: "Audit", known: ["required"], required: ["required"] })
    : undefined;
  const required = fields?.choice("required", REQUIRED_RECORDS);
  return required && { required };
}

/** Reads `roles`: flat permissions by role name. */
export function readRoles(reader: DocumentReader, parent: Fields): Readonly<Record<string, FlatPermissions>> | undefined {
  return parent.record("roles", (value, pointer) => {
    const fields = reader.fields(value, pointer, { what: "Role", known: ROLE_FIELDS });
    return (
      fields &&
      compact({
        webAccess: fields.flag("webAccess"),
        allowedCategories: fields.texts("allowedCategories", checkName),
        allowedTools: fields.texts("allowedTools", checkSelector),
        forbiddenTools: fields.texts("forbiddenTools", checkSelector),
      })
    );
  });
}

/** Reads `policy.permissionTypes`. */
export function readPermissionTypes(
  reader: DocumentReader,
  parent: Fields,
): { readonly [K in PermissionType]?: PermissionTypeRules } | undefined {
  const section = parent.has("permissionTypes")
    ? reader.fields(parent.get("permissionTypes"), parent.at("permissionTypes"), { what: "Permission types", known: PERMISSION_TYPES })
    : undefined;
  if (section === undefined) return undefined;
  const entries = PERMISSION_TYPES.map((type) => {
    const fields = section.has(type)
      ? reader.fields(section.get(type), section.at(type), { what: "Permission type", known: ["requiresApproval", "allowedPaths"] })
      : undefined;
    return [
      type,
      fields &&
        compact({
          requiresApproval: fields.flag("requiresApproval"),
          allowedPaths: fields.texts("allowedPaths", (path) => checkItem("read", path)),
        }),
    ] as const;
  });
  return compact(Object.fromEntries(entries));
}

function checkName(name: string): string | undefined {
  return name.length <= MAX_NAME_LENGTH ? undefined : `Is longer than ${MAX_NAME_LENGTH} characters; write a shorter name`;
}

function checkSelector(selector: string): string | undefined {
  return selector.length <= 256 && /^(?:(?:group|category):[\w.-]+|[\w.*?-]+)$/.test(selector)
    ? undefined
    : `"${printable(selector)}" selects no tools; write "grep", "words.grep", "words.*", "group:read" or "category:web"`;
}
