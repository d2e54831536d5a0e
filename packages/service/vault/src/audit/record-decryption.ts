import type { App } from "@sealway/accounts"
import { createId, type MaybePromise } from "@sealway/kernel"
import type { AccessLog, AccessRecord, AuditAuthor, AuditLog } from "@sealway/records"
import { countDecrypted, countMasked, type DecryptedValues } from "../documents/decrypted-values.ts"

/** Who decrypts values of an app, and in which way. */
export interface DecryptionContext extends Pick<AccessRecord, "source" | "apiKeyId"> {
  readonly app: App
  readonly author: AuditAuthor
  /** Default: none. */
  readonly relayId?: string | null
  /** Default: none. */
  readonly functionName?: string | null
  /** Default: none. */
  readonly enclave?: AccessRecord["enclave"]
  /** The reason that the caller gives. Default: null. */
  readonly reason?: string | null
}

export interface RecordDecryptionDependencies {
  readonly accessLog: Pick<AccessLog, "record">
  readonly audit: Pick<AuditLog, "record">
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}

/**
 * Records a successful decryption. Call it before the values are returned. It only waits when one of the roles is
 * strict, for the audit log. When nothing was opened, nothing is recorded.
 *
 * @throws ApiError `service-unavailable` when a strict record cannot be written: nothing may be returned then
 */
export function recordDecryption(
  { accessLog, audit, wallClock }: RecordDecryptionDependencies,
  context: DecryptionContext,
  values: DecryptedValues,
): MaybePromise<void> {
  if (values.withoutRole === 0 && values.roles.size === 0) return
  const at = wallClock()
  const record = decryptionRecordOf(context, values, { id: createId("access", at), at })
  if (!values.isStrict) return accessLog.record(record)
  return auditDecryption(audit, context, record).then(() => accessLog.record(record))
}

/** @param name the record's id, and its time in epoch milliseconds */
export function decryptionRecordOf(
  {
    app,
    author,
    source,
    apiKeyId,
    relayId = null,
    functionName = null,
    enclave = null,
    reason = null,
  }: DecryptionContext,
  values: Omit<DecryptedValues, "isStrict">,
  { id, at }: { readonly id: string; readonly at: number },
): AccessRecord {
  const { roles, withoutRole, masked } = values
  const { actor, ip, requestId } = author
  return {
    id,
    at,
    teamId: app.teamId,
    appId: app.id,
    source,
    actor,
    apiKeyId,
    relayId,
    functionName,
    enclave,
    ip,
    requestId,
    roles: Object.fromEntries(roles),
    withoutRole,
    total: countDecrypted(values),
    reason,
    masked: masked.size === 0 ? null : maskedOf(masked),
  }
}

function maskedOf(masked: DecryptedValues["masked"]): AccessRecord["masked"] {
  const roles: Record<string, number> = {}
  for (const [role, values] of masked) if (role !== null) roles[role] = values
  return { roles, withoutRole: masked.get(null) ?? 0, total: countMasked({ masked }) }
}

/**
 * Records a decryption in the audit log. Publishes no event to webhook endpoints, because there may be very many.
 *
 * @throws ApiError `service-unavailable` when it cannot be written
 */
export async function auditDecryption(
  audit: Pick<AuditLog, "record">,
  { app, author }: Pick<DecryptionContext, "app" | "author">,
  { id, source, apiKeyId, relayId, functionName, enclave, roles, withoutRole, total, masked }: AccessRecord,
): Promise<void> {
  await audit.record({
    ...author,
    teamId: app.teamId,
    appId: app.id,
    action: "decryption.performed",
    target: { type: "app", id: app.id },
    details: {
      access: id,
      source,
      apiKey: apiKeyId,
      ...(relayId !== null && { relay: relayId }),
      ...(functionName !== null && { function: functionName }),
      ...(enclave !== null && { enclave: enclave.moduleId, pcr0: enclave.pcr0 }),
      roles: countsText(roles),
      withoutRole,
      total,
      ...(masked !== null && { masked: masked.total, maskedRoles: countsText(masked.roles) }),
    },
    isQuiet: true,
  })
}

function countsText(roles: AccessRecord["roles"]): string {
  return Object.entries(roles)
    .map(([role, values]) => `${role}=${values}`)
    .join(" ")
}
