import { formatJson } from "../terminal/format.ts"
import type { Column, Output } from "../terminal/output.ts"

/**
 * Prints what a call returns: as JSON, one field per line, or with `--quiet` only the one text that matters.
 *
 * @param essenceOf returns that text
 */
export async function show<Value>(
  output: Output,
  call: PromiseLike<Value>,
  columns: readonly Column<Value>[],
  essenceOf: (value: Value) => string,
): Promise<void> {
  const value = await call
  if (output.mode === "json") output.json(formatJson(value))
  else if (output.mode === "quiet") output.line(essenceOf(value))
  else output.record(columns, value)
}

/** Does the same for a thing with an id, which is what matters. */
export async function showRecord<Value extends { readonly id: string }>(
  output: Output,
  call: PromiseLike<Value>,
  columns: readonly Column<Value>[],
): Promise<void> {
  await show(output, call, columns, ({ id }) => id)
}

/** Does the same for an answer with a secret that is shown only once: with `--quiet` the secret is printed. */
export async function showSecret<Value>(
  output: Output,
  call: PromiseLike<Value>,
  columns: readonly Column<Value>[],
  secretOf: (value: Value) => string,
): Promise<void> {
  await show(output, call, columns, secretOf)
  output.note("The secret cannot be shown again: store it now.")
}
