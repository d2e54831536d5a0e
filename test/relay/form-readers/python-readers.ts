import { spawnSync } from "node:child_process"
import { join } from "node:path"
import type { SentForm } from "./node-readers.ts"

const SCRIPT = join(import.meta.dirname, "python_readers.py")

/** Returns what Python's parsers give an application, by parser; null where there is no Python 3. */
export function readWithPython(
  forms: readonly { readonly form: SentForm; readonly name: string }[],
): readonly Readonly<Record<string, string>>[] | null {
  const input = forms
    .map(({ form, name }) => JSON.stringify([form.contentType, form.body.toString("base64"), name]))
    .join("\n")
  const { status, stdout } = spawnSync("python3", [SCRIPT], {
    input,
    encoding: "utf8",
    maxBuffer: 100_000_000,
  })
  if (status !== 0) return null
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>)
}
