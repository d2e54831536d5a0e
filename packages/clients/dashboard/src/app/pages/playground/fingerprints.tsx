import { Button, Code, Group, Stack, Table, Text, Title } from "@mantine/core"
import { fingerprint } from "@sealway/sdk/api"
import { useApp } from "../../api/app.ts"
import { Problem } from "../../components/problem.tsx"
import { useResult } from "../../components/use-result.ts"
import { useSession } from "../../session/session.tsx"
import type { FoundToken } from "./tokens-in.ts"

/** What can be told of tokens without decrypting them. */
export function Fingerprints({ tokens }: { readonly tokens: readonly FoundToken[] }) {
  const { app, transport } = useApp()
  const { scopes } = useSession()
  const comparing = useResult({
    input: tokens,
    ask: () =>
      Promise.all(
        tokens.map(async ({ pointer, token }) => ({
          pointer,
          ...(await fingerprint(transport, { body: { token } })),
        })),
      ),
  })
  const mayCompare = scopes[app.environment].includes("api:fingerprint")
  return (
    <Stack gap="sm" component="section" aria-labelledby="fingerprints">
      <Group gap="md">
        <Title order={2} size="h4" id="fingerprints">
          Fingerprints
        </Title>
        {mayCompare && (
          <Button variant="default" size="xs" loading={comparing.isPending} onClick={comparing.ask}>
            Show fingerprints
          </Button>
        )}
      </Group>
      <Text c="dimmed">
        {mayCompare
          ? "The same value always has the same fingerprint, whatever its token: compare and search without decrypting."
          : "In production apps, fingerprints need an API key with the scope api:fingerprint."}
      </Text>
      {comparing.error && <Problem error={comparing.error} />}
      {comparing.data && (
        <Table aria-label="Fingerprints">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Place</Table.Th>
              <Table.Th scope="col">Type</Table.Th>
              <Table.Th scope="col">Fingerprint</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {comparing.data.map(({ pointer, type, metadata, ...found }) => (
              <Table.Tr key={pointer}>
                <Table.Td>{pointer === "" ? "the value" : pointer}</Table.Td>
                <Table.Td>
                  {metadata === undefined ? type : `${metadata.brand} card, ${metadata.lastFour}`}
                </Table.Td>
                <Table.Td>
                  <Code block>{found.fingerprint}</Code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  )
}
