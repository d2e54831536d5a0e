import { Alert, Stack, Text, Title } from "@mantine/core"
import {
  deleteHoneyToken,
  getHoneyToken,
  type HoneyToken,
  type HoneyTouch,
  listHoneyTouches,
} from "@sealway/sdk/api"
import { getRouteApi } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { actorInWords } from "../../components/actor-in-words.ts"
import { BackLink } from "../../components/back-link.tsx"
import { CodeBlock } from "../../components/code-block.tsx"
import { EmptyState } from "../../components/empty-state.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { Touched } from "./touched.tsx"
import { wayInWords } from "./words.ts"

const route = getRouteApi("/apps/$appId/honey-tokens/$honeyTokenId")

const REFRESH_MS = 5_000

/** A honey token, and who has tried to decrypt it. */
export function HoneyTokenPage() {
  const { appId, honeyTokenId } = route.useParams()
  const { key, transport } = useApp()
  const navigate = route.useNavigate()
  const may = useMay()
  const list = { to: "/apps/$appId/honey-tokens", params: { appId } } as const
  const listKey = [...key, "honey-tokens"]
  return (
    <RecordPage<HoneyToken>
      kind="honey token"
      queryKey={[...listKey, honeyTokenId]}
      find={(signal) => getHoneyToken(transport, { honeyTokenId }, { signal })}
      refreshMs={() => REFRESH_MS}
      titleOf={({ name }) => name}
      back={<BackLink {...list}>All honey tokens</BackLink>}
      deletion={{
        isAllowed: may("honeyToken:delete"),
        nameToType: ({ name }) => name,
        consequences: () =>
          "It is still never decrypted, wherever you put it, but attempts raise no event any more. Its touches are no longer listed. This cannot be undone.",
        remove: () => deleteHoneyToken(transport, { honeyTokenId }),
        leave: () => navigate(list),
        listKey,
      }}
    >
      {(honeyToken) => (
        <>
          {honeyToken.lastTouchedAt !== null && (
            <Alert color="red" variant="light" title="Somebody has tried to decrypt it">
              Nobody has a reason to. Revoke the credential below, and find out who has a copy of your data.
            </Alert>
          )}
          <HoneyTokenFacts honeyToken={honeyToken} />
          <Touches honeyTokenId={honeyTokenId} />
        </>
      )}
    </RecordPage>
  )
}

function HoneyTokenFacts({ honeyToken }: { readonly honeyToken: HoneyToken }) {
  const { id, type, role, token, mark, alert, createdAt, lastTouchedAt } = honeyToken
  return (
    <Stack gap="md">
      <Text>Put this token among your encrypted values. It looks like any other of this app.</Text>
      <CodeBlock label="honey token" code={token} />
      <Facts label="Honey token">
        <Fact name="Last touched">
          <Touched at={lastTouchedAt} />
        </Fact>
        <Fact name="Type">{type}</Fact>
        <Fact name="Data role">{role ?? "None"}</Fact>
        <Fact name="Alert">{alert === null ? "Webhook endpoints only" : `${alert.url} (${alert.type})`}</Fact>
        <Fact name="Audit log's mark">{mark}</Fact>
        <Fact name="Id">{id}</Fact>
        <Fact name="Created">
          <Time at={createdAt} />
        </Fact>
      </Facts>
    </Stack>
  )
}

function Touches({ honeyTokenId }: { readonly honeyTokenId: string }) {
  const { key, transport } = useApp()
  return (
    <Stack component="section" gap="sm" aria-labelledby="touches">
      <Title order={2} size="h4" id="touches">
        Touches
      </Title>
      <PagedList<HoneyTouch>
        label="Touches"
        queryKey={[...key, "honey-tokens", honeyTokenId, "touches"]}
        fetchPage={(after, signal) =>
          listHoneyTouches(transport, { honeyTokenId, limit: PAGE_SIZE }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        refreshMs={REFRESH_MS}
        columns={[
          { header: "Who", cell: ({ actor }) => actorInWords(actor) },
          { header: "Where", cell: ({ way }) => wayInWords(way) },
          { header: "From", cell: ({ ips }) => ips.join(", ") },
          { header: "Requests", cell: ({ count }) => count.toLocaleString() },
          { header: "When", cell: (touch) => <Span touch={touch} /> },
        ]}
        empty={
          <EmptyState title="Nobody has touched it">
            All attempts of one caller, in one way and within one hour, are listed here as one touch, for 400
            days.
          </EmptyState>
        }
      />
    </Stack>
  )
}

function Span({ touch: { firstAt, lastAt } }: { readonly touch: HoneyTouch }) {
  if (firstAt === lastAt) return <Time at={firstAt} />
  return (
    <>
      <Time at={firstAt} /> to <Time at={lastAt} />
    </>
  )
}
