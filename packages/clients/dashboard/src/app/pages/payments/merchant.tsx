import { Button, Stack, Title } from "@mantine/core"
import { deleteMerchant, getMerchant, type Merchant } from "@sealway/sdk/api"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApp } from "../../api/app.ts"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { RecordPage } from "../../components/record-page.tsx"
import { type Column, RecordRow, RecordTable } from "../../components/record-table.tsx"
import { Status } from "../../components/status.tsx"
import { Time } from "../../components/time.tsx"
import { useMay } from "../../session/use-may.ts"
import { enrolmentsOf, type ShownEnrolment } from "./enrolments.ts"
import { MerchantServicesDialog } from "./merchant-services-dialog.tsx"
import { moneyInWords } from "./words.ts"

const route = getRouteApi("/apps/$appId/payments/merchants/$merchantId")

const REFRESH_MS = 3_000

/** A merchant, and its state at each network. */
export function MerchantPage() {
  const { appId, merchantId } = route.useParams()
  const { key, transport } = useApp()
  const navigate = route.useNavigate()
  const may = useMay()
  const [isChanging, setChanging] = useState(false)
  const list = { to: "/apps/$appId/payments", params: { appId }, search: { tab: "merchants" } } as const
  const listKey = [...key, "merchants"]
  return (
    <RecordPage<Merchant>
      kind="merchant"
      queryKey={[...listKey, "merchant", merchantId]}
      find={(signal) => getMerchant(transport, { merchantId }, { signal })}
      refreshMs={(merchant) => isPending(merchant) && REFRESH_MS}
      titleOf={({ name }) => name}
      back={<BackLink {...list}>All merchants</BackLink>}
      actions={() =>
        may("merchant:update") && (
          <Button variant="default" onClick={() => setChanging(true)}>
            Change its services
          </Button>
        )
      }
      deletion={{
        isAllowed: may("merchant:delete"),
        nameToType: ({ name }) => name,
        consequences: () =>
          "It is withdrawn from all networks. This cannot be undone, and is refused while network tokens, subscriptions or retry watches name it.",
        remove: () => deleteMerchant(transport, { merchantId }),
        leave: () => navigate(list),
        listKey,
      }}
    >
      {(merchant) => (
        <>
          <MerchantFacts merchant={merchant} />
          <Enrolments merchant={merchant} />
          <MerchantServicesDialog
            isOpen={isChanging}
            onClose={() => setChanging(false)}
            merchant={merchant}
          />
        </>
      )}
    </RecordPage>
  )
}

const isPending = (merchant: Merchant) => enrolmentsOf(merchant).some(({ status }) => status === "pending")

function MerchantFacts({ merchant }: { readonly merchant: Merchant }) {
  const { id, shortName, website, categoryCode, business, createdAt } = merchant
  const { line1, line2, city, state, postalCode, country } = business.address
  const address = [line1, line2, city, state?.toUpperCase(), postalCode, country.toUpperCase()]
  return (
    <Facts label="Merchant">
      {shortName !== undefined && <Fact name="Short name">{shortName}</Fact>}
      <Fact name="Website">{website}</Fact>
      <Fact name="Category code">{categoryCode}</Fact>
      <Fact name="Business">
        {business.legalName}, {address.filter(Boolean).join(", ")}
      </Fact>
      <Fact name="Id">{id}</Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
    </Facts>
  )
}

const ENROLMENT_COLUMNS: readonly Column<ShownEnrolment>[] = [
  { header: "Service", cell: ({ service }) => service },
  { header: "Status", cell: ({ status }) => <Status status={status} /> },
  { header: "At the network", cell: ({ detail }) => detail },
]

function Enrolments({ merchant }: { readonly merchant: Merchant }) {
  const enrolments = enrolmentsOf(merchant, (rule) =>
    rule === null
      ? "refunds every dispute"
      : `refunds disputes up to ${moneyInWords({ amount: rule.maximumAmount, currency: rule.currency })}`,
  )
  return (
    <Stack component="section" gap="sm" aria-labelledby="enrolments">
      <Title order={2} size="h4" id="enrolments">
        Enrolments
      </Title>
      <RecordTable label="Enrolments" columns={ENROLMENT_COLUMNS}>
        {enrolments.map((enrolment) => (
          <RecordRow key={enrolment.service} item={enrolment} columns={ENROLMENT_COLUMNS} />
        ))}
      </RecordTable>
    </Stack>
  )
}
