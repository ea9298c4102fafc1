/** The part of papaparse that the plugin uses. */

interface Options {
  readonly header: true;
  readonly delimiter: string;
  readonly skipEmptyLines: boolean;
}

interface Result {
  readonly data: Record<string, string>[];
  readonly errors: readonly { readonly type: string; readonly message: string; readonly row?: number }[];
}

declare const Papa: { parse(csv: string, options: Options): Result };
export default Papa;
