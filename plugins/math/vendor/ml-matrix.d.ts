/** What the plugin uses of ml-matrix. */

export class Matrix {
  constructor(rows: readonly (readonly number[])[]);
  static columnVector(values: readonly number[]): Matrix;
  readonly rows: number;
  readonly columns: number;
  get(row: number, column: number): number;
  getColumn(index: number): number[];
  to1DArray(): number[];
  to2DArray(): number[][];
  mmul(other: Matrix): Matrix;
  transpose(): Matrix;
}

export class LuDecomposition {
  constructor(matrix: Matrix);
  readonly determinant: number;
  isSingular(): boolean;
  solve(right: Matrix): Matrix;
}

export class SingularValueDecomposition {
  constructor(matrix: Matrix, options?: { readonly autoTranspose?: boolean });
  /** The largest first. */
  readonly diagonal: number[];
  readonly leftSingularVectors: Matrix;
  readonly rightSingularVectors: Matrix;
  readonly rank: number;
  readonly condition: number;
  solve(right: Matrix): Matrix;
}

export class EigenvalueDecomposition {
  constructor(matrix: Matrix);
  readonly realEigenvalues: number[];
  readonly imaginaryEigenvalues: number[];
  /** Columns; of two conjugate values the real and the imaginary part. */
  readonly eigenvectorMatrix: Matrix;
}

/** Of a symmetric matrix. */
export class CholeskyDecomposition {
  constructor(matrix: Matrix);
  readonly lowerTriangularMatrix: Matrix;
  isPositiveDefinite(): boolean;
  solve(right: Matrix): Matrix;
}
