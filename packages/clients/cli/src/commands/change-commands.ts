import type { Transport } from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { applyChanges, type Progress } from "../plan/apply-plan.ts"
import type { ChangePlan, PlannedChange } from "../plan/change-plan.ts"
import { linesOfChange, printPlan } from "../plan/print-plan.ts"
import { type CommandLine, defineAction } from "../session/define-action.ts"
import type { Session } from "../session/session.ts"
import { confirm, isInteractive } from "../terminal/ask.ts"
import { EXIT, EXIT_DIFFERENT } from "../terminal/exit-codes.ts"
import { failureOf } from "../terminal/failure-of.ts"
import { CommandFailure, UsageFailure } from "../terminal/failures.ts"
import { formatJson } from "../terminal/format.ts"
import type { Output } from "../terminal/output.ts"

const planOptions = z.object({ prune: z.boolean().default(false) })
const applyOptions = planOptions.extend({ yes: z.boolean().default(false) })
/** A folder; default: the current one. */
const folderArgument = z.union([z.tuple([]).transform((): [string] => ["."]), z.tuple([z.string()])])

/** The content of files, read once. */
export interface Declaration<Change extends PlannedChange> {
  /** Plans the changes that make the service match the files. @param prune whether to delete what no file names */
  plan(service: Transport, prune: boolean): Promise<ChangePlan<Change>>
  /** Makes a change. */
  make(service: Transport, change: Change): PromiseLike<unknown>
}

export interface ChangeCommands<Change extends PlannedChange> {
  /** What the files declare, for people: `roles and policies`. */
  readonly things: string
  /** The order of apply, as part of a sentence. */
  readonly order: string
  read(session: Session, folder: string): Promise<Declaration<Change>>
}

/** Adds `plan`, `diff` and `apply`, which compare a service with files and change it accordingly. */
export function addChangeCommands<Change extends PlannedChange>(
  parent: Command,
  line: CommandLine,
  { things, order, read }: ChangeCommands<Change>,
): void {
  const withFolder = (command: Command): Command =>
    command
      .argument("[folder]", `folder with YAML files of ${things} (default: the current folder)`)
      .option("--prune", "delete everything that no file lists")

  async function makePlan(session: Session, folder: string, prune: boolean) {
    const declaration = await read(session, folder)
    const service = await session.asApp()
    const again = () => declaration.plan(service, prune)
    const plan = await again()
    if (plan.problems.length > 0) {
      throw new CommandFailure("plan/impossible", "The plan cannot be made.", EXIT.failed, {
        details: plan.problems,
      })
    }
    return { plan, again, make: (change: Change) => declaration.make(service, change) }
  }

  defineAction(
    line,
    withFolder(parent.command("plan"))
      .summary("show what apply would change")
      .description(
        "Shows what apply would create (+), update (~) and delete (-) so that the service matches the files.",
      ),
    { options: planOptions, arguments: folderArgument },
    async (session, { prune }, [folder]) => {
      const { plan } = await makePlan(session, folder, prune)
      await showPlan(session.output, plan)
    },
  )

  const diff = withFolder(parent.command("diff"))
    .summary("report by exit status whether anything differs")
    .description(
      "Like plan, for scripts: exit status 0 when there is nothing to change, 2 when there is, 1 when the command line " +
        "or the files are invalid.",
    )
    // Status 2 has only one meaning here, so that a usage error cannot be mistaken for a difference.
    .hook("preAction", () => line.usageStatus(EXIT.failed))
    .exitOverride((error) => {
      line.usageStatus(EXIT.failed)
      throw error
    })
  defineAction(
    line,
    diff,
    { options: planOptions, arguments: folderArgument },
    async (session, { prune }, [folder]) => {
      const { plan } = await makePlan(session, folder, prune)
      await showPlan(session.output, plan)
      return plan.changes.length === 0 ? EXIT.ok : EXIT_DIFFERENT
    },
  )

  defineAction(
    line,
    withFolder(parent.command("apply"))
      .summary("make the service match the files")
      .description(
        `Shows the plan, asks, and carries it out${order}. ` +
          "Stops at the first change that fails and reports what was done. Run it again to continue.",
      )
      .option("-y, --yes", "do not ask for confirmation"),
    { options: applyOptions, arguments: folderArgument },
    async (session, { prune, yes }, [folder]) => {
      const { host, output } = session
      const { plan, again, make } = await makePlan(session, folder, prune)
      // Whoever is asked sees what the changes mean, too.
      if (output.mode === "text") await (yes ? printPlan(output, plan) : showPlan(output, plan))
      if (plan.changes.length > 0 && !yes) {
        // Never asks about a plan that was not shown.
        if (!isInteractive(host) || output.mode !== "text")
          throw new UsageFailure("No terminal to confirm on. Pass --yes to apply without confirmation.")
        if (!(await confirm(host, "Apply these changes?")))
          throw new CommandFailure("declined", "Nothing changed.")
        if (formatJson(await again()) !== formatJson(plan)) {
          throw new CommandFailure(
            "changed",
            `Somebody else changed ${things} in the meantime. Nothing was applied: run it again.`,
          )
        }
      }
      const progress = await applyChanges(plan.changes, make, (change) =>
        output.progress(linesOfChange(change)[0] ?? ""),
      )
      if (output.mode === "json") output.json(formatJson(reportOf(progress)))
      const { failed, done } = progress
      if (failed === null) {
        if (plan.changes.length > 0) output.note(`Done: ${done.length} of ${plan.changes.length} changes.`)
        return
      }
      const failure = stopped(progress)
      if (host.signal.aborted) for (const text of failure.details) output.note(text)
      throw failure
    },
  )
}

async function showPlan(output: Output, plan: ChangePlan): Promise<void> {
  const { changes, unmanaged, kept, describe } = plan
  if (output.mode === "json") {
    const meaning = await describe?.()
    output.json(
      formatJson({ changes, unmanaged, ...(kept && { kept }), ...(meaning && { meaning: meaning.value }) }),
    )
  } else if (output.mode === "text") {
    printPlan(output, plan)
    // What it means takes seconds.
    for (const text of (await describe?.())?.lines ?? []) output.note(text)
  } else for (const { name } of changes) output.line(name)
}

function reportOf({ done, failed, left }: Progress<PlannedChange>) {
  return { applied: done, failed: failed?.change ?? null, left }
}

/** Builds the failure of one change, with what was done before it. */
function stopped({ done, failed, left }: Progress<PlannedChange>): CommandFailure {
  const { code, message, exitCode, details } =
    failureOf(failed?.error) ??
    new CommandFailure(
      "interrupted",
      "The connection was lost, so the change may have been made.",
      EXIT.failed,
      { cause: failed?.error },
    )
  const nameOf = ({ action, kind, name }: PlannedChange) => `${action} ${kind} ${name}`
  const place = failed === null ? "A change" : nameOf(failed.change)
  return new CommandFailure(code, `${place} failed: ${message}`, exitCode, {
    cause: failed?.error,
    details: [
      ...details,
      ...done.map((change) => `done: ${nameOf(change)}`),
      ...left.map((change) => `not tried: ${nameOf(change)}`),
      `${done.length} of ${done.length + left.length + 1} changes were made. Run it again to continue.`,
    ],
  })
}
