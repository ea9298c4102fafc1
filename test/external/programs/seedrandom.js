import seedrandom from "seedrandom";

export const repeats = () => {
  const random = seedrandom("hello.");
  return [random(), random.quick(), random.int32()];
};
