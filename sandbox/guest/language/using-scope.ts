/**
 * The resources of `using` and `await using` in one block
 * (https://tc39.es/proposal-explicit-resource-management/#sec-disposeresources). The loader writes it around the block
 * (`lower-using.ts`). The block itself awaits, only as often as the standard says.
 */

import { type Disposal, Failure, methodToDispose, methodToDisposeLater } from "./disposable.ts";
import { bareList } from "./primordials.ts";

interface Resource {
  /** Undefined if there is nothing to dispose of, but a wait is required. */
  readonly dispose: Disposal | undefined;
  readonly isAsync: boolean;
}

export class UsingScope {
  /** The value that the block has to await after `next` returned true. */
  awaited: unknown;
  #resources: Resource[] = bareList<Resource>();
  #failure = new Failure();
  #mustWait = false;
  #waited = false;

  use(value: unknown): void {
    if (value !== null && value !== undefined) this.#add({ dispose: methodToDispose(value), isAsync: false });
  }

  useAsync(value: unknown): void {
    const isNothing = value === null || value === undefined;
    this.#add({ dispose: isNothing ? undefined : methodToDisposeLater(value), isAsync: true });
  }

  fail(error: unknown): void {
    this.#failure.add(error);
  }

  /** Disposes of the remaining resources, last first. @returns true if the block has to await `awaited` before it continues */
  next(): boolean {
    for (let left = this.#resources.length; left > 0; left = this.#resources.length) {
      const resource = this.#resources[left - 1];
      if (resource?.isAsync !== true && this.#mustWait && !this.#waited) return this.#waitFor(undefined);
      this.#resources.length = left - 1;
      if (resource?.dispose === undefined) this.#mustWait = true;
      else {
        try {
          const answer = resource.dispose();
          if (resource.isAsync) return this.#waitFor(answer);
        } catch (error) {
          this.fail(error);
        }
      }
    }
    return this.#mustWait && !this.#waited && this.#waitFor(undefined);
  }

  /** @throws the error of the block or of the disposal */
  end(): void {
    if (this.#failure.has) throw this.#failure.error;
  }

  #add(resource: Resource): void {
    this.#resources[this.#resources.length] = resource;
  }

  #waitFor(answer: unknown): true {
    this.#mustWait = false;
    this.#waited = true;
    this.awaited = answer;
    return true;
  }
}
