import { Alert, List, Stack, Text, Title } from "@mantine/core"
import { analyzeDataPolicies, type DataPolicyAnalysis, type DataPolicyInput } from "@sealway/sdk/api"
import { Proved, RequestList, useProof } from "./proved.tsx"

/** An answer takes the service seconds. */
const MAX_ROLES = 5

interface ChangeMeaningProps {
  /** The roles whose policies change. */
  readonly roles: readonly string[]
  /** All policies of the app before and after the change. */
  readonly saved: readonly DataPolicyInput[]
  readonly changed: readonly DataPolicyInput[]
}

/** What a change newly permits and newly refuses, for all requests, and what is probably a mistake in it. */
export function ChangeMeaning({ roles, saved, changed }: ChangeMeaningProps) {
  const shown = roles.slice(0, MAX_ROLES)
  const ofRoles = (policies: readonly DataPolicyInput[]) =>
    policies.filter((policy) => policy.roles.some((role) => shown.includes(role)))
  const question = { roles: shown, saved: ofRoles(saved), changed: ofRoles(changed) }
  const proof = useProof("change-meaning", JSON.stringify(question), async (transport, signal) => {
    const analyses: (DataPolicyAnalysis & { readonly role: string })[] = []
    // An app has one question at a time.
    for (const role of shown) {
      const policies = changed.filter((policy) => policy.roles.includes(role))
      const body = { role, policies }
      analyses.push({ role, ...(await analyzeDataPolicies(transport, { body }, { signal })) })
    }
    return analyses
  })
  return (
    <Stack component="section" gap="sm" aria-labelledby="change-meaning">
      <Title order={2} size="h4" id="change-meaning">
        What changes for all possible requests
      </Title>
      <Proved proof={proof} command="npx sealway policies plan">
        {(analyses) => (
          <Stack gap="sm" aria-live="polite">
            {analyses.map((analysis) => (
              <RoleMeaning key={analysis.role} {...analysis} isAlone={roles.length === 1} />
            ))}
            {roles.length > MAX_ROLES && <Text size="sm">And {roles.length - MAX_ROLES} more roles.</Text>}
            <Text size="sm" c="dimmed">
              Budgets are not compared.
            </Text>
          </Stack>
        )}
      </Proved>
    </Stack>
  )
}

interface RoleMeaningProps extends DataPolicyAnalysis {
  readonly role: string
  readonly isAlone: boolean
}

function RoleMeaning({ role, isAlone, permitted, refused, warnings }: RoleMeaningProps) {
  const isSame = [permitted, refused].every(({ known, requests }) => known && requests.length === 0)
  return (
    <Stack gap="xs">
      {!isAlone && <Text fw={600}>{role}</Text>}
      {isSame && <Text size="sm">No request is decided otherwise.</Text>}
      <RequestList title="Newly permitted" description={permitted} />
      <RequestList title="Newly refused" description={refused} />
      {warnings.length > 0 && (
        <Alert color="yellow" variant="light" title="Is this meant?">
          <List size="sm">
            {warnings.map(({ policy, kind, reason }) => (
              <List.Item key={`${policy} ${kind}`}>
                {policy === null ? reason : `${policy}: ${reason}`}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}
