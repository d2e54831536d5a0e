import { Badge, Group, NativeSelect, Stack, Switch, Text } from "@mantine/core"
import { listRelayActivity, type RelayActivity } from "@sealway/sdk/api"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Time } from "../../components/time.tsx"
import { RELAY_ERRORS, readRelaySearch, STATUS_CLASSES } from "./relay-search.ts"
import { TimeSplit } from "./time-split.tsx"

const route = getRouteApi("/apps/$appId/relays/$relayId")

const LIVE_MS = 3_000

/** The requests of the last 7 days through a relay. */
export function RelayActivityList({ relayId }: { readonly relayId: string }) {
  const { app, key, transport } = useApp()
  const { status, error } = route.useSearch()
  const navigate = route.useNavigate()
  const [isLive, setLive] = useState(true)
  const filter = (changes: Readonly<Record<string, string>>) =>
    navigate({ search: readRelaySearch({ tab: "activity", status, error, ...changes }), replace: true })
  return (
    <Stack gap="md">
      <Group gap="md" align="flex-end">
        <NativeSelect
          label="Status"
          value={status ?? ""}
          onChange={({ currentTarget }) => filter({ status: currentTarget.value })}
          data={[{ value: "", label: "Every status" }, ...STATUS_CLASSES]}
        />
        <NativeSelect
          label="Error"
          value={error ?? ""}
          onChange={({ currentTarget }) => filter({ error: currentTarget.value })}
          data={[{ value: "", label: "With or without" }, ...RELAY_ERRORS]}
        />
        <Switch
          label="Live"
          checked={isLive}
          onChange={({ currentTarget }) => setLive(currentTarget.checked)}
          mb={8}
        />
      </Group>
      <PagedList<RelayActivity>
        label="Requests"
        queryKey={[...key, "relays", relayId, "activity", status ?? null, error ?? null]}
        fetchPage={(after, signal) =>
          listRelayActivity(
            transport,
            {
              relayId,
              limit: PAGE_SIZE,
              ...(status && { statusClass: status }),
              ...(error && { errorCode: error }),
            },
            { signal },
          ).page(after)
        }
        keyOf={({ id }) => id}
        {...(isLive && { refreshMs: LIVE_MS })}
        columns={[
          {
            header: "Request",
            cell: (activity) => (
              <Link
                className={rowLinkClass}
                to="/apps/$appId/relays/$relayId/activity/$activityId"
                params={{ appId: app.id, relayId, activityId: activity.id }}
              >
                {activity.method} {activity.routes.join(", ") || "(no route)"}
              </Link>
            ),
          },
          { header: "Status", cell: (activity) => <RequestStatus activity={activity} /> },
          { header: "Values", cell: ({ selections }) => <Changed selections={selections} /> },
          { header: "Time", cell: ({ timing }) => <TimeSplit timing={timing} /> },
          { header: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        empty={
          <EmptyState title={status || error ? "No request matches the filters" : "No request yet"}>
            Requests through the relay appear here a few seconds after they end, and stay for 7 days. Only
            what was done is kept, never a value.
          </EmptyState>
        }
      />
    </Stack>
  )
}

/** The status of a response, with the relay's own error and leaks if there are any. */
export function RequestStatus({ activity: { status, error, leaks } }: { readonly activity: RelayActivity }) {
  const color = status >= 500 ? "red" : status >= 400 ? "yellow" : "green"
  return (
    <Group gap={4}>
      <Badge variant="light" color={color}>
        {status}
      </Badge>
      {error !== null && <Text size="sm">{error.code}</Text>}
      {leaks.length > 0 && (
        <Badge variant="light" color="red" tt="none">
          {leaks.length === 1 ? "1 leak" : `${leaks.length} leaks`}
        </Badge>
      )}
    </Group>
  )
}

function Changed({ selections }: Pick<RelayActivity, "selections">) {
  const count = (action: "encrypt" | "decrypt") =>
    selections.filter((each) => each.action === action).reduce((sum, { changed }) => sum + changed, 0)
  const [encrypted, decrypted] = [count("encrypt"), count("decrypt")]
  const parts = [
    ...(encrypted > 0 ? [`${encrypted} encrypted`] : []),
    ...(decrypted > 0 ? [`${decrypted} decrypted`] : []),
  ]
  return <Text size="sm">{parts.join(", ") || "Unchanged"}</Text>
}
