import type { Output } from "../terminal/output.ts"
import type { ChangePlan, PlannedChange } from "./change-plan.ts"

const MARKS = { create: "+", update: "~", delete: "-" } as const

/** Formats a change: `+ role pci`, followed, for an update, by one line per field that differs. */
export function linesOfChange(change: PlannedChange): string[] {
  const title = `${MARKS[change.action]} ${change.kind} ${change.name}`
  return [
    title,
    ...(change.fields ?? []).map(
      ({ field, before, after }) => `    ${field}: ${show(before)} → ${show(after)}`,
    ),
  ]
}

/** Prints the planned changes for people. */
export function printPlan(output: Output, { changes, unmanaged, kept = [] }: ChangePlan): void {
  for (const change of changes) for (const line of linesOfChange(change)) output.line(line)
  const count = (action: PlannedChange["action"]) =>
    changes.filter((change) => change.action === action).length
  output.note(
    changes.length === 0
      ? "Nothing to change: the service matches the files."
      : `${count("create")} to create, ${count("update")} to update, ${count("delete")} to delete.`,
  )
  for (const { kind, name, field, value, warning } of kept) {
    const note = `${kind} ${name} keeps ${field}: ${show(value)}, which its file leaves out.`
    output.note(warning === undefined ? note : `${note} ${warning}`)
  }
  if (unmanaged.length > 0) {
    const names = unmanaged.map(({ kind, name }) => `${kind} ${name}`).join(", ")
    output.note(`In no file, and left unchanged: ${names}.`)
  }
}

function show(value: unknown): string {
  return value === undefined ? "(none)" : (JSON.stringify(value) ?? "(none)")
}
