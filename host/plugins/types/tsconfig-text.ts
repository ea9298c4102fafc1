/** The `tsconfig.json` with which editors and `tsc` see a plugin's sandbox, and nothing of Node, Deno or a browser. */

import { GLOBALS_FILE } from "./plugin-types.ts";

/** Name of the file in the plugin's folder. */
export const TSCONFIG_FILE = "tsconfig.json";

/** If the author has a file of one of these names, none is written. */
export const TSCONFIG_ALIKE: readonly string[] = [TSCONFIG_FILE, "jsconfig.json"];

/** Packages without declarations have the types of their code, as far as it shows them. Excludes tests, which run outside the sandbox with `Deno.test`. */
export const TSCONFIG_TEXT: string = `{
  "compilerOptions": {
    "target": "es2023",
    "lib": ["es2025", "esnext.array", "esnext.collection", "esnext.disposable", "esnext.error", "esnext.typedarrays"],
    "types": ["./${GLOBALS_FILE}"],
    "module": "preserve",
    "moduleDetection": "force",
    "strict": true,
    "noEmit": true,
    "allowJs": true,
    "maxNodeModuleJsDepth": 1,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "skipLibCheck": true
  },
  "exclude": ["node_modules", "**/*_test.ts", "**/*.test.ts"]
}
`;
