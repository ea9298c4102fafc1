/** A package cannot be installed. The message is for users; it quotes names from the package. */
export class PackageError extends Error {
  override readonly name = "PackageError";
}
