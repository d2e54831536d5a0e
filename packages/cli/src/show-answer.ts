import type * as z from "zod"
import { readAnswer } from "./answers.ts"
import type { Column, Output } from "./output.ts"
import type { Call, ServiceClient } from "./service-client.ts"

/** Sends a call and prints the one thing that it answers with: as JSON, as its id, or a member a line. */
export async function showAnswer<Value extends { readonly id: string }>(
  service: ServiceClient,
  output: Output,
  call: Call,
  schema: z.ZodType<Value>,
  columns: readonly Column<Value>[],
): Promise<void> {
  const { text, value } = await readAnswer(await service.send(call), schema)
  if (output.mode === "json") output.json(text)
  else if (output.mode === "quiet") output.line(value.id)
  else output.record(columns, value)
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
  const { text, value } = await readAnswer(await service.send(call), schema)
  if (output.mode === "json") output.json(text)
  else if (output.mode === "quiet") output.line(secretOf(value))
  else {
    output.record(columns, value)
    output.note("The service keeps no copy: store the secret now.")
  }
}
