/** The command line as data: which command, its positionals, its options. Table-driven; knows no command. */

import { nearestName } from "../../tools/nearest.ts";

/** One option, as it is parsed and as it is shown in `--help`. */
export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string;
  /** One letter: `-P` and `-P=value`. */
  readonly short?: string;
  /** What stands for the value in help; absent for a flag without value. */
  readonly value?: string;
  /** The value may be left out (`--allow-read` is `--allow-read=<everything>`); it is then given with `=` only. */
  readonly optionalValue?: true;
  readonly about: string;
}

/** The options that were given, by name. */
export interface Options {
  /** True if the option was given, with or without a value. */
  has(name: string): boolean;
  /** The last value given; undefined if the option is absent or has no value. */
  value(name: string): string | undefined;
  /** Every value given, in order; `true` stands for an option without value. */
  all(name: string): readonly (string | true)[];
}

/** A command line that was understood, or what is wrong with it. */
export type ParsedArguments =
  | { readonly ok: true; readonly positionals: readonly string[]; readonly options: Options }
  | { readonly ok: false; readonly message: string; readonly suggestion?: string };

/**
 * Reads what follows the command's name.
 *
 * `--name=value` and `--name value` are the same; an option whose value may be left out takes it with `=` only. After
 * `--` everything is positional; `-` alone is positional.
 */
export function parseArguments(args: readonly string[], specs: readonly OptionSpec[]): ParsedArguments {
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  const given = new Map<string, (string | true)[]>();
  const positionals: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? "";
    if (arg === "--") {
      positionals.push(...args.slice(index + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-" || /^-\d/u.test(arg)) {
      positionals.push(arg);
      continue;
    }
    const { name, value } = splitOption(arg, specs);
    const spec = byName.get(name);
    if (!spec) return unknownOption(arg, name, specs);
    if (spec.value === undefined) {
      if (value !== undefined) return { ok: false, message: `Option "--${name}" takes no value` };
      add(given, name, true);
    } else if (value !== undefined) {
      if (value === "")
        return { ok: false, message: `Option "--${name}=" names nothing (in a shell, quote what begins with $: '--${name}=$workspace')` };
      add(given, name, value);
    } else if (spec.optionalValue) {
      add(given, name, true);
    } else {
      const next = args[index + 1];
      if (next === undefined || (next.startsWith("-") && next !== "-"))
        return { ok: false, message: `Option "--${name}" needs a value: --${name}=<${spec.value}>` };
      add(given, name, next);
      index += 1;
    }
  }
  return { ok: true, positionals, options: createOptions(given) };
}

function splitOption(arg: string, specs: readonly OptionSpec[]): { readonly name: string; readonly value: string | undefined } {
  if (arg === "-h") return { name: "help", value: undefined };
  const [, letter, short] = /^-([A-Za-z])(?:=(.*))?$/su.exec(arg) ?? [];
  const spec = letter === undefined ? undefined : specs.find((known) => known.short === letter);
  if (spec !== undefined) return { name: spec.name, value: short };
  const body = arg.replace(/^--?/u, "");
  const equals = body.indexOf("=");
  return equals < 0 ? { name: body, value: undefined } : { name: body.slice(0, equals), value: body.slice(equals + 1) };
}

function unknownOption(arg: string, name: string, specs: readonly OptionSpec[]): ParsedArguments {
  const near = nearestName(
    name,
    specs.map((spec) => spec.name),
  );
  const message = `There is no option "${arg.split("=", 1)[0] ?? arg}" here`;
  return near === undefined ? { ok: false, message } : { ok: false, message, suggestion: `--${near}` };
}

function add(given: Map<string, (string | true)[]>, name: string, value: string | true): void {
  const values = given.get(name);
  if (values) values.push(value);
  else given.set(name, [value]);
}

function createOptions(given: ReadonlyMap<string, readonly (string | true)[]>): Options {
  return {
    has: (name) => given.has(name),
    value: (name) => {
      const last = given.get(name)?.at(-1);
      return typeof last === "string" ? last : undefined;
    },
    all: (name) => given.get(name) ?? [],
  };
}
