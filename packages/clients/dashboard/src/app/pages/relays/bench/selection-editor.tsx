import { Button, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import { useRoleChoices } from "../../../api/use-role-choices.ts"
import classes from "./bench.module.css"
import { type DraftSelection, SELECTION_TYPES } from "./draft.ts"

interface SelectionEditorProps {
  /** For screen readers: "selection 1 of the request of route 1". */
  readonly name: string
  readonly selection: DraftSelection
  readonly problem: string | null
  readonly warning: string | null
  readonly count: { readonly matched: number; readonly changed: number } | null
  readonly onChange: (changed: DraftSelection) => void
  readonly onRemove: () => void
}

/** One selection of a route, in a line. */
export function SelectionEditor({ name, selection, problem, warning, count, ...on }: SelectionEditorProps) {
  const { action, type, selector, role, namespaces } = selection
  const roles = useRoleChoices(role)
  return (
    <Stack gap={4}>
      <div className={classes.selection}>
        <NativeSelect
          aria-label={`Action of ${name}`}
          value={action}
          onChange={({ currentTarget }) =>
            on.onChange({ ...selection, action: currentTarget.value === "decrypt" ? "decrypt" : "encrypt" })
          }
          data={["encrypt", "decrypt"]}
        />
        <NativeSelect
          aria-label={`Type of ${name}`}
          value={type}
          onChange={({ currentTarget }) =>
            on.onChange({
              ...selection,
              type: SELECTION_TYPES.find((each) => each === currentTarget.value) ?? "json",
            })
          }
          data={SELECTION_TYPES}
        />
        <TextInput
          className={classes.selector ?? ""}
          aria-label={`Selector of ${name}`}
          placeholder={type === "json" || type === "xml" ? "$.card.number" : "name"}
          value={selector}
          onChange={({ currentTarget }) => on.onChange({ ...selection, selector: currentTarget.value })}
          error={problem}
          spellCheck={false}
        />
        <NativeSelect
          aria-label={`Data role of ${name}`}
          value={role ?? ""}
          onChange={({ currentTarget }) =>
            on.onChange({ ...selection, role: currentTarget.value === "" ? null : currentTarget.value })
          }
          data={roles}
          disabled={action === "decrypt" && role === null}
        />
        <Text size="sm" c="dimmed" className={classes.count ?? ""}>
          {count !== null && `${count.matched} matched`}
        </Text>
        <Button variant="default" size="xs" mt={3} onClick={on.onRemove} aria-label={`Remove ${name}`}>
          Remove
        </Button>
      </div>
      {namespaces !== undefined && (
        <Text size="xs" c="dimmed">
          Namespaces:{" "}
          {Object.entries(namespaces)
            .map(([prefix, uri]) => `${prefix} is ${uri}`)
            .join(", ")}
        </Text>
      )}
      {warning !== null && <Text size="sm">{warning}</Text>}
    </Stack>
  )
}
