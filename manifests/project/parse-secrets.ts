/** Reads the sources of secrets (SPEC P1, C7). */

import { compact, type DocumentReader, type Fields } from "../text/document.ts";
import { isJsonArray, type JsonValue } from "../text/json.ts";
import { printable } from "../text/names.ts";
import { parseNetItem } from "../permissions/permission-net.ts";
import type { SecretSource } from "./project.ts";

const MAX_SECRETS = 256;
/** Name of a variable, as in env items of permissions. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Keyed by the name that a plugin requests. */
export function readSecrets(reader: DocumentReader, parent: Fields): Readonly<Record<string, SecretSource>> {
  const secrets = parent.record("secrets", (value, pointer, name) => readSecret(reader, value, pointer, name)) ?? {};
  if (Object.keys(secrets).length > MAX_SECRETS)
    reader.refuse(parent.at("secrets"), `More than ${MAX_SECRETS} secrets`, "remove unused secrets");
  return secrets;
}

function readSecret(reader: DocumentReader, value: JsonValue, pointer: string, name: string): SecretSource | undefined {
  if (!NAME.test(name))
    reader.refuse(pointer, `"${printable(name)}" is not the name of an environment variable`, "write one such as API_KEY", "key");
  if (typeof value === "string") {
    // The message does not repeat the value, which may be the secret itself.
    reader.refuse(pointer, "Secrets must not be stored in this file", 'write { "env": "VARIABLE" } or { "file": "path" }');
    return undefined;
  }
  const fields = reader.fields(value, pointer, { what: "Secret", known: ["env", "file", "hosts"] });
  if (fields === undefined) return undefined;
  if (fields.has("env") === fields.has("file"))
    reader.refuse(pointer, 'Secret must have exactly one of "env" and "file"', 'write { "env": "VARIABLE" } or { "file": "path" }');
  const hosts = fields.texts("hosts", checkHost);
  const listed = fields.get("hosts");
  if (isJsonArray(listed) && listed.length === 0)
    reader.refuse(fields.at("hosts"), "Secret has an empty list of hosts", 'list hosts, or leave "hosts" out');
  return compact({ env: fields.text("env", checkVariable), file: fields.text("file", checkFile), hosts });
}

function checkVariable(name: string): string | undefined {
  return NAME.test(name) ? undefined : "Is not the name of an environment variable; write one such as API_KEY";
}

function checkFile(path: string): string | undefined {
  return path.length <= 4_096 && !path.includes("\0") ? undefined : "Is not a path; write a file, relative to this file or absolute";
}

function checkHost(host: string): string | undefined {
  const outcome = parseNetItem(host);
  return outcome.ok ? undefined : outcome.reason;
}
