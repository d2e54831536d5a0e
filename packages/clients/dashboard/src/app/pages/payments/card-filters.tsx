import { Group, NativeSelect, TextInput } from "@mantine/core"
import { useFilters } from "./use-filters.ts"

/** The filters of a list of cards, or of network tokens. */
export function CardFilters({ statuses }: { readonly statuses: readonly string[] }) {
  const { filters, filter, filterLater } = useFilters()
  return (
    <Group gap="md" align="flex-end">
      <StatusFilter statuses={statuses} />
      <TextInput
        label="Last four digits"
        defaultValue={filters.lastFour ?? ""}
        onChange={({ currentTarget: { value } }) =>
          value === "" ? filter({ lastFour: "" }) : filterLater({ lastFour: value })
        }
        inputMode="numeric"
        maxLength={4}
        autoComplete="off"
      />
    </Group>
  )
}

export function StatusFilter({ statuses }: { readonly statuses: readonly string[] }) {
  const { filters, filter } = useFilters()
  return (
    <NativeSelect
      label="Status"
      value={filters.status ?? ""}
      onChange={({ currentTarget }) => filter({ status: currentTarget.value })}
      data={[{ value: "", label: "Every status" }, ...statuses]}
    />
  )
}
