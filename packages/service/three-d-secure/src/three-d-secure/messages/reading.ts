import type { Erro } from "./erro.ts"

/** The result of reading a message. */
export type Reading<Message> =
  | { readonly kind: "message"; readonly message: Message }
  /** The other side could not process what it received. */
  | { readonly kind: "error"; readonly erro: Erro }
  /** The message cannot be processed: this says why, and is the answer if the protocol has one. */
  | { readonly kind: "invalid"; readonly answer: Erro }
