/** What the plugin uses of jsep. */

/** A node of a parsed expression: what else it holds depends on its type. */
export interface Node {
  readonly type: string;
  readonly operator?: string;
  readonly left?: Node;
  readonly right?: Node;
  readonly argument?: Node;
  readonly arguments?: readonly Node[];
  readonly callee?: Node;
  readonly name?: string;
  readonly value?: unknown;
  readonly body?: readonly Node[];
  readonly expressions?: readonly Node[];
}

/** What a hook gets; a node it sets is taken. */
export interface HookEnvironment {
  node?: Node | false;
}

/** Error of the parser. */
export interface SyntaxProblem extends Error {
  readonly index: number;
  readonly description: string;
}

/** A parser at work. */
export class Jsep {
  constructor(expression: string);
  readonly expr: string;
  index: number;
  readonly char: string;
  parse(): Node;
  gobbleToken(): Node | false;
  gobbleSpaces(): void;
  gobbleNumericLiteral(): Node;
  /** Throws a SyntaxProblem for where the parser is. */
  throwError(message: string): never;

  static readonly hooks: { add(name: "gobble-token" | "after-token", hook: (this: Jsep, environment: HookEnvironment) => void): void };
  static isDecimalDigit(code: number): boolean;
  static addUnaryOp(operator: string): void;
  static addBinaryOp(operator: string, precedence: number): void;
  static removeAllUnaryOps(): void;
  static removeAllBinaryOps(): void;
  static removeAllLiterals(): void;
}
