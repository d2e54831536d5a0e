import type { App } from "@sealway/accounts"
import { sealEventData } from "@sealway/records"
import type { EnrolledKind, EnrolmentDependencies, ToldChange } from "./enrolled-kind.ts"
import type { EnrolledRecord, UnpublishedEvent } from "./enrolled-record.ts"
import type { Enrolment, EnrolmentDecision } from "./enrolment.ts"

type TellDependencies = Pick<
  EnrolmentDependencies,
  "paymentsTable" | "keyring" | "events" | "draws" | "wallClock"
>

/** Returns the changed record, with an event if receivers would see a change. */
export async function withUntoldChange<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  before: EnrolledRecord<Details>,
  changed: EnrolledRecord<Details>,
  dependencies: Pick<TellDependencies, "paymentsTable" | "draws" | "wallClock">,
): Promise<EnrolledRecord<Details>> {
  if (changed.deletedAt !== null) return changed
  if (JSON.stringify(kind.standing(before)) === JSON.stringify(kind.standing(changed))) return changed
  const atMs = dependencies.wallClock()
  const updated = { ...changed, updatedAt: atMs }
  const told = kind.tell?.(before, updated)
  if (told === null) return updated
  const data = told ?? { data: await kind.show(updated, dependencies) }
  return { ...updated, untold: untoldOf(data, atMs, dependencies) }
}

/** @param nowMs epoch milliseconds */
export function untoldOf(
  { data, ...told }: ToldChange,
  nowMs: number,
  { draws }: Pick<TellDependencies, "draws">,
): UnpublishedEvent {
  return { eventId: draws.newId("webhook_event", nowMs), ...told, data: JSON.stringify(data) }
}

/**
 * Publishes the event of a record's last change, unless that is done, and then marks it as published. After a crash in
 * between it is published again with the same id, which has no effect.
 *
 * @returns the record; null when it was changed meanwhile
 */
export async function tellChange<Details, Decision extends EnrolmentDecision>(
  kind: EnrolledKind<Details, Decision>,
  app: App,
  record: EnrolledRecord<Details>,
  dependencies: TellDependencies,
): Promise<EnrolledRecord<Details> | null> {
  if (record.untold === null) return record
  const { eventId, type = kind.eventType, data } = record.untold
  await dependencies.events.publish({
    id: eventId,
    teamId: app.teamId,
    appId: app.id,
    type,
    data: await sealEventData(dependencies.keyring, app, eventId, data),
  })
  return kind.table.replace(dependencies, app, { ...record, untold: null })
}

/** Returns what receivers of events would see change of a record that is shown by its enrolments. */
export function standingOfEnrolments({
  enrolments,
}: EnrolledRecord<unknown>): readonly Pick<Enrolment, "name" | "status" | "identifier">[] {
  return enrolments
    .map(({ name, status, identifier }) => ({
      name,
      // The caller who withdraws learns it from the answer.
      status: status === "withdrawing" ? ("inactive" as const) : status,
      identifier: status === "active" ? identifier : null,
    }))
    .filter(({ status }) => status !== "inactive")
}
