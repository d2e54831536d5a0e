import { Badge, Popover, Stack, Text } from "@mantine/core"
import { useState } from "react"
import classes from "./bench.module.css"
import type { DraftSelection } from "./draft.ts"
import { type FieldChanges, FieldChoice } from "./field-choice.tsx"
import type { FieldGroup, Marks } from "./sample.ts"
import { MAX_FIELDS, type SampleField } from "./sample-fields.ts"

interface FieldListProps {
  readonly groups: readonly FieldGroup[]
  readonly marks: Marks
  readonly changes: FieldChanges
}

/** The fields of a sample, coloured by what is done with them. Clicking one selects it. */
export function FieldList({ groups, marks, changes }: FieldListProps) {
  if (groups.length === 0) {
    return <Text c="dimmed">Paste a body: its fields appear here, and a click on one selects it.</Text>
  }
  return (
    <Stack gap="sm">
      {groups.map(({ title, fields, note }) => (
        <div key={title}>
          <Text size="sm" fw={600} mb={4}>
            {title}
          </Text>
          {note !== undefined && <Text c="dimmed">{note}</Text>}
          {fields.length > 0 && (
            <ul className={classes.fields} aria-label={`Fields: ${title}`}>
              {fields.map((field, index) => (
                <Field
                  // Forms may repeat a name.
                  key={`${index} ${field.path}`}
                  field={field}
                  selections={marks.selectionsAt(title, field.path)}
                  isLeak={marks.isLeak(title, field.path)}
                  changes={changes}
                />
              ))}
            </ul>
          )}
          {fields.length >= MAX_FIELDS && (
            <Text size="sm" c="dimmed">
              Only the first {MAX_FIELDS} fields are shown.
            </Text>
          )}
        </div>
      ))}
    </Stack>
  )
}

interface FieldProps {
  readonly field: SampleField
  readonly selections: readonly DraftSelection[]
  readonly isLeak: boolean
  readonly changes: FieldChanges
}

function Field({ field, selections, isLeak, changes }: FieldProps) {
  const [isOpen, setOpen] = useState(false)
  const mark = selections[0]?.action ?? (isLeak ? "leak" : undefined)
  return (
    <li
      className={classes.field}
      data-mark={mark}
      style={{ paddingInlineStart: `${0.75 + field.depth * 1.25}rem` }}
    >
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-start"
        width={340}
        trapFocus
        returnFocus
        withRoles={false}
        shadow="md"
      >
        <Popover.Target>
          <button
            type="button"
            className={classes.name}
            aria-expanded={isOpen}
            aria-haspopup="dialog"
            onClick={() => setOpen(!isOpen)}
          >
            {field.name}
          </button>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-label={`Select ${field.name}`}>
          {isOpen && (
            <FieldChoice
              field={field}
              selections={selections}
              changes={changes}
              onClose={() => setOpen(false)}
            />
          )}
        </Popover.Dropdown>
      </Popover>
      {field.value !== null && <span className={classes.value}>{shortened(field.value)}</span>}
      {selections.map(({ id, action, role }) => (
        <Badge key={id} tt="none" variant="default" radius="sm">
          {action}
          {role === null ? "" : ` as ${role}`}
        </Badge>
      ))}
      {isLeak && selections.length === 0 && (
        <Badge tt="none" variant="default" radius="sm">
          card number, not selected
        </Badge>
      )}
    </li>
  )
}

const MAX_SHOWN = 120

function shortened(value: string): string {
  return value.length <= MAX_SHOWN ? value : `${value.slice(0, MAX_SHOWN)}…`
}
