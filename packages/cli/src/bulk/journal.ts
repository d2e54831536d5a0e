import { KB } from "@sealway/kernel"
import * as z from "zod"

/** How far a table is done. All numbers are of rows whose output is on the disk. */
const progressSchema = z.object({
  /** Rows that are done, those that failed included. */
  rows: z.int().min(0),
  failedRows: z.int().min(0),
  /** Where the next row begins, in bytes of the input. */
  position: z.int().min(0),
  outputBytes: z.int().min(0),
  failureBytes: z.int().min(0),
  /** By column or selector, whether any row had a value there. */
  found: z.array(z.boolean()),
})

const journalSchema = z.object({
  format: z.literal("sealway-table-1"),
  /** Who writes the output. */
  pid: z.int().min(1),
  /** A digest of the command and its options: another command cannot go on with this output. */
  command: z.string(),
  /** What the input was told by: see `TableInput`. */
  input: z.string(),
  progress: progressSchema,
})

export type Progress = z.infer<typeof progressSchema>

/**
 * What is kept beside an output while it is written, so that an interrupted run can go on. It holds nothing of the rows, and
 * no digest of short ones, which could be guessed.
 */
export type Journal = z.infer<typeof journalSchema>

/** A little more than any journal has. */
export const MAX_JOURNAL_BYTES = 64 * KB

export function startOfTable(names: number): Progress {
  const found = Array.from({ length: names }, () => false)
  return { rows: 0, failedRows: 0, position: 0, outputBytes: 0, failureBytes: 0, found }
}

export function writeJournal(journal: Omit<Journal, "format">): string {
  return `${JSON.stringify({ format: "sealway-table-1", ...journal } satisfies Journal)}\n`
}

/** @returns null for what is no journal */
export function parseJournal(text: string): Journal | null {
  try {
    return journalSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
