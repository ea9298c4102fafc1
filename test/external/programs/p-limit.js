import pLimit from "p-limit";
import PQueue from "p-queue";

export const limits = async () => {
  const limit = pLimit(2);
  let running = 0;
  let most = 0;
  const work = async (n) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running--;
    return n * 2;
  };
  return [await Promise.all([1, 2, 3, 4].map((n) => limit(() => work(n)))), most];
};
export const queues = async () => {
  const seen = [];
  const queue = new PQueue({ concurrency: 1 });
  queue.add(() => seen.push("a"));
  queue.add(() => seen.push("b"), { priority: 1 });
  queue.add(() => seen.push("c"), { priority: 2 });
  await queue.onIdle();
  return seen;
};
