import { Table } from "@mantine/core"
import type { ReactNode } from "react"

/** What is known about one thing, a name and a value in each row. @param label what it is, for screen readers */
export function Facts({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Table aria-label={label} layout="fixed">
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  )
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" w="9rem">
        {name}
      </Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  )
}
