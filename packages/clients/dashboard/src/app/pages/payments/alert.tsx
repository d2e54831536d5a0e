import { Button } from "@mantine/core"
import { getPreChargebackAlert, type PreChargebackAlert } from "@sealway/sdk/api"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { AnswerAlertDialog } from "./answer-alert-dialog.tsx"
import { cardInWords, moneyInWords } from "./words.ts"

const route = getRouteApi("/apps/$appId/payments/alerts/$alertId")

/** A dispute, and its answer. */
export function AlertPage() {
  const { appId, alertId } = route.useParams()
  const { key, transport } = useApp()
  const may = useMay()
  const [isAnswering, setAnswering] = useState(false)
  return (
    <RecordPage<PreChargebackAlert>
      kind="alert"
      queryKey={[...key, "alerts", "alert", alertId]}
      find={(signal) => getPreChargebackAlert(transport, { preChargebackAlertId: alertId }, { signal })}
      titleOf={({ transaction }) => `Alert about ${moneyInWords(transaction)}`}
      back={
        <BackLink to="/apps/$appId/payments" params={{ appId }} search={{ tab: "alerts" }}>
          All alerts
        </BackLink>
      }
      actions={({ status, respondBy }) =>
        status === "open" &&
        respondBy !== null &&
        may("preChargebackAlert:update") && <Button onClick={() => setAnswering(true)}>Answer</Button>
      }
    >
      {(alert) => (
        <>
          <AlertFacts alert={alert} appId={appId} />
          <AnswerAlertDialog isOpen={isAnswering} onClose={() => setAnswering(false)} alert={alert} />
        </>
      )}
    </RecordPage>
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
