/** The members of `node:buffer` that the other modules use (scripts/build-node-modules.ts). */

export interface Buffer extends Uint8Array<ArrayBuffer> {
  toString(encoding?: string): string;
}

export declare const Buffer: {
  from(data: string, encoding?: string): Buffer;
  from(data: Uint8Array): Buffer;
  alloc(size: number): Buffer;
};
