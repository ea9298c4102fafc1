/** Matrix tools. ml-matrix does the decompositions. */

import type {
  MatrixEigenvaluesArgs,
  MatrixEigenvaluesOutput,
  MatrixSolveArgs,
  MatrixSolveOutput,
  MatrixSvdArgs,
  MatrixSvdOutput,
} from "./bascule.d.ts";
import { EigenvalueDecomposition, LuDecomposition, Matrix, SingularValueDecomposition } from "./vendor/ml-matrix.js";

const MAX_SIDE = 200;

type Rows = readonly (readonly number[])[];

/** Solves A x = b: exactly if A is square and regular, else by least squares with the least norm of x. */
export async function matrix_solve(args: MatrixSolveArgs): Promise<MatrixSolveOutput> {
  const matrix = readMatrix(args.matrix);
  const { rows, columns } = matrix;
  if (args.right.length !== rows)
    throw new Error(`The right side has ${args.right.length} values, and the matrix ${rows} rows (give one for each)`);
  const right = Matrix.columnVector(args.right);
  // Singular values show how far a solution can be trusted; elimination does not.
  const values = new SingularValueDecomposition(matrix, { autoTranspose: true });
  const isRegular = rows === columns && values.rank === rows;
  const solution = isRegular ? new LuDecomposition(matrix).solve(right) : values.solve(right);
  const reached = matrix.mmul(solution).to1DArray();
  return {
    solution: solution.to1DArray(),
    kind: isRegular ? "exact" : values.rank < columns ? "least squares, least norm" : "least squares",
    residual: Math.hypot(...reached.map((value, index) => value - (args.right[index] ?? 0))),
    rank: values.rank,
    condition: finiteOrNull(values.condition),
    ...(rows === columns && { determinant: finiteOrNull(new LuDecomposition(matrix).determinant) }),
  };
}

/** Returns the eigenvalues of a square matrix, the greatest in size first. */
export async function matrix_eigenvalues(args: MatrixEigenvaluesArgs): Promise<MatrixEigenvaluesOutput> {
  const matrix = readMatrix(args.matrix);
  if (matrix.rows !== matrix.columns)
    throw new Error(`Only square matrices have eigenvalues, and this one is ${matrix.rows} by ${matrix.columns}`);
  const { realEigenvalues, imaginaryEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(matrix);
  const found = realEigenvalues.map((re, index) => {
    const im = imaginaryEigenvalues[index] ?? 0;
    // For two conjugate values the columns are real and imaginary part, which are of little use alone.
    const vector = im === 0 && args.vectors === true ? { vector: unit(eigenvectorMatrix.getColumn(index)) } : {};
    return { re, im, ...vector };
  });
  return { values: found.toSorted((left, right) => Math.hypot(right.re, right.im) - Math.hypot(left.re, left.im) || right.im - left.im) };
}

/** Decomposes A = U S V*, the greatest singular value first. */
export async function matrix_svd(args: MatrixSvdArgs): Promise<MatrixSvdOutput> {
  const matrix = readMatrix(args.matrix);
  const { diagonal, leftSingularVectors, rightSingularVectors, rank, condition } = new SingularValueDecomposition(matrix, {
    autoTranspose: true,
  });
  const count = Math.min(matrix.rows, matrix.columns);
  const firstColumns = (vectors: Matrix): number[][] => vectors.to2DArray().map((row) => row.slice(0, count));
  return {
    singularValues: diagonal.slice(0, count),
    rank,
    condition: finiteOrNull(condition),
    ...(args.vectors === true && { u: firstColumns(leftSingularVectors), v: firstColumns(rightSingularVectors) }),
  };
}

function readMatrix(rows: Rows): Matrix {
  const width = rows[0]?.length ?? 0;
  if (width === 0) throw new Error("A matrix must have at least one row and one column");
  if (rows.length > MAX_SIDE || width > MAX_SIDE)
    throw new Error(`A matrix must have at most ${MAX_SIDE} rows and columns, not ${rows.length} and ${width}`);
  const other = rows.findIndex((row) => row.length !== width);
  if (other !== -1) throw new Error(`Row ${other + 1} has ${rows[other]?.length} values, and the first has ${width}`);
  return new Matrix(rows);
}

/** Normalizes to length 1 with the greatest component above 0, so that the result does not depend on the method. */
function unit(vector: readonly number[]): number[] {
  const greatest = vector.reduce((most, value) => (Math.abs(value) > Math.abs(most) * (1 + 1e-9) ? value : most), 0);
  const length = Math.hypot(...vector) * Math.sign(greatest);
  return vector.map((value) => value / length);
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
