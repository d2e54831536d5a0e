/** What the service of a version answered over the data folder that it left behind. */
export interface ExpectedAnswers {
  readonly token: unknown
  /** By path: what does not expire. */
  readonly answers: Answers
  /** By table, as DynamoDB's API spells them. */
  readonly items: Readonly<Record<string, readonly Item[]>>
  readonly kept: UserHoldings
}

/** By path. */
export type Answers = Readonly<Record<string, unknown>>
export type Item = Readonly<Record<"pk" | "sk", { S: string }>>

/** Reads an item as tables keep it. Bytes become what the answers have, objects of numbers. */
export function parseItem(text: string): Item {
  return JSON.parse(text, (name, value) =>
    name === "B" && typeof value === "string" ? { ...Buffer.from(value, "base64") } : value,
  )
}

/** What users got from the folder, and must still work. */
export interface UserHoldings {
  /** When the folder was made, in epoch milliseconds. */
  readonly madeAt: number
  /** By path: what expires within minutes, hours or days. */
  readonly expiring: Answers
  readonly sealed: readonly SealedValue[]
  /** Base64. */
  readonly file: { readonly sealed: string; readonly opened: string }
  /** A token whose role no policy permits. */
  readonly forbiddenToken: string
  /** API keys, each with the status of a decryption by it. */
  readonly keys: readonly { readonly name: string; readonly key: string; readonly status: number }[]
  readonly teamKey: string
  readonly clientToken: BoundToken
  readonly runToken: BoundToken
  /** A write that was answered, with its `Idempotency-Key`. */
  readonly repeatable: { readonly key: string; readonly body: unknown; readonly answer: unknown }
  /** Host of the relay to the receiver. */
  readonly relayDomain: string
  readonly webhook: { readonly id: string; readonly secret: string }
  /** The certificate of the forward proxy's authority, PEM. */
  readonly authority: string
  /** The head of the audit log's chain, as `sealway audit verify` prints it. */
  readonly auditHead: string
}

export interface SealedValue {
  /** Token version, type and key version. */
  readonly name: string
  readonly token: string
  /** The JSON that `/decrypt` returns. */
  readonly opened: string
  /** What `/fingerprint` returns. */
  readonly fingerprint: object
}

/** A JWT that is valid for one payload. */
export interface BoundToken {
  readonly token: string
  readonly payload: unknown
}
