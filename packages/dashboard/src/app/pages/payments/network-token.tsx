import { Button, Loader, Text } from "@mantine/core"
import { deleteNetworkToken, getNetworkToken, type NetworkToken } from "@sealway/sdk/api"
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

const route = getRouteApi("/apps/$appId/payments/network-tokens/$tokenId")

/** A network token: its card, its merchant and its state at the network. */
export function NetworkTokenPage() {
  const { appId, tokenId } = route.useParams()
  const { key, transport } = useApp()
  const client = useQueryClient()
  const navigate = route.useNavigate()
  const may = useMay()
  const [isDeleting, setDeleting] = useState(false)
  const queryKey = [...key, "network-tokens", "token", tokenId]
  const place = { networkTokenId: tokenId }
  const token = useQuery({ queryKey, queryFn: ({ signal }) => getNetworkToken(transport, place, { signal }) })
  const remove = async () => {
    await deleteNetworkToken(transport, place)
    await navigate({ to: "/apps/$appId/payments", params: { appId }, search: { tab: "network-tokens" } })
    client.removeQueries({ queryKey })
    await client.invalidateQueries({ queryKey: [...key, "network-tokens"] })
  }
  return (
    <Page
      title={token.data === undefined ? "Network token" : `Network token of ${cardInWords(token.data.card)}`}
      about={
        <BackLink to="/apps/$appId/payments" params={{ appId }} search={{ tab: "network-tokens" }}>
          All network tokens
        </BackLink>
      }
      actions={
        token.data !== undefined &&
        may("networkToken:delete") && (
          <Button color="red" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      {token.isPending && <Loader aria-label="Loading the network token" />}
      {token.error && <Problem error={token.error} onRetry={() => token.refetch()} />}
      {token.data && (
        <>
          <TokenFacts token={token.data} appId={appId} />
          <ConfirmDialog
            isOpen={isDeleting}
            onClose={() => setDeleting(false)}
            title="Delete the network token?"
            action="Delete"
            nameToType={token.data.card.lastFour}
            onConfirm={remove}
          >
            <Text>
              It is deleted at its network too: no payment can be made with it any more. This cannot be
              undone.
            </Text>
          </ConfirmDialog>
        </>
      )}
    </Page>
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
      {updatedAt !== null && (
        <Fact name="Updated">
          <Time at={updatedAt} />
        </Fact>
      )}
    </Facts>
  )
}
