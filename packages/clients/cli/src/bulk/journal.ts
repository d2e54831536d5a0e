import { KB } from "@sealway/kernel"
import * as z from "zod"

/** How much of a table is done. All numbers concern rows whose output is on disk. */
const progressSchema = z.object({
  /** How many rows are done, including failed ones. */
  rows: z.int().min(0),
  failedRows: z.int().min(0),
  /** Where the next row starts, in bytes of the input. */
  position: z.int().min(0),
  outputBytes: z.int().min(0),
  failureBytes: z.int().min(0),
  /** By column or selector, whether any row had a value there. */
  found: z.array(z.boolean()),
})

const journalSchema = z.object({
  format: z.literal("sealway-table-1"),
  /** The process that writes the output. */
  pid: z.int().min(1),
  /** A digest of the command and its options: a different command cannot resume this output. */
  command: z.string(),
  /** Identifies the input: see `TableInput`. */
  input: z.string(),
  progress: progressSchema,
})

export type Progress = z.infer<typeof progressSchema>

/**
 * Stored beside an output while it is written, so that an interrupted run can resume. It contains nothing of the rows,
 * and no digest of short ones, which could be guessed.
 */
export type Journal = z.infer<typeof journalSchema>

/** A little more than any journal needs. */
export const MAX_JOURNAL_BYTES = 64 * KB

export function startOfTable(names: number): Progress {
  const found = Array.from({ length: names }, () => false)
  return { rows: 0, failedRows: 0, position: 0, outputBytes: 0, failureBytes: 0, found }
}

export function writeJournal(journal: Omit<Journal, "format">): string {
  return `${JSON.stringify({ format: "sealway-table-1", ...journal } satisfies Journal)}\n`
}

/** @returns null for what is not a journal */
export function parseJournal(text: string): Journal | null {
  try {
    return journalSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
