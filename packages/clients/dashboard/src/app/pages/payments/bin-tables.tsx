import { Button, Code, Group, Stack, Text } from "@mantine/core"
import { activateBinTable, type BinTable, deleteBinTable, listBinTables } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { teamTransport } from "../../api/transport.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { useMayManageTeam } from "../../session/use-may-manage.ts"
import { BIN_TABLES_KEY } from "./bin-tables-key.ts"
import { ImportBinTableDialog } from "./import-bin-table-dialog.tsx"

/** The team's own data about ranges of card numbers, which serve lookups of all its apps. */
export function BinTables() {
  const mayChange = useMayManageTeam()
  const [isImporting, setImporting] = useState(false)
  const create = mayChange && <Button onClick={() => setImporting(true)}>Import a table</Button>
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text c="dimmed">
          What is known about ranges of card numbers. The active table serves lookups of all apps of the team.
        </Text>
        {create}
      </Group>
      <ImportBinTableDialog isOpen={isImporting} onClose={() => setImporting(false)} table={null} />
      <PagedList<BinTable>
        label="BIN tables"
        queryKey={BIN_TABLES_KEY}
        fetchPage={(after, signal) =>
          listBinTables(teamTransport, { limit: PAGE_SIZE }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        columns={[
          { header: "Name", cell: ({ name }) => <Text fw={600}>{name}</Text> },
          { header: "Status", cell: ({ status }) => <Status status={status} /> },
          { header: "Rows", cell: ({ rows }) => rows.toLocaleString() },
          { header: "Updated", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          ...(mayChange
            ? [{ header: "Change", cell: (table: BinTable) => <TableActions table={table} /> }]
            : []),
        ]}
        empty={
          <EmptyState title="The team has no BIN table">
            <Text c="dimmed">
              Lookups use the test ranges that come with Sealway. Import a CSV file of your own data here or
              with <Code>sealway bins import</Code>.
            </Text>
          </EmptyState>
        }
      />
    </Stack>
  )
}

function TableActions({ table }: { readonly table: BinTable }) {
  const client = useQueryClient()
  const [open, setOpen] = useState<"continue" | "activate" | "delete" | null>(null)
  const close = () => setOpen(null)
  const { id, name, status, rows } = table
  const change = async (changing: Promise<unknown>) => {
    await changing
    await client.invalidateQueries({ queryKey: BIN_TABLES_KEY })
  }
  const button = (action: Exclude<typeof open, null>, verb: string) => (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() => setOpen(action)}
      aria-label={`${verb} ${name}`}
    >
      {verb}
    </Button>
  )
  return (
    <Group gap={4}>
      {status === "importing" && button("continue", "Continue")}
      {status !== "active" && rows > 0 && button("activate", "Activate")}
      {status !== "active" && button("delete", "Delete")}
      <ImportBinTableDialog isOpen={open === "continue"} onClose={close} table={table} />
      <ConfirmDialog
        isOpen={open === "activate"}
        onClose={close}
        title={`Activate ${name}?`}
        action="Activate"
        onConfirm={() => change(activateBinTable(teamTransport, { binTableId: id }))}
      >
        <Text>
          Within 10 seconds, lookups of all apps of the team use its {rows.toLocaleString()} rows. It accepts
          no more rows then. The table before it is kept; activate it again to go back.
        </Text>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === "delete"}
        onClose={close}
        title={`Delete ${name}?`}
        action="Delete"
        nameToType={name}
        onConfirm={() => change(deleteBinTable(teamTransport, { binTableId: id }))}
      >
        <Text>The table and its {rows.toLocaleString()} rows are deleted. This cannot be undone.</Text>
      </ConfirmDialog>
    </Group>
  )
}
