import { UsageFailure } from "../terminal/failures.ts"
import type { YamlDocument } from "./yaml-file.ts"

/** A problem in a file. */
interface FileProblem {
  readonly file: string
  /** JSON Pointer into the file's document. */
  readonly pointer: string
  readonly reason: string
}

/** Formats all problems of files in one message, one per line. */
export function problemsFailure(
  problems: readonly FileProblem[],
  documentOf: (file: string) => YamlDocument | undefined,
): UsageFailure {
  const lines = problems.map(({ file, pointer, reason }) => {
    const document = documentOf(file)
    const place = document === undefined ? file : `${document.file}:${document.lineOf(pointer)}`
    return `${place}: ${pointer || "/"}: ${reason}`
  })
  return new UsageFailure("The files have problems.", { details: lines })
}
