/** What the plugin uses of @jmespath-community/jmespath. */

/** One node of a parsed expression: what else it holds depends on its type. */
export interface ExpressionNode {
  readonly type: string;
  readonly [member: string]: unknown;
}

export interface Token {
  readonly type: string;
  readonly value: unknown;
  /** Where it begins, in UTF-16 units. */
  readonly start: number;
}

/** The package's own lexer; it keeps its place when it throws. */
export const lexer: { readonly _current: number; tokenize(expression: string): Token[] };

/** The package's own parser; it keeps its place when it throws. */
export const parser: {
  readonly index: number;
  readonly tokens: readonly Token[];
  parse(expression: string): ExpressionNode;
  errorToken(token: Token, message?: string): never;
};

export const TreeInterpreter: {
  search(node: ExpressionNode, data: unknown): unknown;
  visit(node: unknown, data: unknown): unknown;
};

export interface Parameter {
  readonly types: readonly number[];
  readonly optional?: boolean;
  readonly variadic?: boolean;
}

/** Adds a function to those that expressions can call. */
export function registerFunction(
  name: string,
  run: (args: unknown[]) => unknown,
  signature: readonly Parameter[],
  options?: { readonly override?: boolean },
): void;

/** The names of all functions. */
export function getRegisteredFunctions(): string[];
