import { Badge, Group, List, Loader, Paper, SegmentedControl, Stack, Text, Title } from "@mantine/core"
import { type AuditRecord, getStats, health, listAuditLogs } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { actorInWords } from "../../components/actor-in-words.ts"
import { Page } from "../../components/page.tsx"
import { PagedList } from "../../components/paged-list.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { REASONS } from "../policies/words.ts"
import { Charts } from "./charts.tsx"
import type { Span } from "./span.ts"

const route = getRouteApi("/apps/$appId/")

/** The interval of each span: `GET /stats` chooses how far it looks back. */
const INTERVALS = { hour: "minute", day: "hour", month: "day" } as const
const REFRESH_MS = 10_000

/** Whether an app is well, and what happened to it. */
export function Home() {
  const { app, transport, key } = useApp()
  const { span = "day" } = route.useSearch()
  const navigate = route.useNavigate()
  const stats = useQuery({
    queryKey: [...key, "stats", span],
    queryFn: ({ signal }) => getStats(transport, { interval: INTERVALS[span] }, { signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Page title={app.name} about={<State />}>
      {stats.data?.total.encrypted === 0 && <FirstSteps />}
      <Stack component="section" gap="md" aria-labelledby="figures">
        <Group justify="space-between">
          <Title order={2} size="h4" id="figures">
            What happened
          </Title>
          <SegmentedControl
            aria-label="Look back"
            value={span}
            onChange={(value) => void navigate({ search: { span: spanOf(value) } })}
            data={[
              { value: "hour", label: "1 hour" },
              { value: "day", label: "1 day" },
              { value: "month", label: "30 days" },
            ]}
          />
        </Group>
        {stats.isPending && <Loader aria-label="Loading the figures" />}
        {stats.error && <Problem error={stats.error} onRetry={() => stats.refetch()} />}
        {stats.data && <Charts stats={stats.data} />}
      </Stack>
      <Refusals />
    </Page>
  )
}

const spanOf = (value: string): Span => (value === "hour" || value === "month" ? value : "day")

/** Whether the service answers, and which kind of app this is. */
function State() {
  const { app } = useApp()
  const state = useQuery({
    queryKey: ["team", "health"],
    queryFn: ({ signal }) => health(teamTransport, {}, { signal }),
    refetchInterval: 30_000,
  })
  return (
    <Group component="span" gap="xs">
      <Badge
        component="span"
        variant="light"
        tt="none"
        color={app.environment === "production" ? "yellow" : "blue"}
      >
        {app.environment}
      </Badge>
      {app.status === "disabled" && (
        <Badge component="span" variant="light" tt="none" color="red">
          disabled: its credentials are refused
        </Badge>
      )}
      {state.data && (
        <Badge component="span" variant="light" tt="none" color="green">
          Sealway {state.data.version} is well
        </Badge>
      )}
      {state.error && (
        <Badge component="span" variant="light" tt="none" color="red">
          Sealway does not answer
        </Badge>
      )}
    </Group>
  )
}

/** The newest decryptions that were refused, each with its reason. */
function Refusals() {
  const { app, key } = useApp()
  return (
    <Stack component="section" gap="sm" aria-labelledby="refusals">
      <Title order={2} size="h4" id="refusals">
        Latest refusals
      </Title>
      <PagedList<AuditRecord>
        label="Latest refusals"
        queryKey={[...key, "refusals"]}
        fetchPage={(after, signal) => {
          const query = { appId: app.id, action: "decryption.refused", limit: 10 }
          return listAuditLogs(teamTransport, query, { signal }).page(after)
        }}
        keyOf={({ id }) => id}
        columns={[
          { header: "When", cell: ({ at }) => <Time at={at} /> },
          { header: "Who", cell: ({ actor }) => actorInWords(actor) },
          { header: "From", cell: ({ ip }) => ip ?? "unknown" },
          { header: "Why", cell: ({ details }) => detailsInWords(details) },
        ]}
        empty={<Text c="dimmed">No decryption was refused.</Text>}
        refreshMs={REFRESH_MS}
      />
    </Stack>
  )
}

/** Why it was refused; the details of the audit log are of strings. */
function detailsInWords({ role, reason, code }: AuditRecord["details"]): string {
  const known = Object.entries(REASONS).find(([name]) => name === reason)?.[1]
  return known === undefined ? String(reason ?? code) : `${String(role)}: ${known}`
}

/** What to do with an app that has not encrypted anything yet. */
function FirstSteps() {
  const { app } = useApp()
  const params = { appId: app.id }
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2} size="h4">
          First steps
        </Title>
        <Text c="dimmed">This app has not encrypted anything yet.</Text>
        <List type="ordered" spacing="xs">
          <List.Item>
            <Link to="/apps/$appId/playground" params={params}>
              Encrypt something in the playground
            </Link>{" "}
            and look at its tokens.
          </List.Item>
          <List.Item>
            <Link to="/apps/$appId/policies" params={params}>
              Create a data role and a policy
            </Link>{" "}
            that say who may decrypt what.
          </List.Item>
          <List.Item>
            <Link to="/apps/$appId/keys" params={params}>
              Create an API key
            </Link>{" "}
            for your program, with no more scopes than it needs.
          </List.Item>
        </List>
      </Stack>
    </Paper>
  )
}
