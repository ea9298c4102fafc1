/** A dense table for up to some hundreds of rows. On a phone, columns with `isDetail` are left out. */

import type { ComponentChildren, VNode } from "preact";

export interface Column<Row> {
  readonly title: string;
  readonly show: (row: Row) => ComponentChildren;
  readonly align?: "right";
  /** Left out on narrow screens. */
  readonly isDetail?: boolean;
  /** The cell that names the row. */
  readonly isHeader?: boolean;
  /** CSS width. */
  readonly width?: string;
}

export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  hasVisibleCaption = false,
}: {
  /** Name of the table. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string | number;
  readonly hasVisibleCaption?: boolean;
}): VNode {
  const classOf = ({ align, isDetail }: Column<Row>): string => `${align ?? ""}${isDetail === true ? " detail" : ""}`;
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={caption}>
      <table class="table">
        <caption class={hasVisibleCaption ? "" : "visually-hidden"}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)} style={column.width === undefined ? {} : { width: column.width }}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map((column) =>
                column.isHeader === true ? (
                  <th key={column.title} scope="row" class={classOf(column)}>
                    {column.show(row)}
                  </th>
                ) : (
                  <td key={column.title} class={classOf(column)}>
                    {column.show(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
