import { Loader, Tabs } from "@mantine/core"
import { getRouteApi } from "@tanstack/react-router"
import { CopyButton } from "../../components/copy-button.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { RelayActivityList } from "./activity.tsx"
import { RelayAlerts } from "./alerts.tsx"
import { Bench } from "./bench/bench.tsx"
import { CustomDomains } from "./custom-domains.tsx"
import { useRelay } from "./relay-query.ts"
import { TABS, type Tab } from "./relay-search.ts"
import { RelaySettings } from "./settings.tsx"
import { Tighten } from "./tighten.tsx"

const route = getRouteApi("/apps/$appId/relays/$relayId")

const TITLES: Readonly<Record<Tab, string>> = {
  routes: "Routes and test bench",
  activity: "Activity",
  alerts: "Alerts and leaks",
  domains: "Custom domains",
  settings: "Settings",
}

/** A relay, with everything about it. */
export function RelayPage() {
  const { relayId } = route.useParams()
  const { tab = "routes" } = route.useSearch()
  const navigate = route.useNavigate()
  const relay = useRelay(relayId)
  if (relay.isPending) return <Loader aria-label="Loading the relay" />
  if (relay.data === undefined) {
    return (
      <Page title="Relay">
        <Problem error={relay.error} onRetry={() => relay.refetch()} />
      </Page>
    )
  }
  const choose = (value: string | null) => {
    const chosen = TABS.find((each) => each === value) ?? "routes"
    return navigate({ search: chosen === "routes" ? {} : { tab: chosen } })
  }
  return (
    <Page
      title={relay.data.destinationDomain}
      about={
        <>
          Send requests to {relay.data.relayDomain}{" "}
          <CopyButton value={relay.data.relayDomain} label="Copy the relay's domain" />
        </>
      }
    >
      <Tighten relay={relay.data} />
      <Tabs value={tab} onChange={choose} keepMounted={false}>
        <Tabs.List mb="lg">
          {TABS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {TITLES[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {/* Stays while another tab is looked at, with what is not saved yet. */}
        <Tabs.Panel value="routes" keepMounted>
          <Bench key={relay.data.id} relay={relay.data} />
        </Tabs.Panel>
        <Tabs.Panel value="activity">
          <RelayActivityList relayId={relayId} />
        </Tabs.Panel>
        <Tabs.Panel value="alerts">
          <RelayAlerts relay={relay.data} />
        </Tabs.Panel>
        <Tabs.Panel value="domains">
          <CustomDomains relayId={relayId} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <RelaySettings key={relay.data.updatedAt} relay={relay.data} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
