/** `npm:` and `jsr:` specifiers, as Deno writes them. */

/** `npm:@scope/name@^1.2/sub`. */
export interface PackageSpecifier {
  readonly registry: "npm" | "jsr";
  readonly name: string;
  /** A semver range or a tag; absent means any. */
  readonly range?: string;
  /** Begins with a slash; absent is the package's main module. */
  readonly subpath?: string;
}

/** Undefined if it is not of that form. */
export function parsePackageSpecifier(text: string): PackageSpecifier | undefined {
  const match = /^(npm|jsr):\/?((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:@([^/@\s]+))?(\/[^\s]*)?$/i.exec(text);
  const [, registry, name, range, subpath] = match ?? [];
  if ((registry !== "npm" && registry !== "jsr") || name === undefined) return undefined;
  if (registry === "jsr" && !name.startsWith("@")) return undefined;
  if (subpath?.split("/").includes("..") === true) return undefined;
  return { registry, name, ...(range !== undefined && { range }), ...(subpath !== undefined && subpath !== "/" && { subpath }) };
}

/** How a package is called in `node_modules`: npm's own name, or the one under which jsr's npm registry has it. */
export function installedName({ registry, name }: PackageSpecifier): string {
  return registry === "npm" ? name : `@jsr/${name.slice(1).replace("/", "__")}`;
}
