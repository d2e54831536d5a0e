import { Alert, Badge, Group, List, NativeSelect, Paper, Stack, Text, TextInput, Title } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import {
  type DataPolicyExplanation,
  type DataPolicyInput,
  type DecryptionContext,
  explainDataPolicies,
} from "@sealway/sdk/api"
import type { FieldProblem } from "@sealway/sdk/browser"
import { ApiError } from "@sealway/sdk/browser"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { CodeBlock } from "../../components/code-block.tsx"
import { WhileCurrent } from "../../components/outdated.tsx"
import { Problem } from "../../components/problem.tsx"
import { isUnbounded } from "./unbounded.ts"
import { ANYONE, REASONS } from "./words.ts"

/** How long nothing is typed before the service is asked. */
const PAUSE_MS = 300

const SOURCES = ["api", "client-token", "relay", "function", "enclave"] as const

interface TryOutProps {
  readonly role: string
  /** All policies of the role, the edited one first. */
  readonly policies: readonly DataPolicyInput[]
}

/** Asks the service what it would decide, while somebody types. Nothing is decrypted, counted or recorded. */
export function useExplanation(
  { role, policies }: TryOutProps,
  context: DecryptionContext,
  { showCedar = false }: { readonly showCedar?: boolean } = {},
) {
  const { transport, key } = useApp()
  const question = JSON.stringify({ role, policies, context, showCedar })
  const [asked] = useDebouncedValue(question, PAUSE_MS)
  const explanation = useQuery({
    queryKey: [...key, "explain", asked],
    queryFn: ({ signal }) => explainDataPolicies(transport, { body: JSON.parse(asked) }, { signal }),
    placeholderData: keepPreviousData,
    enabled: role !== "",
    gcTime: 0,
  })
  const fields: readonly FieldProblem[] =
    explanation.error instanceof ApiError ? explanation.error.fields : []
  // Until the service has answered this very question, its last answer is about another one.
  const isCurrent = asked === question && !explanation.isPlaceholderData
  return { explanation, fields, isCurrent }
}

/** A bench on which a decryption is tried: who asks, from where, and what each policy says to it. */
export function TryOut({ role, policies }: TryOutProps) {
  const [context, setContext] = useState<DecryptionContext>({ source: "api", ip: "192.0.2.1" })
  const { explanation, fields, isCurrent } = useExplanation({ role, policies }, context)
  const change = (changed: Partial<Record<keyof DecryptionContext, string>>) =>
    setContext((before) => {
      const next = Object.entries({ ...before, ...changed }).filter(([, value]) => value !== "")
      return Object.fromEntries(next)
    })
  const ofContext = (name: string) => fields.find(({ pointer }) => pointer === `/context/${name}`)?.reason
  const text = (
    name: "ip" | "relayDestination" | "function" | "apiKey" | "time",
    label: string,
    hint: string,
  ) => (
    <TextInput
      label={label}
      placeholder={hint}
      value={context[name] ?? ""}
      error={ofContext(name)}
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
    />
  )
  return (
    <Stack component="section" gap="sm" aria-labelledby="try-out">
      <Title order={2} size="h4" id="try-out">
        Try a decryption
      </Title>
      <Group align="flex-start" gap="sm">
        <NativeSelect
          label="Through"
          value={context.source ?? "api"}
          onChange={({ currentTarget }) => change({ source: currentTarget.value })}
          data={[...SOURCES]}
        />
        {text("ip", "From the address", "10.1.2.3")}
        {text("time", "At (empty: now)", "2026-01-31T18:00:00Z")}
        {context.source === "relay" && text("relayDestination", "To", "api.example.com")}
        {context.source === "function" && text("function", "For the function", "charge")}
        {text("apiKey", "With the API key", "key_…")}
      </Group>
      {explanation.error && fields.length === 0 && <Problem error={explanation.error} />}
      {fields.length > 0 && <Text c="dimmed">Correct what is marked to see what is decided.</Text>}
      {explanation.data && (
        <WhileCurrent isCurrent={isCurrent}>
          <Paper withBorder p="md" aria-live="polite">
            <Stack gap="sm">
              <Alert {...outcomeOf(explanation.data, isCurrent ? policies : [])}>
                {REASONS[explanation.data.reason]}
              </Alert>
              <List spacing="xs" listStyleType="none">
                {explanation.data.policies.map((policy, index) => (
                  <List.Item key={`${policy.name} ${index.toString()}`}>
                    <Group gap="xs">
                      <Badge variant="light" tt="none" color={verdictColor(policy)}>
                        {verdictOf(policy)}
                      </Badge>
                      <Text size="sm" fw={policy.decided ? 600 : 400}>
                        {policy.name}
                      </Text>
                      {policy.failedConditions.length > 0 && (
                        <Text size="sm" c="dimmed">
                          because of {policy.failedConditions.join(", ")}
                        </Text>
                      )}
                    </Group>
                  </List.Item>
                ))}
              </List>
            </Stack>
          </Paper>
          <details>
            <summary>Keep this as a test</summary>
            <Text size="sm" c="dimmed" my="xs">
              Put it into a file of policy tests, which npx sealway policies test runs offline.
            </Text>
            <CodeBlock label="policy test" code={testOf(role, context, explanation.data.decision)} />
          </details>
        </WhileCurrent>
      )}
    </Stack>
  )
}

const OUTCOMES = {
  permit: { color: "green", title: "Permitted" },
  masked: { color: "yellow", title: "Permitted, masked" },
  deny: { color: "red", title: "Refused" },
} as const

/** Returns how a decision is shown; one for anyone is no good news. @param policies those that decided it, in order */
function outcomeOf(
  { decision, policies: verdicts }: Pick<DataPolicyExplanation, "decision" | "policies">,
  policies: readonly DataPolicyInput[],
) {
  const isForAnyone =
    decision === "permit" && policies.some((each, index) => isUnbounded(each) && verdicts[index]?.decided)
  return isForAnyone ? { color: "red", title: `Permitted for ${ANYONE}` } : OUTCOMES[decision]
}

interface Verdict {
  readonly effect: "permit" | "forbid"
  readonly matched: boolean
  readonly decided: boolean
}

function verdictOf({ effect, matched, decided }: Verdict): string {
  if (!matched) return "does not apply"
  const verb = effect === "permit" ? "permits" : "forbids"
  return decided ? `${verb}, and decides` : verb
}

function verdictColor({ effect, matched }: Verdict): string {
  if (!matched) return "gray"
  return effect === "permit" ? "green" : "red"
}

/** Returns a test file, in the format of `sealway policies test`. JSON is YAML, so values need no rules of their own. */
function testOf(role: string, context: DecryptionContext, expected: string): string {
  return [
    `role: ${role}`,
    "tests:",
    "  - name: as tried in the dashboard",
    `    context: ${JSON.stringify(context)}`,
    `    expect: ${expected}`,
    "",
  ].join("\n")
}
