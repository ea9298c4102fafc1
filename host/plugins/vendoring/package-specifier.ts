/** `npm:` and `jsr:` specifiers in Deno's syntax. */

/** A specifier such as `npm:@scope/name@^1.2/sub`. */
export interface PackageSpecifier {
  readonly registry: "npm" | "jsr";
  readonly name: string;
  /** A semver range or a tag; absent means any version. */
  readonly range?: string;
  /** Begins with a slash; absent for the package's main module. */
  readonly subpath?: string;
}

/** Returns undefined if the text is not a specifier. */
export function parsePackageSpecifier(text: string): PackageSpecifier | undefined {
  const match = /^(npm|jsr):\/?((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:@([^/@\s]+))?(\/[^\s]*)?$/i.exec(text);
  const [, registry, name, range, subpath] = match ?? [];
  if ((registry !== "npm" && registry !== "jsr") || name === undefined) return undefined;
  if (registry === "jsr" && !name.startsWith("@")) return undefined;
  if (subpath?.split("/").includes("..") === true) return undefined;
  return { registry, name, ...(range !== undefined && { range }), ...(subpath !== undefined && subpath !== "/" && { subpath }) };
}

/** Returns the package's name in `node_modules`: the npm name, or the name in jsr's npm registry. */
export function installedName({ registry, name }: PackageSpecifier): string {
  return registry === "npm" ? name : `@jsr/${name.slice(1).replace("/", "__")}`;
}
