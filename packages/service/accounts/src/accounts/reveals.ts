import type { App } from "./app-table.ts"

/**
 * The members' sessions that get something: `any` that the member's role lets read; `writers`, whose role may change the
 * app or the team; `sandbox`, for sandbox apps only; `never`, because it needs an API key.
 */
export type SessionRule = "any" | "writers" | "sandbox" | "never"

interface Revelation {
  readonly sessions: SessionRule
  /** Whether values are decrypted for the answer, so that it leaves records in the access log. */
  readonly isDecryption: boolean
  /** What readers of the API's description must know; null for nothing. */
  readonly note: string | null
}

const NEVER = { sessions: "never", isDecryption: false } as const
const DECRYPTION = { sessions: "never", isDecryption: true } as const

/** What the answers of an endpoint can show of customers' plaintext, or lead to, and what follows from that. */
export const REVEALS = {
  /** Nothing that was encrypted. The last digits and the expiry of a card may be shown. */
  nothing: { sessions: "any", isDecryption: false, note: null },
  /** Decrypted values, or what customers' code made of them. */
  values: { ...DECRYPTION, note: "The answer contains decrypted values, or what was made of them." },
  /** What somebody says about a card number that was decrypted. */
  "card-facts": { ...DECRYPTION, note: "The answer follows from a decrypted card number." },
  /** What customers' code returned earlier. */
  results: {
    ...NEVER,
    note: "The answer contains whatever the function returned, which may be decrypted values.",
  },
  /** What customers' code printed. */
  logs: {
    sessions: "sandbox",
    isDecryption: false,
    note: "The answer contains whatever the function printed, which may be decrypted values.",
  },
  /** Whether values are equal. With encryption, this lets a caller test guesses. */
  equality: {
    sessions: "sandbox",
    isDecryption: false,
    note: "The answer tells which values are equal, so that guesses can be tested.",
  },
  /** Nothing, but values or the keys of files are opened and sealed again. */
  resealed: { ...NEVER, note: "Values are opened for the answer, which shows none of them." },
  /** A credential with which somebody decrypts, or pays. */
  credentials: { ...NEVER, note: "The answer contains a credential for what API keys may do." },
  /** Such a credential, for API keys only: sessions get the rest of the answer. */
  "credentials-for-keys": {
    sessions: "any",
    isDecryption: false,
    note: "Members' sessions get the answer without the credential.",
  },
  /** A key or a secret of the app or the team. */
  secrets: { sessions: "writers", isDecryption: false, note: null },
} as const satisfies Readonly<Record<string, Revelation>>

export type Reveals = keyof typeof REVEALS

/** True when the rule lets a session have it. @param environment null for what belongs to no app */
export function isForSession(
  rule: SessionRule,
  environment: App["environment"] | null,
  isWriter: boolean,
): boolean {
  switch (rule) {
    case "any":
      return true
    case "writers":
      return isWriter
    case "sandbox":
      return environment === "sandbox"
    case "never":
      return false
  }
}

/** What is said to a member whose session does not get something; null when only the role decides. */
export function sessionNote(reveals: Reveals): string | null {
  const { sessions, note }: Revelation = REVEALS[reveals]
  if (sessions === "never") return `${note} Members' sessions never get it: use an API key.`
  if (sessions === "sandbox") {
    return `${note} Members' sessions get it for sandbox apps only: use an API key for others.`
  }
  return note
}
