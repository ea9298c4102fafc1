import hash from "object-hash";

export const digests = () => [
  hash({ b: 1, a: [2, new Date(0)] }),
  hash({ a: [2, new Date(0)], b: 1 }),
  hash("x", { algorithm: "md5", encoding: "base64" }),
];
