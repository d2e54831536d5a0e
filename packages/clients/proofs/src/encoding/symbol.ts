import type { Term } from "../smt/terms.ts"

/** What an expression of Cedar is for every request: the requests for which it fails, and its value for the others. */
export interface Sym {
  /** True where the evaluation fails. The value means nothing there. */
  readonly error: Term
  readonly value: Value
}

/**
 * An address or a range. Addresses are numbers: those of IPv4, followed by those of IPv6, so that the family needs no
 * term of its own.
 */
export interface IpValue {
  readonly kind: "ip"
  readonly address: Term
  /** The length of the prefix as written; null for a single address. */
  readonly prefix: number | null
  /** The ends of the range. */
  readonly first: Term
  readonly last: Term
}

export interface Field {
  readonly isPresent: Term
  readonly sym: Sym
}

/** A value, by its type in Cedar. */
export type Value =
  | { readonly kind: "bool"; readonly holds: Term }
  | { readonly kind: "long"; readonly number: Term }
  /** A text as its number in the table of texts; `literal` when it is known. */
  | { readonly kind: "text"; readonly code: Term; readonly literal?: string }
  | { readonly kind: "entity"; readonly type: string; readonly code: Term }
  | IpValue
  /** Milliseconds since the epoch. */
  | { readonly kind: "datetime"; readonly number: Term }
  /** Milliseconds. */
  | { readonly kind: "duration"; readonly number: Term }
  /** Its fields are looked up, so that a variable of the request is declared only when a policy reads it. */
  | { readonly kind: "record"; readonly field: (name: string) => Field | undefined }
  | { readonly kind: "set"; readonly elements: readonly Value[] }
  /** What the encoding has no form for. */
  | { readonly kind: "opaque" }

export type ValueOf<Kind extends Value["kind"]> = Extract<Value, { readonly kind: Kind }>

export const bool = (holds: Term): ValueOf<"bool"> => ({ kind: "bool", holds })

export const long = (number: Term): ValueOf<"long"> => ({ kind: "long", number })
