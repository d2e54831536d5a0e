import { Tabs } from "@mantine/core"
import { getRouteApi } from "@tanstack/react-router"
import { Page } from "../../components/page.tsx"
import { Acquirers } from "./acquirers.tsx"
import { Alerts } from "./alerts.tsx"
import { BinTables } from "./bin-tables.tsx"
import { Cards } from "./cards.tsx"
import { Merchants } from "./merchants.tsx"
import { NetworkTokens } from "./network-tokens.tsx"
import { readPaymentsSearch, TABS, type Tab } from "./payments-search.ts"
import { Sessions } from "./sessions.tsx"

const route = getRouteApi("/apps/$appId/payments")

const TITLES: Readonly<Record<Tab, string>> = {
  cards: "Cards",
  "network-tokens": "Network tokens",
  sessions: "3-D Secure",
  merchants: "Merchants",
  acquirers: "Acquirers",
  alerts: "Alerts",
  "bin-tables": "BIN tables",
}

/** What an app has at card networks. No page shows a number: only its first and its last digits. */
export function Payments() {
  const { tab = "cards" } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page
      title="Payments"
      about="Cards, and what the card networks know about them. Only the first and the last digits of a number are shown."
    >
      <Tabs
        value={tab}
        onChange={(chosen) => void navigate({ search: readPaymentsSearch({ tab: chosen }) })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {TABS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {TITLES[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="cards">
          <Cards />
        </Tabs.Panel>
        <Tabs.Panel value="network-tokens">
          <NetworkTokens />
        </Tabs.Panel>
        <Tabs.Panel value="sessions">
          <Sessions />
        </Tabs.Panel>
        <Tabs.Panel value="merchants">
          <Merchants />
        </Tabs.Panel>
        <Tabs.Panel value="acquirers">
          <Acquirers />
        </Tabs.Panel>
        <Tabs.Panel value="alerts">
          <Alerts />
        </Tabs.Panel>
        <Tabs.Panel value="bin-tables">
          <BinTables />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
