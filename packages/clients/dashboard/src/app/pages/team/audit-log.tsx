import { Code, Group, NativeSelect, Text, TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { type AuditRecord, listAuditLogs } from "@sealway/sdk/api"
import { getRouteApi } from "@tanstack/react-router"
import { useApps } from "../../api/app.ts"
import { teamTransport } from "../../api/transport.ts"
import { actorInWords } from "../../components/actor-in-words.ts"
import { EmptyState } from "../../components/empty-state.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { Time } from "../../components/time.tsx"
import { ChainCheck } from "./chain-check.tsx"

const route = getRouteApi("/team/audit-log")
const PAUSE_MS = 400

/** Who did what, when and from where, in a chain of hashes that can be checked here. */
export function AuditLog() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const apps = useApps()
  const change = (changed: Partial<Record<"action" | "app" | "actor", string>>) =>
    navigate({ search: (before) => ({ ...before, ...changed }), replace: true })
  const changeLater = useDebouncedCallback(change, PAUSE_MS)
  return (
    <Page
      title="Audit log"
      about="Every change and every refused decryption: who, what, when and from where, never the data."
    >
      <ChainCheck />
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Action"
          placeholder="data-policy.*"
          defaultValue={filters.action ?? ""}
          onChange={({ currentTarget }) => changeLater({ action: currentTarget.value })}
        />
        <TextInput
          label="Member, key or token"
          placeholder="member_…"
          defaultValue={filters.actor ?? ""}
          onChange={({ currentTarget }) => changeLater({ actor: currentTarget.value })}
        />
        <NativeSelect
          label="Concerning"
          value={filters.app ?? ""}
          onChange={({ currentTarget }) => void change({ app: currentTarget.value })}
          data={[
            { value: "", label: "Everything" },
            ...(apps.data ?? []).map(({ id, name, environment }) => ({
              value: id,
              label: `${name} (${environment})`,
            })),
          ]}
        />
      </Group>
      <PagedList<AuditRecord>
        label="Audit log"
        queryKey={["team", "audit-log", filters]}
        fetchPage={(after, signal) => {
          const { action, app: appId, actor: actorId } = filters
          const query = {
            limit: PAGE_SIZE,
            ...(action && { action }),
            ...(appId && { appId }),
            ...(actorId && { actorId }),
          }
          return listAuditLogs(teamTransport, query, { signal }).page(after)
        }}
        keyOf={({ id }) => id}
        columns={[
          { header: "Number", cell: ({ seq }) => seq },
          { header: "When", cell: ({ at }) => <Time at={at} /> },
          { header: "What", cell: ({ action }) => <Code style={{ whiteSpace: "nowrap" }}>{action}</Code> },
          {
            header: "To",
            cell: ({ target: { type, id } }) => (id.startsWith(`${type}_`) ? id : `${type} ${id}`),
          },
          {
            header: "Who",
            cell: ({ actor, ip }) => `${actorInWords(actor)}${ip === null ? "" : ` from ${ip}`}`,
          },
          { header: "Details", cell: ({ details }) => <Details details={details} /> },
        ]}
        empty={
          <EmptyState title="No record matches">Change the filters. An action may end with a *.</EmptyState>
        }
      />
    </Page>
  )
}

function Details({ details }: Pick<AuditRecord, "details">) {
  const known = Object.entries(details).filter(([, value]) => value !== null)
  return <Text size="sm">{known.map(([name, value]) => `${name}: ${String(value)}`).join(", ")}</Text>
}
