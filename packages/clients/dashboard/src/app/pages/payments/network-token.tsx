import { deleteNetworkToken, getNetworkToken, type NetworkToken } from "@sealway/sdk/api"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { cardInWords, expiryInWords } from "./words.ts"

const route = getRouteApi("/apps/$appId/payments/network-tokens/$tokenId")

/** A network token: its card, its merchant and its state at the network. */
export function NetworkTokenPage() {
  const { appId, tokenId } = route.useParams()
  const { key, transport } = useApp()
  const navigate = route.useNavigate()
  const may = useMay()
  const place = { networkTokenId: tokenId }
  const list = { to: "/apps/$appId/payments", params: { appId }, search: { tab: "network-tokens" } } as const
  const listKey = [...key, "network-tokens"]
  return (
    <RecordPage<NetworkToken>
      kind="network token"
      queryKey={[...listKey, "token", tokenId]}
      find={(signal) => getNetworkToken(transport, place, { signal })}
      titleOf={({ card }) => `Network token of ${cardInWords(card)}`}
      back={<BackLink {...list}>All network tokens</BackLink>}
      deletion={{
        isAllowed: may("networkToken:delete"),
        question: "Delete the network token?",
        nameToType: ({ card }) => card.lastFour,
        consequences: () =>
          "It is deleted at its network too: no payment can be made with it any more. This cannot be undone.",
        remove: () => deleteNetworkToken(transport, place),
        leave: () => navigate(list),
        listKey,
      }}
    >
      {(token) => <TokenFacts token={token} appId={appId} />}
    </RecordPage>
  )
}

function TokenFacts({ token, appId }: { readonly token: NetworkToken; readonly appId: string }) {
  const { status, merchant, card, expiry, tokenServiceProvider, tokenRequestorIdentifier } = token
  const { paymentAccountReference, createdAt, updatedAt } = token
  return (
    <Facts label="Network token">
      <Fact name="Status">
        <Status status={status} />
      </Fact>
      <Fact name="Merchant">
        <Link to="/apps/$appId/payments/merchants/$merchantId" params={{ appId, merchantId: merchant }}>
          {merchant}
        </Link>
      </Fact>
      <Fact name="Card">
        {cardInWords(card)}, {expiryInWords(card.expiry)}
        {card.issuer !== undefined && `, ${card.issuer}`}
      </Fact>
      <Fact name="Token's expiry">{expiryInWords(expiry)}</Fact>
      <Fact name="Provider">{tokenServiceProvider}</Fact>
      <Fact name="Token requestor">{tokenRequestorIdentifier}</Fact>
      <Fact name="Payment account reference">{paymentAccountReference ?? "Unknown"}</Fact>
      <Fact name="Id">{token.id}</Fact>
      <Fact name="Created">
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
