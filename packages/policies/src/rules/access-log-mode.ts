/**
 * How decryptions of a role's values are put on record. `standard`: in the access log, which nobody waits for. `strict`:
 * also in the audit log, before the values are handed out.
 */
export const ACCESS_LOG_MODES = ["standard", "strict"] as const

export type AccessLogMode = (typeof ACCESS_LOG_MODES)[number]
