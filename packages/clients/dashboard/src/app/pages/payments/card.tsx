import { type Card, deleteCard, getCard } from "@sealway/sdk/api"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { cardInWords, expiryInWords } from "./words.ts"

const route = getRouteApi("/apps/$appId/payments/cards/$cardId")

/** A registered card: what is known about it, and what has replaced it. */
export function CardPage() {
  const { appId, cardId } = route.useParams()
  const { key, transport } = useApp()
  const navigate = route.useNavigate()
  const may = useMay()
  const list = { to: "/apps/$appId/payments", params: { appId }, search: {} } as const
  const listKey = [...key, "cards"]
  return (
    <RecordPage<Card>
      kind="card"
      queryKey={[...listKey, "card", cardId]}
      find={(signal) => getCard(transport, { cardId }, { signal })}
      titleOf={cardInWords}
      back={<BackLink {...list}>All cards</BackLink>}
      deletion={{
        isAllowed: may("card:delete"),
        nameToType: ({ lastFour }) => lastFour,
        consequences: () =>
          "Its network is told to report no more changes, and programs that use its id get 404. This cannot be undone; its number can be registered again.",
        remove: () => deleteCard(transport, { cardId }),
        leave: () => navigate(list),
        listKey,
      }}
    >
      {(card) => <CardFacts card={card} appId={appId} />}
    </RecordPage>
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
      {updatedAt !== undefined && (
        <Fact name="Updated">
          <Time at={updatedAt} />
        </Fact>
      )}
    </Facts>
  )
}
