/** Steps of a reasoning, and the differences between two versions of them. */

/** One step. */
export interface Step {
  readonly id: string;
  /** Kind of step, in one word. */
  readonly kind?: string;
  readonly text: string;
  /** Ids of the steps that lead to this one. */
  readonly after: readonly string[];
}

export interface Reasoning {
  readonly title: string;
  readonly steps: readonly Step[];
}

export interface Changes {
  readonly added: readonly Step[];
  readonly removed: readonly Step[];
  readonly changed: readonly { readonly id: string; readonly before: Content; readonly after: Content }[];
  /** Links between steps that exist before and after. */
  readonly linksAdded: readonly Link[];
  readonly linksRemoved: readonly Link[];
}

type Content = Pick<Step, "kind" | "text">;

export interface Link {
  readonly from: string;
  readonly to: string;
}

/** @throws {Error} for a duplicate id, an unknown id in `after`, or a circle. */
export function checkSteps(steps: readonly Step[]): void {
  const byId = new Map<string, Step>();
  for (const step of steps) {
    if (byId.has(step.id)) throw new Error(`Duplicate step id "${step.id}" (give each an id of its own)`);
    byId.set(step.id, step);
  }
  for (const { id, after } of steps)
    for (const before of after) if (!byId.has(before)) throw new Error(`Step "${id}" comes after "${before}", which is not a step`);
  depthsOf(steps);
}

/**
 * Returns the length of the longest path to each step.
 *
 * @throws {Error} if steps form a circle.
 */
export function depthsOf(steps: readonly Step[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  let left = steps;
  while (left.length > 0) {
    const ready = left.filter(({ after }) => after.every((id) => depths.has(id)));
    if (ready.length === 0)
      throw new Error(
        `Steps come after one another in a circle: ${left
          .map(({ id }) => `"${id}"`)
          .slice(0, 5)
          .join(", ")}`,
      );
    const found = ready.map(({ id, after }) => [id, 1 + Math.max(-1, ...after.map((before) => depths.get(before) ?? 0))] as const);
    for (const [id, depth] of found) depths.set(id, depth);
    left = left.filter(({ id }) => !depths.has(id));
  }
  return depths;
}

export function compare(before: readonly Step[], after: readonly Step[]): Changes {
  const [old, now] = [new Map(before.map((step) => [step.id, step])), new Map(after.map((step) => [step.id, step]))];
  const both = after.flatMap((step) => {
    const known = old.get(step.id);
    return known === undefined ? [] : [{ before: known, after: step }];
  });
  const links = (steps: readonly Step[]): readonly Link[] =>
    steps.flatMap(({ id, after: froms }) =>
      old.has(id) && now.has(id) ? froms.filter((from) => old.has(from) && now.has(from)).map((from) => ({ from, to: id })) : [],
    );
  const without = (some: readonly Link[], others: readonly Link[]): readonly Link[] =>
    some.filter(({ from, to }) => !others.some((other) => other.from === from && other.to === to));
  return {
    added: after.filter(({ id }) => !old.has(id)),
    removed: before.filter(({ id }) => !now.has(id)),
    changed: both
      .filter((pair) => pair.before.text !== pair.after.text || pair.before.kind !== pair.after.kind)
      .map((pair) => ({ id: pair.after.id, before: contentOf(pair.before), after: contentOf(pair.after) })),
    linksAdded: without(links(after), links(before)),
    linksRemoved: without(links(before), links(after)),
  };
}

export function isUnchanged({ added, removed, changed, linksAdded, linksRemoved }: Changes): boolean {
  return [added, removed, changed, linksAdded, linksRemoved].every((list) => list.length === 0);
}

function contentOf({ kind, text }: Step): Content {
  return kind === undefined ? { text } : { kind, text };
}
