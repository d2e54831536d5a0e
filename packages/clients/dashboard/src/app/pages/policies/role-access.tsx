import { Stack, Text, Title } from "@mantine/core"
import { type DataPolicyInput, getDataRoleAccess, type RequestsDescription } from "@sealway/sdk/api"
import { type Column, RecordRow, RecordTable } from "../../components/record-table.tsx"
import { ACCESS_COLUMNS, accessCell } from "./access-columns.ts"
import { DescriptionNotes, Proved, useProof } from "./proved.tsx"

const COLUMNS: readonly Column<RequestsDescription["requests"][number]>[] = ACCESS_COLUMNS.map((header) => ({
  header,
  cell: (kind) => accessCell(kind, header),
}))

interface RoleAccessProps {
  readonly role: string
  /** The saved policies of the role. */
  readonly policies: readonly DataPolicyInput[]
}

/** Who can ever decrypt a role's values: proved for all requests, one kind in each row. */
export function RoleAccess({ role, policies }: RoleAccessProps) {
  const proof = useProof("role-access", JSON.stringify({ role, policies }), (transport, signal) =>
    getDataRoleAccess(transport, { roleId: role }, { signal }),
  )
  return (
    <Stack component="section" gap="sm" aria-labelledby="role-access">
      <Title order={2} size="h4" id="role-access">
        Who can ever decrypt its values
      </Title>
      <Proved proof={proof} command={`npx sealway policies who --role ${role}`}>
        {({ access }) => (
          <>
            {access.requests.length > 0 && (
              <RecordTable label="Permitted requests" columns={COLUMNS}>
                {access.requests.map((kind) => (
                  <RecordRow key={kind.words} item={kind} columns={COLUMNS} />
                ))}
              </RecordTable>
            )}
            {access.known && access.requests.length === 0 && <Text size="sm">Nobody.</Text>}
            <DescriptionNotes {...access} />
            <Text size="sm" c="dimmed">
              Proved for all possible requests. Budgets are not counted.
            </Text>
          </>
        )}
      </Proved>
    </Stack>
  )
}
