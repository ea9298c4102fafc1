import { base64url, CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT } from "jose";

const secret = new TextEncoder().encode("a secret of more than thirty-two bytes, yes");

export const signs = () => new SignJWT({ a: 1 }).setProtectedHeader({ alg: "HS256" }).setIssuedAt(1e9).setIssuer("me").sign(secret);
export const verifies = async () => (await jwtVerify(await signs(), secret, { issuer: "me" })).payload;
export const refuses = async () => await jwtVerify((await signs()).slice(0, -4) + "AAAA", secret);
export const encrypts = async () => {
  const sealed = await new CompactEncrypt(new TextEncoder().encode("hidden"))
    .setProtectedHeader({ alg: "dir", enc: "A128CBC-HS256" })
    .encrypt(secret.slice(0, 32));
  return new TextDecoder().decode((await compactDecrypt(sealed, secret.slice(0, 32))).plaintext);
};
export const keys = async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwt = await new SignJWT({}).setProtectedHeader({ alg: "ES256" }).sign(await importJWK(await exportJWK(privateKey), "ES256"));
  return [(await jwtVerify(jwt, publicKey)).protectedHeader, base64url.encode("x")];
};
