import { Button, Loader, Text } from "@mantine/core"
import { type Card, deleteCard, getCard } from "@sealway/sdk/api"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.tsx"
import { BackLink } from "../../components/back-link.tsx"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { Status } from "./status.tsx"
import { cardInWords, expiryInWords } from "./words.ts"

const route = getRouteApi("/apps/$appId/payments/cards/$cardId")

/** A registered card: what is known about it, and what has replaced it. */
export function CardPage() {
  const { appId, cardId } = route.useParams()
  const { key, transport } = useApp()
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const may = useMay()
  const [isDeleting, setDeleting] = useState(false)
  const queryKey = [...key, "cards", "card", cardId]
  const card = useQuery({ queryKey, queryFn: ({ signal }) => getCard(transport, { cardId }, { signal }) })
  const remove = async () => {
    await deleteCard(transport, { cardId })
    await navigate({ to: "/apps/$appId/payments", params: { appId }, search: {} })
    client.removeQueries({ queryKey })
    await client.invalidateQueries({ queryKey: [...key, "cards"] })
  }
  return (
    <Page
      title={card.data === undefined ? "Card" : cardInWords(card.data)}
      about={
        <BackLink to="/apps/$appId/payments" params={{ appId }} search={{}}>
          All cards
        </BackLink>
      }
      actions={
        card.data !== undefined &&
        may("card:delete") && (
          <Button color="red" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      {card.isPending && <Loader aria-label="Loading the card" />}
      {card.error && <Problem error={card.error} onRetry={() => card.refetch()} />}
      {card.data && (
        <>
          <CardFacts card={card.data} appId={appId} />
          <ConfirmDialog
            isOpen={isDeleting}
            onClose={() => setDeleting(false)}
            title={`Delete ${cardInWords(card.data)}?`}
            action="Delete"
            nameToType={card.data.lastFour}
            onConfirm={remove}
          >
            <Text>
              Its network is told to report no more changes, and programs that use its id get 404. This cannot
              be undone; its number can be registered again.
            </Text>
          </ConfirmDialog>
        </>
      )}
    </Page>
  )
}

function CardFacts({ card, appId }: { readonly card: Card; readonly appId: string }) {
  const { status, replacement, expiry, automaticUpdates, createdAt, updatedAt } = card
  const { funding, segment, country, currency, issuer } = card
  return (
    <Facts label="Card">
      <Fact name="Status">
        <Status status={status} />{" "}
        {replacement !== null && (
          <Link to="/apps/$appId/payments/cards/$cardId" params={{ appId, cardId: replacement }}>
            The card that replaced it
          </Link>
        )}
      </Fact>
      <Fact name="Expiry">{expiryInWords(expiry)}</Fact>
      <Fact name="Automatic updates">{automaticUpdates}</Fact>
      <Fact name="Issuer">{issuer ?? "Unknown"}</Fact>
      <Fact name="Kind">{[funding, segment].filter(Boolean).join(", ") || "Unknown"}</Fact>
      <Fact name="Country">
        {[country, currency].flatMap((code) => code?.toUpperCase() ?? []).join(", ") || "Unknown"}
      </Fact>
      <Fact name="Id">{card.id}</Fact>
      <Fact name="Registered">
        <Time at={createdAt} />
      </Fact>
      {updatedAt !== null && (
        <Fact name="Updated">
          <Time at={updatedAt} />
        </Fact>
      )}
    </Facts>
  )
}
