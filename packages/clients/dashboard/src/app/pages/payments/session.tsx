import { Stack, Text } from "@mantine/core"
import { get3dsSession, type SuccessfulThreeDSSession, type ThreeDSSession } from "@sealway/sdk/api"
import { getRouteApi } from "@tanstack/react-router"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { SessionMessages } from "./session-messages.tsx"
import { cardInWords, expiryInWords, moneyInWords } from "./words.ts"

const route = getRouteApi("/apps/$appId/payments/3ds-sessions/$sessionId")

const REFRESH_MS = 3_000

/** A 3-D Secure session: its outcome and why, and the messages that led there. */
export function SessionPage() {
  const { appId, sessionId } = route.useParams()
  const { key, transport } = useApp()
  return (
    <RecordPage<ThreeDSSession>
      kind="3-D Secure session"
      queryKey={[...key, "3ds-sessions", "session", sessionId]}
      find={(signal) => get3dsSession(transport, { sessionId }, { signal })}
      refreshMs={({ status }) => status === "action-required" && REFRESH_MS}
      titleOf={({ card }) => `3-D Secure of ${cardInWords(card)}`}
      back={
        <BackLink to="/apps/$appId/payments" params={{ appId }} search={{ tab: "sessions" }}>
          All 3-D Secure sessions
        </BackLink>
      }
    >
      {(session) => (
        <Stack gap="xl">
          <SessionFacts session={session} />
          <SessionMessages session={session} />
        </Stack>
      )}
    </RecordPage>
  )
}

function Success({ session: { authentication, eci } }: { readonly session: SuccessfulThreeDSSession }) {
  return (
    <>
      <Fact name="Authentication">{[authentication.flow, ...(authentication.methods ?? [])].join(", ")}</Fact>
      <Fact name="ECI">
        {eci.value}, {eci.descriptor}: liability {eci.liabilityShift ? "shifts to the issuer" : "stays"}
      </Fact>
    </>
  )
}

function SessionFacts({ session }: { readonly session: ThreeDSSession }) {
  const { status, ares, payment, merchant, acquirer } = session
  const { card, initiator, version, challenge, createdAt, updatedAt } = session
  return (
    <Facts label="Session">
      <Fact name="Status">
        <Status status={status} /> {session.status === "failure" && session.failureReason}
      </Fact>
      {ares?.transStatusReason && <Fact name="Issuer's reason">{ares.transStatusReason.detail}</Fact>}
      {ares?.cardholderInfo && <Fact name="For the cardholder">{ares.cardholderInfo}</Fact>}
      {session.status === "success" && <Success session={session} />}
      <Fact name="Payment">
        {payment === undefined ? "None: only authentication" : `${moneyInWords(payment)}, ${payment.type}`}
      </Fact>
      <Fact name="Card">
        {cardInWords(card)}, {expiryInWords(card.expiry)}
        {card.issuer !== undefined && `, ${card.issuer}`}
      </Fact>
      <Fact name="Merchant">
        {merchant.name}, {merchant.website}
      </Fact>
      <Fact name="Acquirer">
        {acquirer.bin}, merchant {acquirer.merchantIdentifier}
      </Fact>
      <Fact name="Initiator">
        {initiator.type}
        {initiator.reason !== undefined && `, ${initiator.reason}`}
      </Fact>
      <Fact name="Challenge">{challenge.preference}</Fact>
      <Fact name="Version">{version}</Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
      {updatedAt !== undefined && (
        <Fact name="Updated">
          <Time at={updatedAt} />
        </Fact>
      )}
      <Fact name="Id at networks">
        <Text size="sm">{session.threeDSServer.transactionIdentifier}</Text>
      </Fact>
    </Facts>
  )
}
