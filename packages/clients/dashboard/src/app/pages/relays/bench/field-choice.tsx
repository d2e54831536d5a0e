import { Button, Code, Group, NativeSelect, Radio, Stack, Text } from "@mantine/core"
import { useState } from "react"
import { useRoleChoices } from "../../../api/use-role-choices.ts"
import { CopyButton } from "../../../components/copy-button.tsx"
import type { Direction, Draft, DraftSelection } from "./draft.ts"
import type { SampleField } from "./sample-fields.ts"

/** What clicking a field can change. */
export interface FieldChanges {
  readonly draft: Draft
  readonly direction: Direction
  /** @param routeId null for a route of the sample's own path */
  readonly onSelect: (routeId: string | null, selection: Omit<DraftSelection, "id">) => void
  readonly onUnselect: (selectionId: string) => void
}

interface FieldChoiceProps {
  readonly field: SampleField
  /** Those that select it already. */
  readonly selections: readonly DraftSelection[]
  readonly changes: FieldChanges
  readonly onClose: () => void
}

const NEW_ROUTE = "new"

/** How a field that was clicked is to be selected. */
export function FieldChoice({ field, selections, changes, onClose }: FieldChoiceProps) {
  const { draft, direction, onSelect, onUnselect } = changes
  const isToken = field.value !== null && /^"?ev:/.test(field.value)
  const [selector, setSelector] = useState(field.choices[0]?.selector ?? "")
  const [action, setAction] = useState<"encrypt" | "decrypt">(isToken ? "decrypt" : "encrypt")
  const [role, setRole] = useState("")
  const [routeId, setRouteId] = useState(draft[0]?.id ?? NEW_ROUTE)
  const roles = useRoleChoices()
  const choice = field.choices.find((each) => each.selector === selector)
  const select = () => {
    if (choice === undefined) return
    onSelect(routeId === NEW_ROUTE ? null : routeId, {
      action,
      type: choice.type,
      selector: choice.selector,
      role: role === "" ? null : role,
    })
    onClose()
  }
  return (
    <Stack gap="sm">
      {selections.map((each) => (
        <Group key={each.id} justify="space-between" wrap="nowrap">
          <Text size="sm">
            {each.action === "encrypt" ? "Encrypted by " : "Decrypted by "}
            <Code>{each.selector}</Code>
          </Text>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              onUnselect(each.id)
              onClose()
            }}
          >
            Remove
          </Button>
        </Group>
      ))}
      <Radio.Group label="Selector" value={selector} onChange={setSelector}>
        <Stack gap={6} mt={6}>
          {field.choices.map((each) => (
            <Radio
              key={each.selector}
              value={each.selector}
              label={each.label}
              description={<Code>{each.selector}</Code>}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Group grow gap="sm">
        <NativeSelect
          label="Action"
          value={action}
          onChange={({ currentTarget }) =>
            setAction(currentTarget.value === "decrypt" ? "decrypt" : "encrypt")
          }
          data={["encrypt", "decrypt"]}
        />
        <NativeSelect
          label="Data role"
          value={role}
          onChange={({ currentTarget }) => setRole(currentTarget.value)}
          data={roles}
          disabled={action === "decrypt"}
        />
      </Group>
      <NativeSelect
        label="Route"
        value={routeId}
        onChange={({ currentTarget }) => setRouteId(currentTarget.value)}
        data={[
          ...draft.map(({ id, method, path }) => ({
            value: id,
            label: `${method ?? "Every method"} ${path}`,
          })),
          { value: NEW_ROUTE, label: "A new route for the sample's path" },
        ]}
      />
      <Group justify="space-between">
        <CopyButton value={selector} label="Copy the selector" />
        <Button size="xs" onClick={select}>
          Select in the {direction}
        </Button>
      </Group>
    </Stack>
  )
}
