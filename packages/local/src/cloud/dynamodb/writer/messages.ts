import type { Reply } from "../../aws-json-server.ts"
import type { Write } from "./write-engine.ts"

/** The data that the thread starts with. */
export interface WriterData {
  /** The path of the database, which exists. */
  readonly path: string
}

export type ToWriter = ({ readonly kind: "write"; readonly id: number } & Write) | { readonly kind: "close" }

export type FromWriter =
  /** The database can be read and written. */
  | { readonly kind: "open" }
  /** It cannot; the thread ends. */
  | { readonly kind: "refused"; readonly isDamaged: boolean; readonly error: unknown }
  /** Answers to the writes of one transaction. */
  | { readonly kind: "written"; readonly replies: readonly { readonly id: number; readonly reply: Reply }[] }
  | { readonly kind: "report"; readonly message: string; readonly error: unknown }
