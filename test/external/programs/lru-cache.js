import { LRUCache } from "lru-cache";

export const evicts = () => {
  const cache = new LRUCache({ max: 2 });
  cache.set("a", 1).set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  return [...cache.keys()];
};
export const ages = async () => {
  const cache = new LRUCache({ max: 5, ttl: 5, ttlResolution: 0 });
  cache.set("a", 1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  return cache.has("a");
};
