import { Code, List, Stack, Text, Title } from "@mantine/core"
import { deleteEnclave, type Enclave, getEnclave } from "@sealway/sdk/api"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { usePolicyBook } from "../../api/policy-book.ts"
import { BackLink } from "../../components/back-link.tsx"
import { CodeBlock } from "../../components/code-block.tsx"
import { EmptyState } from "../../components/empty-state.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { LinkButton } from "../../components/link-button.tsx"
import { Problem } from "../../components/problem.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { useMayManage } from "../../session/use-may-manage.ts"
import { namesPcrsOf, namingPcrsOf, PCRS } from "./measurements.ts"

const route = getRouteApi("/apps/$appId/enclaves/$enclaveId")

/** A registered image, and the policies that name its measurements. */
export function EnclavePage() {
  const { appId, enclaveId } = route.useParams()
  const { key, transport } = useApp()
  const navigate = route.useNavigate()
  const may = useMay()
  const list = { to: "/apps/$appId/enclaves", params: { appId } } as const
  const listKey = [...key, "enclaves"]
  return (
    <RecordPage<Enclave>
      kind="enclave"
      queryKey={[...listKey, enclaveId]}
      find={(signal) => getEnclave(transport, { enclaveId }, { signal })}
      titleOf={({ name }) => name}
      back={<BackLink {...list}>All enclaves</BackLink>}
      deletion={{
        isAllowed: may("enclave:delete"),
        nameToType: ({ name }) => name,
        consequences: () =>
          "Its enclaves need an API key again, within 10 seconds. Policies that name its measurements stay as they are. You can register the image again.",
        remove: () => deleteEnclave(transport, { enclaveId }),
        leave: () => navigate(list),
        listKey,
      }}
    >
      {(enclave) => (
        <>
          <EnclaveFacts enclave={enclave} />
          <Permits enclave={enclave} />
        </>
      )}
    </RecordPage>
  )
}

function EnclaveFacts({ enclave: { id, pcrs, createdAt } }: { readonly enclave: Enclave }) {
  return (
    <Facts label="Enclave">
      {PCRS.map(
        ({ name, measures }) =>
          pcrs[name] !== undefined && (
            <Fact name={name.toUpperCase()} key={name}>
              <Code>{pcrs[name]}</Code>
              <Text size="sm" c="dimmed">
                Measures {measures}
              </Text>
            </Fact>
          ),
      )}
      <Fact name="Id">{id}</Fact>
      <Fact name="Registered">
        <Time at={createdAt} />
      </Fact>
    </Facts>
  )
}

/** The policies that could permit the enclave something, and what a new one must have. */
function Permits({ enclave }: { readonly enclave: Enclave }) {
  const { app } = useApp()
  const mayChange = useMayManage(app.environment)
  const book = usePolicyBook()
  const enclavePcrs = namingPcrsOf(enclave)
  const create = mayChange && (
    <LinkButton
      variant="default"
      to="/apps/$appId/policies/new"
      params={{ appId: app.id }}
      search={enclavePcrs}
    >
      Create a policy for it
    </LinkButton>
  )
  return (
    <Stack component="section" gap="sm" aria-labelledby="permits">
      <Title order={2} size="h4" id="permits">
        What it may decrypt
      </Title>
      {book.error && <Problem error={book.error} onRetry={() => book.refetch()} />}
      {book.data && <PoliciesOf enclave={enclave} policies={book.data.policies} />}
      <Text>
        A policy permits an enclave only if it names PCRs: PCR0 for one image, or PCR8 for all images of a
        signer. Values without a data role need an API key.
      </Text>
      <CodeBlock
        label="conditions of a policy"
        code={JSON.stringify({ sources: ["enclave"], enclavePcrs }, null, 2)}
      />
      <div>{create}</div>
    </Stack>
  )
}

interface PoliciesOfProps {
  readonly enclave: Enclave
  readonly policies: NonNullable<ReturnType<typeof usePolicyBook>["data"]>["policies"]
}

function PoliciesOf({ enclave, policies }: PoliciesOfProps) {
  const { app } = useApp()
  const own = policies.filter((policy) => namesPcrsOf(enclave, policy))
  if (own.length === 0) {
    return (
      <EmptyState title="No policy names its measurements">
        It can decrypt nothing yet, unless a policy in Cedar permits it.
      </EmptyState>
    )
  }
  return (
    <List spacing="xs" aria-label="Policies that name its measurements">
      {own.map(({ id, name, effect, roles }) => (
        <List.Item key={id}>
          <Link to="/apps/$appId/policies/$policyId" params={{ appId: app.id, policyId: id }}>
            {name}
          </Link>
          <Text size="sm">
            {effect === "permit" ? "Permits" : "Forbids"} values of {roles.join(", ")}, if its other
            conditions hold.
          </Text>
        </List.Item>
      ))}
    </List>
  )
}
