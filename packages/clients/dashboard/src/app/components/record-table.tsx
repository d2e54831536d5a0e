import { Table } from "@mantine/core"
import type { ReactNode } from "react"
import classes from "./record-table.module.css"

export interface Column<Item> {
  readonly header: string
  /** What is in the row. A `Link` with the class of `rowLinkClass` in the first column makes the whole row lead there. */
  readonly cell: (item: Item) => ReactNode
}

interface RecordTableProps<Item> {
  /** What it lists, for screen readers: "Enrolments". */
  readonly label: string
  readonly columns: readonly Column<Item>[]
  /** A `RecordRow` for each record. */
  readonly children: ReactNode
}

/** Makes a row lead where its link does. */
export const rowLinkClass = classes.link ?? ""

/** Records, one in each row. On a phone each row is a card. */
export function RecordTable<Item>({ label, columns, children }: RecordTableProps<Item>) {
  return (
    <Table aria-label={label} highlightOnHover className={classes.table ?? ""}>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ header }) => (
            <Table.Th key={header} scope="col">
              {header}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  )
}

export function RecordRow<Item>({
  item,
  columns,
}: { readonly item: Item } & Pick<RecordTableProps<Item>, "columns">) {
  return (
    <Table.Tr className={classes.row ?? ""}>
      {columns.map(({ header, cell }) => (
        <Table.Td key={header} data-label={header}>
          {cell(item)}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}
