import { Button, Loader } from "@mantine/core"
import { getPreChargebackAlert, type PreChargebackAlert } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.tsx"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { AnswerAlertDialog } from "./answer-alert-dialog.tsx"
import { Status } from "./status.tsx"
import { cardInWords, moneyInWords } from "./words.ts"

const route = getRouteApi("/apps/$appId/payments/alerts/$alertId")

/** A dispute, and its answer. */
export function AlertPage() {
  const { appId, alertId } = route.useParams()
  const { key, transport } = useApp()
  const may = useMay()
  const [isAnswering, setAnswering] = useState(false)
  const alert = useQuery({
    queryKey: [...key, "alerts", "alert", alertId],
    queryFn: ({ signal }) => getPreChargebackAlert(transport, { preChargebackAlertId: alertId }, { signal }),
  })
  const mayAnswer =
    alert.data?.status === "open" && alert.data.respondBy !== null && may("preChargebackAlert:update")
  return (
    <Page
      title={alert.data === undefined ? "Alert" : `Alert about ${moneyInWords(alert.data.transaction)}`}
      about={
        <BackLink to="/apps/$appId/payments" params={{ appId }} search={{ tab: "alerts" }}>
          All alerts
        </BackLink>
      }
      actions={mayAnswer && <Button onClick={() => setAnswering(true)}>Answer</Button>}
    >
      {alert.isPending && <Loader aria-label="Loading the alert" />}
      {alert.error && <Problem error={alert.error} onRetry={() => alert.refetch()} />}
      {alert.data && (
        <>
          <AlertFacts alert={alert.data} appId={appId} />
          <AnswerAlertDialog isOpen={isAnswering} onClose={() => setAnswering(false)} alert={alert.data} />
        </>
      )}
    </Page>
  )
}

function AlertFacts({ alert, appId }: { readonly alert: PreChargebackAlert; readonly appId: string }) {
  const { status, outcome, refundedAmount, comment, respondBy, network, type } = alert
  const { card, merchant, transaction, createdAt } = alert
  const { currency, occurredAt, descriptor, authorizationCode, acquirerReferenceNumber } = transaction
  return (
    <Facts label="Alert">
      <Fact name="Status">
        <Status status={status} /> {outcome}
        {refundedAmount !== undefined && `, ${moneyInWords({ amount: refundedAmount, currency })}`}
      </Fact>
      {comment !== undefined && <Fact name="Comment">{comment}</Fact>}
      <Fact name="Answer until">
        {respondBy === null ? "Decided at once, by the merchant's refund rule" : <Time at={respondBy} />}
      </Fact>
      <Fact name="Network">
        {network}, {type}
      </Fact>
      <Fact name="Card">{cardInWords(card)}</Fact>
      <Fact name="Merchant">
        <Link to="/apps/$appId/payments/merchants/$merchantId" params={{ appId, merchantId: merchant }}>
          {merchant}
        </Link>
      </Fact>
      <Fact name="Paid">
        <Time at={occurredAt} />
      </Fact>
      {descriptor !== undefined && <Fact name="On the statement">{descriptor}</Fact>}
      {authorizationCode !== undefined && <Fact name="Authorization">{authorizationCode}</Fact>}
      {acquirerReferenceNumber !== undefined && (
        <Fact name="Acquirer reference">{acquirerReferenceNumber}</Fact>
      )}
      <Fact name="Id">{alert.id}</Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
    </Facts>
  )
}
