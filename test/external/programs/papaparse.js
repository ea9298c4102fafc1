import Papa from "papaparse";

export const parses = () => Papa.parse('a,b\n1,"x ""y"""\n2,z\n', { header: true, dynamicTyping: true });
export const writes = () =>
  Papa.unparse([
    { a: 1, b: 'say "hi"' },
    { a: 2, b: "x,y" },
  ]);
export const steps = () => {
  const rows = [];
  Papa.parse("1;2\n3;4", { step: ({ data }) => void rows.push(data) });
  return rows;
};
