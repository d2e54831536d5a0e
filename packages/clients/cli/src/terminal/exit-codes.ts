/** The command's exit statuses for scripts. Public API: add, never change. */
export const EXIT = {
  ok: 0,
  /** Refused by the service, or a failed check. */
  failed: 1,
  /** The command line or a file of the caller is invalid. */
  usage: 2,
  /** Credentials are missing, wrong, or lack a needed permission. */
  credentials: 3,
  notFound: 4,
  /** The service cannot be reached, is busy, or failed. */
  unavailable: 5,
  /** Ended by Ctrl-C, and by `kill`: 128 and the number of the signal, as in shells. */
  interrupted: 130,
  terminated: 143,
} as const

/** `policies diff` found differences; the same as `terraform plan -detailed-exitcode`. */
export const EXIT_DIFFERENT = 2

export type ExitCode = number

export const EXIT_CODES_HELP = `Exit status: 0 done, 1 refused or failed, 2 usage, 3 credentials, 4 not found, 5 service unreachable or failing.`
