import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from "@mantine/core"
import classes from "./bench.module.css"
import { type Direction, METHODS } from "./draft.ts"
import { CONTENT_TYPES, EXAMPLE_BODY, type Sample, type SampleMessage } from "./sample.ts"

interface SampleEditorProps {
  readonly sample: Sample
  readonly direction: Direction
  readonly onChange: (changed: Sample) => void
}

/** Where a sample is pasted. */
export function SampleEditor({ sample, direction, onChange }: SampleEditorProps) {
  const message = sample[direction]
  const change = (changes: Partial<SampleMessage>) =>
    onChange({ ...sample, [direction]: { ...message, ...changes } })
  return (
    <Stack gap="sm">
      {direction === "request" ? (
        <div className={classes.line}>
          <NativeSelect
            label="Method"
            value={sample.method}
            onChange={({ currentTarget }) =>
              onChange({
                ...sample,
                method: METHODS.find((each) => each === currentTarget.value) ?? sample.method,
              })
            }
            data={METHODS}
          />
          <TextInput
            label="Path and query"
            value={sample.path}
            onChange={({ currentTarget }) => onChange({ ...sample, path: currentTarget.value })}
            spellCheck={false}
          />
        </div>
      ) : (
        <TextInput
          label="Status"
          value={sample.status}
          onChange={({ currentTarget }) => onChange({ ...sample, status: currentTarget.value })}
          inputMode="numeric"
          maxLength={3}
        />
      )}
      <NativeSelect
        label="Content type"
        value={message.contentType}
        onChange={({ currentTarget }) => change({ contentType: currentTarget.value })}
        data={CONTENT_TYPES}
      />
      <Textarea
        label="Body"
        description="Stays in this page until you leave it"
        value={message.body}
        onChange={({ currentTarget }) => change({ body: currentTarget.value })}
        rows={14}
        maxLength={262_144}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        spellCheck={false}
        autoComplete="off"
      />
      <Textarea
        label="Headers"
        description="A line for each, such as X-Patient: 123"
        value={message.headers}
        onChange={({ currentTarget }) => change({ headers: currentTarget.value })}
        rows={2}
        spellCheck={false}
      />
      {message.body === "" && (
        <Group>
          <Button
            size="xs"
            variant="default"
            onClick={() => change({ body: EXAMPLE_BODY, contentType: "application/json" })}
          >
            Use an example
          </Button>
        </Group>
      )}
    </Stack>
  )
}
