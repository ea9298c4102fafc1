// Sends the regular expression engine deep into its own stack.
let result = "none";
export function plant() {
  try {
    result = String(/^(?:(a)|b)*$/.test("ab".repeat(100000)));
  } catch (error) {
    result = error.name;
  }
}
export function probe() {
  return result;
}
