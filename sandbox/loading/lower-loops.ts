/**
 * Rewrites two kinds of `for … of` that the engine gets wrong, by putting text into the code and moving no line:
 * - `yield` in the head, which its compiler trips over ("stack underflow"): what is gone through gets a name before the loop.
 * - `for await`, which does not wait for what the iterator's `return()` promises, and calls it after the end too
 *   (https://tc39.es/ecma262/#sec-asynciteratorclose).
 */

import type { AnyNode, ForOfStatement, Program } from "acorn";
import { childrenOf, type Lowering, unusedName } from "./lower-using.ts";
import type { Insertion } from "./positions.ts";

/** True if the code may hold such a loop; cheap, and sometimes true for nothing. */
export function mayLowerLoops(code: string): boolean {
  return /\bfor\s+await\b|\bof\b[^\n;{}]{0,400}\byield\b/.test(code);
}

export function lowerLoops(program: Program, code: string): Lowering {
  const insertions: Insertion[] = [];
  const replacements: Insertion[] = [];
  const prefix = unusedName(code, "$loop");
  let count = 0;
  let watches = false;
  visit(program, undefined);
  if (watches) insertions.unshift({ at: 0, text: watcher(prefix) });
  return { insertions, replacements };

  /** @param start of the labels before a statement, which stay with it. */
  function visit(node: AnyNode, start: number | undefined): void {
    const closes = node.type === "ForOfStatement" ? [hoist, watch].map((begin) => begin(node, start ?? node.start)) : [];
    const labelled = node.type === "LabeledStatement" ? (start ?? node.start) : undefined;
    for (const child of childrenOf(node)) visit(child, labelled);
    for (const close of closes.toReversed()) close?.();
  }

  /** Where the expression spans lines the loop stays as it is. */
  function hoist({ right, end }: ForOfStatement, start: number): (() => void) | undefined {
    const text = code.slice(right.start, right.end);
    if (text.includes("\n") || !yields(right)) return undefined;
    const name = `${prefix}${String(count++)}`;
    insertions.push({ at: start, text: `{const ${name}=(${text});` }, { at: right.end, text: name });
    replacements.push({ at: right.start, text: " ".repeat(text.length) });
    return () => void insertions.push({ at: end, text: "}" });
  }

  function watch({ right, end, await: awaits }: ForOfStatement, start: number): (() => void) | undefined {
    if (!awaits) return undefined;
    watches = true;
    const state = `${prefix}${String(count++)}`;
    insertions.push({ at: start, text: `{const ${state}={};try{` }, { at: right.start, text: `${prefix}w(` });
    return () =>
      void insertions.push(
        { at: right.end, text: `,${state})` },
        { at: end, text: `}catch(e){${state}.threw=1;throw e}finally{if(${state}.closed)await ${prefix}d(${state})}}` },
      );
  }
}

/** Itself, and not a function in it. */
function yields(node: AnyNode): boolean {
  if (node.type === "YieldExpression") return true;
  return !/Function|^Class/.test(node.type) && childrenOf(node).some(yields);
}

/**
 * `w` keeps what `return()` answered, and hides it once there is nothing left; `d` waits for it, and what the body threw
 * comes before what that throws.
 */
function watcher(prefix: string): string {
  return (
    `const ${prefix}w=(i,s)=>{const m=i?.[Symbol.asyncIterator];return m==null?i:{[Symbol.asyncIterator](){` +
    `const it=Reflect.apply(m,i,[]),{next}=it,see=(r)=>{if(r?.done)s.done=1};return{` +
    `next:(v)=>{const r=Reflect.apply(next,it,[v]);if(r instanceof Promise)r.then(see,()=>{s.done=1});else see(r);return r},` +
    `get return(){const r=s.done?null:it.return;return r==null?undefined:(v)=>(s.closed=Reflect.apply(r,it,[v]))}}}}},` +
    `${prefix}d=async(s)=>{try{await s.closed}catch(e){if(!s.threw)throw e}};`
  );
}
