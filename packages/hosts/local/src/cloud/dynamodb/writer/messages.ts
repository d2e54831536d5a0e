import type { TableDefinition } from "@sealway/ports"
import type { WriteReply } from "./writer.ts"

/** The data that the thread starts with. */
export interface WriterData {
  /** The path of the database, which exists. */
  readonly path: string
  /** The tables that are created if they are missing. */
  readonly definitions: readonly TableDefinition[]
}

export type ToWriter =
  /** `write`: a `TableWrite`, as JSON. */
  { readonly kind: "write"; readonly id: number; readonly write: string } | { readonly kind: "close" }

export type FromWriter =
  /** The database can be read and written. */
  | { readonly kind: "open" }
  /** It cannot; the thread ends. */
  | { readonly kind: "refused"; readonly isDamaged: boolean; readonly error: unknown }
  /** Answers to the writes of one transaction. */
  | {
      readonly kind: "written"
      readonly replies: readonly { readonly id: number; readonly reply: WriteReply }[]
    }
  | { readonly kind: "report"; readonly message: string; readonly error: unknown }
