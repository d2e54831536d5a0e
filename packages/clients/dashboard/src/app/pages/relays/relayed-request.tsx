import { Alert, Badge, Code, Group, List, Loader, Stack, Text, Title } from "@mantine/core"
import { getRelayActivity, type RelayActivity } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { RequestStatus } from "./activity.tsx"
import { useRelay } from "./relay-query.ts"
import { TimeInWords, TimeSplit } from "./time-split.tsx"

const route = getRouteApi("/apps/$appId/relays/$relayId/activity/$activityId")

const STAGES = {
  request: "The relay refused the request: the destination has not seen it.",
  destination: "The destination could not be reached, or did not answer.",
  response: "The destination answered, and the relay refused its response.",
} as const

/** One request through a relay: what was done with it, and where it failed. Alerts lead here. */
export function RelayedRequest() {
  const { appId, relayId, activityId } = route.useParams()
  const { key, transport } = useApp()
  const relay = useRelay(relayId)
  const activity = useQuery({
    queryKey: [...key, "relays", relayId, "activity", activityId],
    queryFn: ({ signal }) => getRelayActivity(transport, { relayId, activityId }, { signal }),
  })
  const back = (
    <BackLink to="/apps/$appId/relays/$relayId" params={{ appId, relayId }} search={{ tab: "activity" }}>
      All requests through this relay
    </BackLink>
  )
  const title = `Request through ${relay.data?.destinationDomain ?? "a relay"}`
  return (
    <Page title={title} about={back}>
      {activity.isPending && <Loader aria-label="Loading the request" />}
      {activity.error && (
        <>
          <Problem error={activity.error} onRetry={() => activity.refetch()} />
          <Text c="dimmed">Requests are kept for 7 days, and appear a few seconds after they end.</Text>
        </>
      )}
      {activity.data && <Activity activity={activity.data} />}
    </Page>
  )
}

function Activity({ activity }: { readonly activity: RelayActivity }) {
  const { mode, method, routes, error, selections, leaks, timing, createdAt } = activity
  return (
    <Stack gap="lg">
      {error !== null && (
        <Alert color="red" variant="light" title={error.code}>
          {error.detail} {STAGES[error.stage]}
        </Alert>
      )}
      <Facts label="Request">
        <Fact name="When">
          <Time at={createdAt} />
        </Fact>
        <Fact name="Status">
          <RequestStatus activity={activity} />
        </Fact>
        <Fact name="Request">
          {method}, {mode === "reverse" ? "to the relay's domain" : "through the forward proxy"}
        </Fact>
        <Fact name="Routes">
          {routes.join(", ") || (error === null ? "None matched: it passed unchanged." : "None matched.")}
        </Fact>
        <Fact name="Time">
          <TimeSplit timing={timing} />
          <TimeInWords timing={timing} />
        </Fact>
      </Facts>
      <Stack component="section" gap="sm" aria-labelledby="selections">
        <Title order={2} size="h4" id="selections">
          What was selected
        </Title>
        {selections.length === 0 && <Text c="dimmed">Nothing: no selection applied to it.</Text>}
        <List>
          {selections.map(({ direction, action, type, selector, matched, changed }, index) => (
            <List.Item key={index}>
              <Group gap="xs">
                <Badge variant="light" tt="none" color={action === "encrypt" ? "yellow" : "green"}>
                  {action}
                </Badge>
                <Code>{selector}</Code>
                <Text size="sm">
                  {type}, {direction}: {changed} of {matched} values changed
                </Text>
              </Group>
            </List.Item>
          ))}
        </List>
      </Stack>
      {leaks.length > 0 && (
        <Stack component="section" gap="sm" aria-labelledby="leaks">
          <Title order={2} size="h4" id="leaks">
            Card numbers that no selection covers
          </Title>
          <List>
            {leaks.map(({ direction, path }) => (
              <List.Item key={direction + path}>
                <Code>{path}</Code> in the {direction}
              </List.Item>
            ))}
          </List>
        </Stack>
      )}
    </Stack>
  )
}
