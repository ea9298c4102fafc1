/** Parses a command line into positionals and options, driven by a table of options. Independent of the commands. */

import { nearestName } from "../../tools/nearest.ts";

/** One option, for the parser and for `--help`. */
export interface OptionSpec {
  /** Name without the dashes. */
  readonly name: string;
  /** One letter, for `-P` and `-P=value`. */
  readonly short?: string;
  /** Placeholder of the value in help. Absent for a flag without a value. */
  readonly value?: string;
  /** The value is optional (`--allow-read` means `--allow-read=<everything>`), so it must be given with `=`. */
  readonly optionalValue?: true;
  readonly about: string;
}

/** Options of one command line, by name. */
export interface Options {
  /** Returns true if the option was given, with or without a value. */
  has(name: string): boolean;
  /** Returns the last value given; undefined if the option is absent or has no value. */
  value(name: string): string | undefined;
  /** Returns every value given, in order; `true` for an option without a value. */
  all(name: string): readonly (string | true)[];
}

/** A parsed command line, or the problem with it. */
type ParsedArguments =
  | { readonly ok: true; readonly positionals: readonly string[]; readonly options: Options }
  | { readonly ok: false; readonly message: string; readonly suggestion?: string };

/**
 * Parses the arguments after the command's name.
 *
 * `--name=value` and `--name value` are equivalent, but an optional value must be given with `=`. Everything after `--` is
 * positional, and so is `-` alone.
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
        return { ok: false, message: `Option "--${name}=" has an empty value (quote $ in a shell: '--${name}=$workspace')` };
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
  const message = `Unknown option "${arg.split("=", 1)[0] ?? arg}"`;
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
