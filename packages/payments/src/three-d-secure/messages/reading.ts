import type { Erro } from "./erro.ts"

/** What a message that came in turns out to be. */
export type Reading<Message> =
  | { readonly kind: "message"; readonly message: Message }
  /** The other side could not process what it was sent. */
  | { readonly kind: "error"; readonly erro: Erro }
  /** The message cannot be processed: this says why, and is to be answered where the protocol has an answer. */
  | { readonly kind: "invalid"; readonly answer: Erro }
