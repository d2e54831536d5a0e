/**
 * How decryptions of a role's values are recorded. `standard`: in the access log, without waiting. `strict`: also in
 * the audit log, before the values are returned.
 */
export const ACCESS_LOG_MODES = ["standard", "strict"] as const

export type AccessLogMode = (typeof ACCESS_LOG_MODES)[number]
