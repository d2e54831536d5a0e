import type * as z from "zod"
import type { Column, Output } from "../terminal/output.ts"
import { readAnswer } from "./answers.ts"
import type { Call, ServiceClient } from "./service-client.ts"

/**
 * Sends a call and prints its answer: as JSON, one field per line, or with `--quiet` only the one text that matters.
 */
export async function showReply<Value>(
  service: ServiceClient,
  output: Output,
  call: Call,
  schema: z.ZodType<Value>,
  columns: readonly Column<Value>[],
  essenceOf: (value: Value) => string,
): Promise<void> {
  const { text, value } = await readAnswer(await service.send(call), schema)
  if (output.mode === "json") output.json(text)
  else if (output.mode === "quiet") output.line(essenceOf(value))
  else output.record(columns, value)
}

/** Does the same for a thing with an id, which is what matters. */
export async function showAnswer<Value extends { readonly id: string }>(
  service: ServiceClient,
  output: Output,
  call: Call,
  schema: z.ZodType<Value>,
  columns: readonly Column<Value>[],
): Promise<void> {
  await showReply(service, output, call, schema, columns, ({ id }) => id)
}

/** Does the same for an answer with a secret that is shown only once: with `--quiet` the secret is printed. */
export async function showSecret<Value extends { readonly id: string }>(
  service: ServiceClient,
  output: Output,
  call: Call,
  schema: z.ZodType<Value>,
  columns: readonly Column<Value>[],
  secretOf: (value: Value) => string,
): Promise<void> {
  await showReply(service, output, call, schema, columns, secretOf)
  output.note("The secret cannot be shown again: store it now.")
}
