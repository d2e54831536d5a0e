import { Alert, Button, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core"
import { notifications } from "@mantine/notifications"
import { type Relay, updateRelay } from "@sealway/sdk/api"
import { ApiError } from "@sealway/sdk/browser"
import { useQueryClient } from "@tanstack/react-query"
import { useBlocker } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { useApp } from "../../../api/app.ts"
import { ConfirmDialog } from "../../../components/confirm-dialog.tsx"
import { EmptyState } from "../../../components/empty-state.tsx"
import { Problem } from "../../../components/problem.tsx"
import { useMay } from "../../../session/use-may.ts"
import { relayKey } from "../relay-query.ts"
import classes from "./bench.module.css"
import {
  appliedSelections,
  changesBetween,
  type Direction,
  type Draft,
  type DraftChanges,
  draftOf,
  findingsByPlace,
  isChanged,
  newRoute,
  newSelection,
  routesOf,
  withoutSelection,
  withRoute,
  withSelection,
} from "./draft.ts"
import type { FieldChanges } from "./field-choice.tsx"
import { FieldList } from "./field-list.tsx"
import { type MatchCounts, RouteEditor } from "./route-editor.tsx"
import { fieldGroups, firstSample, marksOf } from "./sample.ts"
import { SampleEditor } from "./sample-editor.tsx"
import { TrialResult } from "./trial-result.tsx"
import { type CurrentTrial, useTrial } from "./use-trial.ts"
import { xmlFields } from "./xml-fields.ts"

/** A relay's routes, and a bench on which they are tried on a sample while they change. Nothing is sent anywhere. */
export function Bench({ relay }: { readonly relay: Relay }) {
  const { key, transport } = useApp()
  const client = useQueryClient()
  const may = useMay()
  const [base, setBase] = useState(relay)
  const saved = useMemo(() => draftOf(base), [base])
  const [draft, setDraft] = useState<Draft>(saved)
  const [sample, setSample] = useState(() => firstSample(saved))
  const [direction, setDirection] = useState<Direction>("request")
  const [isSaving, setSaving] = useState(false)
  const current = useTrial(relay.id, draft, sample)
  const changes = changesBetween(saved, draft)
  const isDirty = isChanged(changes)
  // Somebody has saved other routes: they replace those here, unless these are being edited.
  if (relay !== base) {
    setBase(relay)
    if (!isDirty) setDraft(draftOf(relay))
  }
  useBlocker({
    shouldBlockFn: ({ current: here, next }) =>
      isDirty &&
      here.pathname !== next.pathname &&
      !window.confirm("Leave without saving? The changes of the routes are lost."),
    enableBeforeUnload: isDirty,
  })

  const problems = findingsByPlace(fieldsOf(current.error), routesOf(current.draft))
  const warnings = findingsByPlace(
    relay.warnings.map(({ pointer, detail }) => ({ pointer, reason: detail })),
    routesOf(draft),
  )
  const { trial } = current
  const applied = trial === null ? [] : appliedOf(current, direction)
  const marks = marksOf(trial?.[direction] ?? null, applied)
  const fieldChanges: FieldChanges = {
    draft,
    direction,
    onSelect: (routeId, selection) => {
      const route = newRoute(sample.method, sample.path.split("?")[0] ?? "/")
      const base = routeId === null ? [...draft, route] : draft
      setDraft(withSelection(base, routeId ?? route.id, direction, newSelection(selection)))
    },
    onUnselect: (id) => setDraft(withoutSelection(draft, id)),
  }
  const save = async () => {
    const changed = await updateRelay(transport, {
      relayId: relay.id,
      body: { routes: routesOf(draft).routes },
    })
    client.setQueryData(relayKey(key, relay.id), changed)
    setDraft(draftOf(changed))
    notifications.show({ title: "Saved", message: "Within 10 seconds, the relay uses these routes." })
  }
  const addRoute = () => setDraft([...draft, newRoute(null, "/")])

  return (
    <Stack gap="xl">
      <Stack component="section" gap="md" aria-labelledby="routes">
        <Group justify="space-between">
          <Title order={2} size="h4" id="routes">
            Routes
          </Title>
          <Button variant="default" size="xs" onClick={addRoute}>
            Add a route
          </Button>
        </Group>
        {draft.length === 0 && (
          <EmptyState title="Everything passes unchanged">
            A route says which requests are changed, and how. Add one, or paste a sample below and click the
            fields that must be encrypted.
          </EmptyState>
        )}
        {draft.map((route, index) => (
          <RouteEditor
            key={route.id}
            route={route}
            position={index + 1}
            isMatched={matchOf(current, route.id)}
            problems={problems}
            warnings={isDirty ? new Map() : warnings}
            counts={countsOf(current)}
            onChange={(changed) => setDraft(withRoute(draft, changed))}
            onRemove={() => setDraft(draft.filter(({ id }) => id !== route.id))}
            onMoveUp={index === 0 ? null : () => setDraft(movedUp(draft, index))}
          />
        ))}
      </Stack>
      <Stack component="section" gap="md" aria-labelledby="bench">
        <Group justify="space-between">
          <Title order={2} size="h4" id="bench">
            Test bench
          </Title>
          <SegmentedControl
            value={direction}
            onChange={(value) => setDirection(value === "response" ? "response" : "request")}
            data={[
              { value: "request", label: "Request" },
              { value: "response", label: "Response" },
            ]}
            aria-label="Message"
          />
        </Group>
        <Text c="dimmed">
          What the routes above would do with a sample, saved or not. Nothing is sent to{" "}
          {relay.destinationDomain}, and nothing is decrypted.
        </Text>
        {current.error !== null && problems.size === 0 && <Problem error={current.error} />}
        {problems.has("") && (
          <Alert color="red" variant="light" title="The sample cannot be tried">
            {problems.get("")}
          </Alert>
        )}
        <div className={classes.columns}>
          <SampleEditor sample={sample} direction={direction} onChange={setSample} />
          <FieldList
            groups={fieldGroups(sample[direction], direction === "request" ? sample.path : null, xmlFields)}
            marks={marks}
            changes={fieldChanges}
          />
        </div>
        {trial !== null && <TrialResult trial={trial} direction={direction} />}
      </Stack>
      {isDirty && (
        <Alert className={classes.unsaved ?? ""} color="blue" title="The routes are not saved yet">
          <Group gap="sm">
            {may("relay:update") ? (
              <Button size="xs" onClick={() => setSaving(true)}>
                Review and save
              </Button>
            ) : (
              <Text size="sm">They are only tried: your role cannot save them.</Text>
            )}
            <Button size="xs" variant="default" onClick={() => setDraft(saved)}>
              Discard the changes
            </Button>
          </Group>
        </Alert>
      )}
      <ConfirmDialog
        isOpen={isSaving}
        onClose={() => setSaving(false)}
        title="Save the routes?"
        action="Save"
        onConfirm={save}
      >
        <ChangesInWords changes={changes} />
      </ConfirmDialog>
    </Stack>
  )
}

function ChangesInWords({ changes: { added, removed, isReordered } }: { readonly changes: DraftChanges }) {
  return (
    <Stack gap="sm">
      {added.length > 0 && <Lines title="Added" lines={added} />}
      {removed.length > 0 && <Lines title="Removed" lines={removed} />}
      {isReordered && <Text>The same routes, in another order.</Text>}
      <Text size="sm">Within 10 seconds, this applies to all requests through the relay.</Text>
    </Stack>
  )
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  return (
    <div>
      <Text fw={600}>{title}</Text>
      {lines.map((line) => (
        <Text key={line} size="sm" ff="monospace">
          {line}
        </Text>
      ))}
    </div>
  )
}

function fieldsOf(error: Error | null) {
  return error instanceof ApiError ? error.fields : []
}

function movedUp(draft: Draft, index: number): Draft {
  const moved = draft[index]
  if (moved === undefined) return draft
  const others = draft.toSpliced(index, 1)
  return others.toSpliced(index - 1, 0, moved)
}

function matchOf({ trial, draft }: CurrentTrial, routeId: string): boolean | null {
  const index = draft.findIndex(({ id }) => id === routeId)
  return trial?.routes[index]?.matched ?? null
}

function appliedOf({ trial, draft }: CurrentTrial, direction: Direction) {
  return appliedSelections(draft, direction, trial?.routes.map(({ matched }) => matched) ?? [])
}

/** Returns how often each selection matches, where the trial has tried it. */
function countsOf(current: CurrentTrial): MatchCounts {
  const counts = new Map<string, { matched: number; changed: number }>()
  for (const direction of ["request", "response"] as const) {
    const results = current.trial?.[direction]?.selections ?? []
    for (const [index, { id }] of appliedOf(current, direction).entries()) {
      const result = results[index]
      if (result !== undefined) counts.set(id, result)
    }
  }
  return counts
}
