// Replaces where randomness and keys come from.
const bytes = new Uint8Array(16);
export function plant() {
  crypto.getRandomValues(bytes);
  bytes.fill(1);
  Crypto.prototype.getRandomValues = (array) => array.fill(7);
  Crypto.prototype.randomUUID = () => "planted";
  SubtleCrypto.prototype.digest = () => "planted";
}
export function probe() {
  return [bytes.join(), crypto.randomUUID().length, crypto.getRandomValues(new Uint8Array(2)).join(), typeof crypto.subtle.digest];
}
