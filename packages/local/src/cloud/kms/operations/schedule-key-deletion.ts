import { KEY_IDENTIFIER_CONSTRAINTS, keyArn } from "../key-identifier.ts"
import { KmsError } from "../kms-error.ts"
import { type RequestMembers, stringMember } from "../request-members.ts"
import type { KmsOperation } from "./operation.ts"

const DAY_MS = 86_400_000
const WINDOW_DAYS = { min: 7, max: 30 }

/** ScheduleKeyDeletion. The key is of no use from then on, and is deleted when the waiting period ends. */
export const scheduleKeyDeletion: KmsOperation = async (members, keys) => {
  const keyId = stringMember(members, "KeyId", KEY_IDENTIFIER_CONSTRAINTS)
  const days = windowOf(members)
  if (keyId.includes("alias/"))
    throw new KmsError("ValidationException", "Aliases cannot be scheduled for deletion.")
  const { id } = keys.resolve(keyId)
  const deletionDate = new Date(Date.now() + days * DAY_MS)
  await keys.scheduleDeletion(id, deletionDate)
  return {
    DeletionDate: deletionDate.getTime() / 1000,
    KeyId: keyArn(id),
    KeyState: "PendingDeletion",
    PendingWindowInDays: days,
  }
}

function windowOf({ PendingWindowInDays: days = WINDOW_DAYS.max }: RequestMembers): number {
  if (typeof days !== "number" || !Number.isInteger(days)) {
    throw new KmsError("SerializationException", "The member PendingWindowInDays is not a whole number.")
  }
  if (days < WINDOW_DAYS.min || days > WINDOW_DAYS.max) {
    throw new KmsError("ValidationException", "The member PendingWindowInDays must be from 7 to 30.")
  }
  return days
}
