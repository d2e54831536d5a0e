import { Alert, Badge, Button, Group, List, NativeSelect, Stack, Text, Title } from "@mantine/core"
import { type DataPolicyInput, type DataPolicySimulation, simulateDataPolicies } from "@sealway/sdk/api"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { Outdated } from "../../components/outdated.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useResult } from "../../components/use-result.ts"

/** Replays recorded decisions against changed policies. @param policies all policies of the app, with the change */
export function Simulation({ policies }: { readonly policies: readonly DataPolicyInput[] }) {
  const { transport } = useApp()
  const [hours, setHours] = useState("24")
  const body = { hours: Number(hours), policies }
  const simulating = useResult({ input: body, ask: () => simulateDataPolicies(transport, { body }) })
  return (
    <Stack component="section" gap="sm" aria-labelledby="simulation">
      <Title order={2} size="h4" id="simulation">
        What would have changed
      </Title>
      <Text size="sm" c="dimmed">
        Replays the decisions of the last hours with these policies. Budgets are not counted.
      </Text>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="Look back"
          value={hours}
          onChange={({ currentTarget }) => setHours(currentTarget.value)}
          data={[
            { value: "1", label: "1 hour" },
            { value: "24", label: "1 day" },
            { value: "168", label: "7 days" },
          ]}
        />
        <Button variant="default" loading={simulating.isPending} onClick={simulating.ask}>
          Simulate
        </Button>
      </Group>
      {simulating.isOutdated && (
        <Outdated>The policies or the time have changed since: simulate again.</Outdated>
      )}
      {simulating.error && <Problem error={simulating.error} />}
      {simulating.data && <SimulationResult result={simulating.data} />}
    </Stack>
  )
}

/** What a change would do: what it would newly refuse or permit. */
export function SimulationResult({ result }: { readonly result: DataPolicySimulation }) {
  const { evaluated, truncated, changes } = result
  if (evaluated === 0) {
    return <Alert color="gray">There was no decision in this time, so nothing can be compared.</Alert>
  }
  const refused = countOf(changes, "deny")
  const permitted = countOf(changes, "permit")
  const masked = countOf(changes, "masked")
  return (
    <Stack gap="sm" aria-live="polite">
      <Alert color={refused > 0 ? "red" : permitted + masked > 0 ? "yellow" : "green"}>
        Of {evaluated.toLocaleString("en")} {evaluated === 1 ? "decision" : "decisions"},{" "}
        {refused.toLocaleString("en")} would newly be refused and {permitted.toLocaleString("en")} newly
        permitted{masked > 0 && `, ${masked.toLocaleString("en")} masked`}.
        {truncated && " Older decisions were left out."}
      </Alert>
      <List spacing="xs" listStyleType="none">
        {changes.map(({ role, context, count, lastAt, after }) => {
          const what = [
            role,
            context.source,
            context.ip,
            context.relayDestination,
            context.function,
            context.apiKey,
          ]
          const words = what.filter((part) => part !== null).join(", ")
          return (
            <List.Item key={words + after}>
              <Group gap="xs">
                <Badge variant="light" tt="none" color={after === "deny" ? "red" : "yellow"}>
                  newly {AFTER[after]}
                </Badge>
                <Text size="sm">
                  {count.toLocaleString("en")} × {words}, last <Time at={lastAt} />
                </Text>
              </Group>
            </List.Item>
          )
        })}
      </List>
    </Stack>
  )
}

const AFTER = { permit: "permitted", masked: "masked", deny: "refused" } as const

function countOf(changes: DataPolicySimulation["changes"], after: keyof typeof AFTER): number {
  return changes.filter((change) => change.after === after).reduce((sum, { count }) => sum + count, 0)
}
