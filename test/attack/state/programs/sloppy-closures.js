// Adds variables to a living sloppy scope by eval, and changes parameters through their arguments object.
const { run, read, change } = new Function(`
  var kept = "before";
  function change(parameter) { arguments[0] = "planted"; return [parameter, arguments]; }
  return {
    run: (code) => eval(code),
    read: () => [kept, typeof added, typeof planted],
    change,
  };
`)();
export function plant() {
  run("var added = 1; kept = 'planted'; function planted() {}");
  globalThis.held = change("given");
}
export function probe() {
  return [read(), typeof held];
}
