import {
  Alert,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core"
import { notifications } from "@mantine/notifications"
import type { DataPolicy, DataRole } from "@sealway/sdk/api"
import { createDataPolicy, updateDataPolicy } from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { useApp } from "../../api/app.ts"
import { ChoicesField } from "../../components/choices-field.tsx"
import { CodeBlock } from "../../components/code-block.tsx"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { WhileCurrent } from "../../components/outdated.tsx"
import { useMayManage } from "../../session/use-may-manage.ts"
import { CedarField } from "./cedar-field.tsx"
import { ChangeMeaning } from "./change-meaning.tsx"
import { ConditionsForm } from "./conditions-form.tsx"
import { cedarStart, errorAt, inputOf, type PolicyDraft, savedInputOf } from "./draft.ts"
import classes from "./policy-editor.module.css"
import { PolicyTests } from "./policy-tests.tsx"
import { PolicyWords } from "./policy-words.tsx"
import { Simulation } from "./simulation.tsx"
import { TryOut, useExplanation } from "./try-out.tsx"
import { isUnbounded } from "./unbounded.ts"
import { ANYONE } from "./words.ts"

interface PolicyEditorProps {
  /** Null for a new policy. */
  readonly saved: DataPolicy | null
  readonly start: PolicyDraft
  readonly roles: readonly DataRole[]
  /** All policies of the app. */
  readonly all: readonly DataPolicy[]
}

/** A policy, and beside it what it decides while it is edited, before anything is saved. */
export function PolicyEditor({ saved, start, roles, all }: PolicyEditorProps) {
  const { app, transport, key } = useApp()
  const mayChange = useMayManage(app.environment)
  const client = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(start)
  const [isSaving, setSaving] = useState(false)
  const change = (changed: Partial<PolicyDraft>) => setDraft((before) => ({ ...before, ...changed }))
  const input = inputOf(draft)
  const others = all.filter(({ id }) => id !== saved?.id)
  const role = draft.roles[0] ?? ""
  const ofRole = [input, ...others.filter((each) => each.roles.includes(role)).map(savedInputOf)]
  const changed = [input, ...others.map(savedInputOf)]
  const changedRoles = [...new Set([...draft.roles, ...(saved?.roles ?? [])])]
  const { fields, explanation, isCurrent } = useExplanation(
    { role, policies: ofRole },
    {},
    { showCedar: true },
  )
  const compiled = explanation.data?.policies[0]?.cedar
  const review = (event: FormEvent) => {
    event.preventDefault()
    setSaving(true)
  }
  const save = async () => {
    const body = { ...input, name: draft.name }
    const { id } =
      saved === null
        ? await createDataPolicy(transport, { body })
        : await updateDataPolicy(transport, { policyId: saved.id, body })
    await client.invalidateQueries({ queryKey: [...key, "policy-book"] })
    notifications.show({ title: "Saved", message: "The policy takes effect everywhere within 10 seconds." })
    await navigate({ to: "/apps/$appId/policies/$policyId", params: { appId: app.id, policyId: id } })
  }
  return (
    <div className={classes.columns}>
      <Stack gap="md" component="form" onSubmit={review} aria-label="The policy">
        <TextInput
          label="Name"
          value={draft.name}
          error={draft.name === "" ? undefined : errorAt(fields, "/name")}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          required
          maxLength={100}
        />
        <ChoicesField
          label="Roles"
          description="Whose values it is about"
          data={roles.map(({ slug }) => slug)}
          value={draft.roles}
          onChange={(value) => change({ roles: value })}
          clearLabel="Clear the roles"
        />
        <SegmentedControl
          aria-label="Effect"
          value={draft.effect}
          onChange={(value) => change(withEffect(draft, value === "forbid" ? "forbid" : "permit"))}
          data={[
            { value: "permit", label: "Permits decryption" },
            { value: "forbid", label: "Forbids decryption" },
          ]}
        />
        <SegmentedControl
          aria-label="Written as"
          value={draft.kind}
          onChange={(value) => change({ kind: value === "cedar" ? "cedar" : "conditions" })}
          data={[
            { value: "conditions", label: "Conditions" },
            { value: "cedar", label: "Cedar" },
          ]}
        />
        {draft.kind === "conditions" && (
          <NativeSelect
            label="What it is about"
            description="Masks look as each role says. Whoever may see full values may see masks"
            value={draft.reveal ?? ""}
            onChange={({ currentTarget: { value } }) =>
              change({ reveal: value === "full" || value === "masked" ? value : null })
            }
            data={[
              { value: "", label: draft.effect === "permit" ? "Full values" : "Full values and masks" },
              ...(draft.effect === "forbid" ? [{ value: "full", label: "Full values only" }] : []),
              { value: "masked", label: "Masks" },
            ]}
          />
        )}
        {draft.effect === "permit" && (
          <Checkbox
            label="Only for requests that say why (X-Service-Reason)"
            checked={draft.requiresReason}
            onChange={({ currentTarget: { checked } }) => change({ requiresReason: checked })}
          />
        )}
        {draft.kind === "conditions" ? (
          <ConditionsForm
            conditions={draft.conditions}
            effect={draft.effect}
            onChange={(conditions) => change({ conditions })}
            errorAt={(pointer) => errorAt(fields, `/conditions${pointer}`)}
          />
        ) : (
          <CedarField
            value={draft.cedar}
            error={errorAt(fields, "/cedar")}
            onChange={(cedar) => change({ cedar })}
          />
        )}
        {isUnbounded(input) && (
          <Alert color="red" title={`It permits ${ANYONE}`}>
            Say through what, from which addresses, for which keys, functions, destinations or enclaves.
          </Alert>
        )}
        {mayChange && (
          <Group>
            <Button
              type="submit"
              disabled={draft.name === "" || draft.roles.length === 0 || fields.length > 0}
            >
              Save
            </Button>
            {fields.length > 0 ? (
              <Text size="sm" c="dimmed">
                Correct what is marked first.
              </Text>
            ) : (
              <PolicyWords policy={input} />
            )}
          </Group>
        )}
      </Stack>
      <Stack gap="lg">
        {role === "" ? (
          <Text c="dimmed">Choose a role to see what the policy decides.</Text>
        ) : (
          <>
            <TryOut role={role} policies={ofRole} />
            {fields.length === 0 && (
              <ChangeMeaning roles={changedRoles} saved={all.map(savedInputOf)} changed={changed} />
            )}
            {draft.kind === "conditions" && fields.length === 0 && compiled !== undefined && (
              <WhileCurrent isCurrent={isCurrent}>
                <ConditionsInCedar
                  cedar={compiled}
                  hasBudget={draft.conditions.budget !== undefined}
                  onEdit={() => change({ kind: "cedar", cedar: compiled })}
                />
              </WhileCurrent>
            )}
            <Simulation policies={changed} />
          </>
        )}
        <PolicyTests policies={changed} />
      </Stack>
      <ConfirmDialog
        isOpen={isSaving}
        onClose={() => setSaving(false)}
        title={saved === null ? "Create the policy?" : "Change the policy?"}
        action="Save"
        onConfirm={save}
      >
        <PolicyWords policy={input} />
        <Text my="sm">
          It takes effect everywhere within 10 seconds, for values of {draft.roles.join(", ")}.
        </Text>
        <Simulation policies={changed} />
      </ConfirmDialog>
    </div>
  )
}

interface ConditionsInCedarProps {
  readonly cedar: string
  readonly hasBudget: boolean
  readonly onEdit: () => void
}

/** What the form says, in Cedar: for those who read it, and as a start for what the form cannot say. */
function ConditionsInCedar({ cedar, hasBudget, onEdit }: ConditionsInCedarProps) {
  return (
    <Stack component="section" gap="xs" aria-labelledby="in-cedar">
      <Group justify="space-between">
        <Title order={2} size="h4" id="in-cedar">
          The same in Cedar
        </Title>
        <Button size="compact-xs" variant="default" onClick={onEdit}>
          Continue in Cedar
        </Button>
      </Group>
      <CodeBlock label="policy in Cedar" code={cedar} />
      {hasBudget && (
        <Text size="sm" c="dimmed">
          The budget is no part of it: Cedar does not count. A policy in Cedar has none.
        </Text>
      )}
    </Stack>
  )
}

/** Changes the effect, also in a Cedar text that nobody has edited yet. */
function withEffect(draft: PolicyDraft, effect: PolicyDraft["effect"]): Partial<PolicyDraft> {
  return { effect, ...(draft.cedar === cedarStart(draft.effect) && { cedar: cedarStart(effect) }) }
}
