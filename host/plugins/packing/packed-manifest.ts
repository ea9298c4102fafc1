/** The exports of a packed plugin's single module, and the matching manifest. */

import type { Manifest } from "../../../manifests/mod.ts";

/** The file that contains the plugin's modules. */
export const PACKED_MAIN = "main.js";
export const PACKED_MAP = "main.js.map";

/** Entry points, renamed if two modules export the same name. */
interface PackedEntries {
  /** Code that exports every entry point. */
  readonly entry: string;
  /** Returns the packed name of a module's export. */
  exportOf(module: string, name: string): string;
}

export function packEntries(manifest: Manifest): PackedEntries {
  const names = new Map<string, string>();
  const lines: string[] = [];
  for (const { module, export: name } of entryPoints(manifest)) {
    const key = `${module}\0${name}`;
    if (names.has(key)) continue;
    const taken = new Set(names.values());
    let made = name;
    for (let number = 2; taken.has(made); number++) made = `${name}_${String(number)}`;
    names.set(key, made);
    lines.push(`export { ${name} as ${made} } from ${JSON.stringify(`./${module}`)};`);
  }
  return { entry: lines.join("\n"), exportOf: (module, name) => names.get(`${module}\0${name}`) ?? name };
}

function entryPoints(manifest: Manifest): readonly { readonly module: string; readonly export: string }[] {
  const tools = manifest.tools.map(({ module = manifest.main, export: name, name: tool }) => ({ module, export: name ?? tool }));
  return [...tools, ...manifest.skills];
}

/** Returns the manifest with its code in one module and no imports. That module has no types, so its tools are not written from code. */
export function packedManifest({ toolsFrom: _source, ...manifest }: Manifest, { exportOf }: PackedEntries): Manifest {
  return {
    ...manifest,
    main: PACKED_MAIN,
    imports: {},
    tools: manifest.tools.map((tool) => ({
      ...tool,
      module: PACKED_MAIN,
      export: exportOf(tool.module ?? manifest.main, tool.export ?? tool.name),
    })),
    skills: manifest.skills.map((skill) => ({ ...skill, module: PACKED_MAIN, export: exportOf(skill.module, skill.export) })),
  };
}
