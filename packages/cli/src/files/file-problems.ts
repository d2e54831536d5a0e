import { UsageFailure } from "../terminal/failures.ts"
import type { YamlDocument } from "./yaml-file.ts"

/** What is wrong with a file. */
interface FileProblem {
  readonly file: string
  /** JSON Pointer into the file's document. */
  readonly pointer: string
  readonly reason: string
}

/** All problems of files in one message, a line each. */
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
