import { Code, Loader, NativeSelect, Stack, Table, Text, Title } from "@mantine/core"
import { type Relay, updateRelay } from "@sealway/sdk/api"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { findingsOf } from "./findings.ts"
import { latestRequests } from "./latest-requests.ts"
import { relayKey } from "./relay-query.ts"

const WATCHING = {
  off: "Off: nothing is searched",
  alert: "Alert: pass the message on, and send an alert",
  block: "Block: refuse the message, and send an alert",
} as const

/** Where the leak watch of a relay has found card numbers that no selection covers. */
export function LeakFindings({ relay }: { readonly relay: Relay }) {
  const { app, key, transport } = useApp()
  const client = useQueryClient()
  const may = useMay()
  const [wanted, setWanted] = useState<Relay["leakWatch"] | null>(null)
  const latest = useQuery({
    queryKey: [...relayKey(key, relay.id), "leaks"],
    queryFn: async ({ signal }) => {
      const requests = await latestRequests(transport, relay.id, signal)
      return { findings: findingsOf(requests), searched: requests.length }
    },
    enabled: relay.leakWatch !== "off",
  })
  const change = async () => {
    if (wanted === null) return
    const changed = await updateRelay(transport, { relayId: relay.id, body: { leakWatch: wanted } })
    client.setQueryData(relayKey(key, relay.id), changed)
  }
  return (
    <Stack component="section" gap="md" aria-labelledby="leaks">
      <Title order={2} size="h4" id="leaks">
        Leak watch
      </Title>
      <NativeSelect
        label="When a field that no selection covers has a card number"
        value={relay.leakWatch}
        onChange={({ currentTarget: { value } }) =>
          setWanted(value === "alert" || value === "block" ? value : "off")
        }
        data={Object.entries(WATCHING).map(([value, label]) => ({ value, label }))}
        disabled={!may("relay:update")}
      />
      {latest.isLoading && <Loader aria-label="Searching for leaks" />}
      {latest.error && <Problem error={latest.error} onRetry={() => latest.refetch()} />}
      {latest.data && relay.leakWatch !== "off" && (
        <>
          <Text role="status">
            Places with leaks in the latest {latest.data.searched} requests: {latest.data.findings.length}
          </Text>
          {latest.data.findings.length > 0 && (
            <Table aria-label="Leaks">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">Place</Table.Th>
                  <Table.Th scope="col">Requests</Table.Th>
                  <Table.Th scope="col">Latest</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {latest.data.findings.map(({ direction, path, count, latest: { id, createdAt } }) => (
                  <Table.Tr key={direction + path}>
                    <Table.Td>
                      <Code>{path}</Code> in the {direction}
                    </Table.Td>
                    <Table.Td>{count}</Table.Td>
                    <Table.Td>
                      <Link
                        to="/apps/$appId/relays/$relayId/activity/$activityId"
                        params={{ appId: app.id, relayId: relay.id, activityId: id }}
                      >
                        Request
                      </Link>{" "}
                      <Time at={createdAt} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </>
      )}
      <ConfirmDialog
        isOpen={wanted !== null && wanted !== relay.leakWatch}
        onClose={() => setWanted(null)}
        title="Change the leak watch?"
        action="Change"
        onConfirm={change}
      >
        <Text>
          {wanted !== null && WATCHING[wanted]}. Within 10 seconds, this applies to all requests through the
          relay.
        </Text>
      </ConfirmDialog>
    </Stack>
  )
}
