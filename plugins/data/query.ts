/** Evaluates JMESPath over JSON, with positions in errors. */

import { getRegisteredFunctions, lexer, parser, TreeInterpreter, type ExpressionNode, type Token } from "./vendor/jmespath.js";
import { OWN_FIELD, registerFunctions } from "./jmespath-functions.ts";
import { pointAt } from "./text-place.ts";

registerFunctions();
const FUNCTIONS: readonly string[] = getRegisteredFunctions()
  .filter((name) => name !== OWN_FIELD)
  .sort();
// The package calls this with the token of every syntax error; the errors it throws have no position.
Object.assign(parser, { errorToken: refuseToken });

/** Maximum nesting depth: less than half of what fits the sandbox's stack, so that an expression fails the same everywhere. */
const MAX_BRACKETS = 50;
const MAX_DEPTH = 150;

/** Names that every object inherits; the package would return them as fields of any object. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Pattern of the parser's token names. */
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ["Rparen", ")"],
  ["Rbracket", "]"],
  ["Rbrace", "}"],
  ["Colon", ":"],
  ["Star", "*"],
  ["Assign", "="],
]);

/**
 * Evaluates an expression; returns null if nothing matches.
 *
 * @throws {Error} if the expression is not valid JMESPath, calls an unknown function, or does not fit the data.
 */
export function query(data: unknown, expression: string): unknown {
  try {
    const node = compile(expression);
    return evaluate(node, data, expression) ?? null;
  } catch (error) {
    if (isStackOverflow(error)) throw tooDeep();
    throw error;
  }
}

function tooDeep(): Error {
  return new Error("Cannot evaluate the JMESPath expression: it is nested too deeply (split it up)");
}

/** Describes the token that the parser did not expect. */
class RefusedToken extends Error {
  readonly token: Token;

  constructor(token: Token, message: string) {
    super(message);
    this.token = token;
  }
}

function refuseToken(token: Token, message = ""): never {
  throw new RefusedToken(token, message);
}

function compile(expression: string): ExpressionNode {
  const tokens = tokenize(expression);
  let node: ExpressionNode;
  try {
    node = parser.parse(expression);
  } catch (error) {
    if (isStackOverflow(error)) throw error;
    const token = error instanceof RefusedToken ? error.token : parser.tokens[Math.min(parser.index, parser.tokens.length - 1)];
    if (error instanceof RefusedToken && token !== undefined) throw syntaxError(expression, token.start, refusal(error, tokens));
    throw syntaxError(expression, token?.start ?? 0, reasonOf(error));
  }
  prepare(node, expression, tokens);
  return node;
}

function tokenize(expression: string): readonly Token[] {
  let tokens: readonly Token[];
  try {
    tokens = lexer.tokenize(expression);
  } catch (error) {
    throw syntaxError(expression, Math.min(lexer._current, expression.length), lexerReason(error, expression));
  }
  // An unclosed quotation moves the lexer past the end.
  const last = tokens.at(-1);
  if (last !== undefined && lexer._current > expression.length)
    throw syntaxError(expression, last.start, `the ${expression[last.start] ?? ""} is never closed`);
  refuseBrackets(tokens, expression);
  return tokens;
}

function refuseBrackets(tokens: readonly Token[], expression: string): void {
  let depth = 0;
  for (const { type, start } of tokens) {
    if (type === "Lparen" || type === "Lbracket" || type === "Lbrace" || type === "Filter") depth += 1;
    else if (type === "Rparen" || type === "Rbracket" || type === "Rbrace") depth -= 1;
    if (depth > MAX_BRACKETS) throw syntaxError(expression, start, `brackets are nested deeper than ${MAX_BRACKETS} here`);
  }
}

function lexerReason(error: unknown, expression: string): string {
  const character = expression[lexer._current];
  if (reasonOf(error).startsWith("unknown character")) return `unexpected ${quote(character ?? "")}`;
  return character === undefined
    ? "a quotation is never closed or is not JSON"
    : 'expected JSON between backticks: `1`, `"text"`, `true`, `[1, 2]`';
}

function refusal({ token, message }: RefusedToken, tokens: readonly Token[]): string {
  const found = token.type === "EOF" ? "end of the expression" : quote(String(token.value));
  const expected = /expected (\w+)/u.exec(message)?.[1];
  if (expected !== undefined && !message.includes("unexpected"))
    return `expected ${quote(WRITTEN.get(expected) ?? expected)}, found ${found}`;
  const before = tokens[tokens.findIndex(({ start }) => start === token.start) - 1];
  const isCompared = token.type === "Number" && before !== undefined && ["EQ", "NE", "LT", "LTE", "GT", "GTE"].includes(before.type);
  return `unexpected ${found}${isCompared ? `; write the number in backticks: \`${String(token.value)}\`` : ""}`;
}

/** Checks every node before evaluation: rejects unknown functions, and reads inherited names as own fields. */
function prepare(root: ExpressionNode, expression: string, tokens: readonly Token[]): void {
  const open = [{ node: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    const { type, name } = node;
    if (depth > MAX_DEPTH) throw tooDeep();
    if (type === "Literal") continue;
    if (type === "Function" && !FUNCTIONS.includes(String(name))) {
      const at = tokens.find((token) => token.value === name)?.start ?? 0;
      throw syntaxError(expression, at, `unknown function ${quote(String(name))} (there are ${FUNCTIONS.join(", ")})`);
    }
    if (type === "KeyValuePair" && name === "__proto__")
      throw new Error('Cannot evaluate the JMESPath expression: a result cannot have a member "__proto__" (give it another name)');
    for (const child of Object.values(node)) {
      const children: unknown[] = Array.isArray(child) ? child : [child];
      for (const one of children) if (isNode(one)) open.push({ node: one, depth: depth + 1 });
    }
    if (type === "Field" && INHERITED.has(String(name))) Object.assign(node, ownField(String(name)));
  }
}

function ownField(name: string): ExpressionNode {
  return { type: "Function", name: OWN_FIELD, children: [{ type: "Current" }, { type: "Literal", value: name }] };
}

function isNode(value: unknown): value is ExpressionNode {
  return typeof value === "object" && value !== null && "type" in value;
}

function evaluate(node: ExpressionNode, data: unknown, expression: string): unknown {
  try {
    return TreeInterpreter.search(node, data);
  } catch (error) {
    if (isStackOverflow(error)) throw error;
    const reason = reasonOf(error);
    const name = /(\w+)\(\)/u.exec(reason)?.[1];
    const at = name === undefined ? -1 : expression.search(new RegExp(`\\b${name}\\s*\\(`, "u"));
    const where = at === -1 ? "" : ` at character ${at + 1}`;
    throw new Error(`Cannot evaluate the JMESPath expression${where}: ${reason}${at === -1 ? "" : `\n${pointAt(expression, at)}`}`);
  }
}

function syntaxError(expression: string, index: number, reason: string): Error {
  return new Error(`Invalid JMESPath at character ${index + 1}: ${reason}\n${pointAt(expression, index)}`);
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^(?:Syntax error|syntax): /u, "").replace(/\.$/u, "");
}

/** V8 throws RangeError, QuickJS InternalError. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /^(?:Maximum call stack size exceeded|stack overflow)/u.test(error.message);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
