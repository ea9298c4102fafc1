// Leaves async functions suspended in the middle of a loop, with cleanup still to run.
const steps = [];
let wake;
async function walk() {
  try {
    for (const step of [1, 2, 3]) {
      steps.push(step);
      await new Promise((resolve) => (wake = resolve));
    }
  } finally {
    steps.push("cleaned");
  }
}
export async function plant() {
  walk();
  wake();
  await null;
  await null;
}
export function probe() {
  wake?.();
  return [steps.length, typeof wake];
}
