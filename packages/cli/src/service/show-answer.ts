import type * as z from "zod"
import type { Column, Output } from "../terminal/output.ts"
import { readAnswer } from "./answers.ts"
import type { Call, ServiceClient } from "./service-client.ts"

/** Sends a call and prints what it answers with: as JSON, a member a line, or under `--quiet` the one text that counts. */
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

/** The same for a thing that has an id, which is what counts of it. */
export async function showAnswer<Value extends { readonly id: string }>(
  service: ServiceClient,
  output: Output,
  call: Call,
  schema: z.ZodType<Value>,
  columns: readonly Column<Value>[],
): Promise<void> {
  await showReply(service, output, call, schema, columns, ({ id }) => id)
}

/** The same for an answer with a secret, which is shown this once: under `--quiet` the secret is what is printed. */
export async function showSecret<Value extends { readonly id: string }>(
  service: ServiceClient,
  output: Output,
  call: Call,
  schema: z.ZodType<Value>,
  columns: readonly Column<Value>[],
  secretOf: (value: Value) => string,
): Promise<void> {
  await showReply(service, output, call, schema, columns, secretOf)
  output.note("The service keeps no copy: store the secret now.")
}
