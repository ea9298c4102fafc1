import { eachLimit, parallel, waterfall } from "async";

export const parallels = () => parallel([(done) => setTimeout(() => done(null, 1), 2), (done) => done(null, 2)]);
export const waterfalls = () => waterfall([(done) => done(null, 2), (n, done) => done(null, n * 3)]);
export const limits = async () => {
  const seen = [];
  await eachLimit([1, 2, 3], 2, async (n) => void seen.push(n));
  return seen;
};
