import nacl from "tweetnacl";

export const signs = () => {
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7));
  const message = new Uint8Array([1, 2, 3]);
  const signature = nacl.sign.detached(message, secretKey);
  return [[...publicKey], [...signature], nacl.sign.detached.verify(message, signature, publicKey)];
};
export const seals = () => {
  const key = new Uint8Array(32).fill(1);
  const nonce = new Uint8Array(24);
  return [...nacl.secretbox.open(nacl.secretbox(new Uint8Array([9]), nonce, key), nonce, key), nacl.randomBytes(4).length];
};
