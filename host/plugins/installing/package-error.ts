/** What was to be added cannot be: what is wrong with it, and what to do. For people; names in it are quoted. */
export class PackageError extends Error {
  override readonly name = "PackageError";
}
