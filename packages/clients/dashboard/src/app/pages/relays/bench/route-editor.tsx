import { Button, Group, NativeSelect, Paper, Stack, Text, TextInput } from "@mantine/core"
import { DIRECTIONS, type Direction, type DraftRoute, METHODS, newSelection } from "./draft.ts"
import { SelectionEditor } from "./selection-editor.tsx"

/** How often a selection matches the sample, by its id. */
export type MatchCounts = ReadonlyMap<string, { readonly matched: number; readonly changed: number }>

interface RouteEditorProps {
  readonly route: DraftRoute
  /** Counted from 1, for screen readers. */
  readonly position: number
  /** Whether it matches the sample; null when that is not known. */
  readonly isMatched: boolean | null
  readonly problems: ReadonlyMap<string, string>
  readonly warnings: ReadonlyMap<string, string>
  readonly counts: MatchCounts
  readonly onChange: (changed: DraftRoute) => void
  readonly onRemove: () => void
  /** Null for the first one. */
  readonly onMoveUp: (() => void) | null
}

/** A route: which requests it is for, and what it selects in them and in their responses. */
export function RouteEditor({
  route,
  position,
  isMatched,
  problems,
  warnings,
  counts,
  ...on
}: RouteEditorProps) {
  const { id, method, path } = route
  const name = `route ${position}`
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      aria-label={`Route ${position}: ${method ?? "every method"} ${path}`}
    >
      <Stack gap="sm">
        <Group gap="sm" align="flex-start">
          <NativeSelect
            aria-label={`Method of ${name}`}
            value={method ?? ""}
            onChange={({ currentTarget }) =>
              on.onChange({ ...route, method: METHODS.find((each) => each === currentTarget.value) ?? null })
            }
            data={[{ value: "", label: "Every method" }, ...METHODS]}
          />
          <TextInput
            aria-label={`Path of ${name}`}
            value={path}
            onChange={({ currentTarget }) => on.onChange({ ...route, path: currentTarget.value })}
            error={problems.get(id)}
            flex="1 1 12rem"
            spellCheck={false}
          />
          {isMatched !== null && (
            <Text size="sm" c="dimmed" pt={6}>
              {isMatched ? "Matches the sample" : "Does not match the sample"}
            </Text>
          )}
          {on.onMoveUp !== null && (
            <Button variant="default" size="xs" mt={3} onClick={on.onMoveUp} aria-label={`Move ${name} up`}>
              Move up
            </Button>
          )}
          <Button variant="default" size="xs" mt={3} onClick={on.onRemove} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        </Group>
        {warnings.has(id) && <Text size="sm">{warnings.get(id)}</Text>}
        {DIRECTIONS.map((direction) => (
          <Selections
            key={direction}
            {...{ route, position, direction, problems, warnings, counts }}
            onChange={on.onChange}
          />
        ))}
      </Stack>
    </Paper>
  )
}

type SelectionsProps = Pick<
  RouteEditorProps,
  "route" | "position" | "problems" | "warnings" | "counts" | "onChange"
> & { readonly direction: Direction }

function Selections({ route, position, direction, problems, warnings, counts, onChange }: SelectionsProps) {
  const selections = route[direction]
  const change = (changed: DraftRoute["request"]) => onChange({ ...route, [direction]: changed })
  const add = () =>
    change([
      ...selections,
      newSelection({
        action: direction === "request" ? "encrypt" : "decrypt",
        type: "json",
        selector: "",
        role: null,
      }),
    ])
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          In the {direction}
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          onClick={add}
          aria-label={`Add a selection to the ${direction} of route ${position}`}
        >
          Add a selection
        </Button>
      </Group>
      {selections.length === 0 && (
        <Text size="sm" c="dimmed">
          Passes unchanged.
        </Text>
      )}
      {selections.map((selection, index) => (
        <SelectionEditor
          key={selection.id}
          name={`selection ${index + 1} of the ${direction} of route ${position}`}
          selection={selection}
          problem={problems.get(selection.id) ?? null}
          warning={warnings.get(selection.id) ?? null}
          count={counts.get(selection.id) ?? null}
          onChange={(changed) => change(selections.map((each) => (each.id === changed.id ? changed : each)))}
          onRemove={() => change(selections.filter(({ id }) => id !== selection.id))}
        />
      ))}
    </Stack>
  )
}
