// Listens on the state of permissions and replaces the questions.
let status;
export function plant() {
  status = Deno.PermissionStatus.prototype;
  status.planted = 1;
  Deno.permissions.query = () => "planted";
  Deno.permissions.planted = 1;
}
export function probe() {
  return [typeof status, Object.hasOwn(Deno.permissions, "planted"), Object.hasOwn(Deno.permissions, "query")];
}
