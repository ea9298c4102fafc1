/** A plugin that imports packages, and packages as npm installs them. */

/** Manifest of the plugin `demo`, without imports. */
export const MANIFEST: Readonly<Record<string, unknown>> = {
  schemaVersion: "1.0",
  name: "demo",
  version: "1.0.0",
  description: "Imports packages",
  tools: [{ name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: [] }],
};

/** Files of a package in `node_modules`, version 1.2.3 unless `more` names another. */
export function pkg(name: string, more: object, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const inside = {
    "package.json": JSON.stringify({ name, version: "1.2.3", license: "MIT", ...more }),
    LICENSE: `Licence of ${name}`,
    ...files,
  };
  return Object.fromEntries(Object.entries(inside).map(([path, text]) => [`node_modules/${name}/${path}`, text]));
}
