import type { ProofResult } from "@sealway/proofs"
import type { Command } from "commander"
import * as z from "zod"
import { writeResultFile } from "../files/write-result.ts"
import { policiesText } from "../proofs/policies-text.ts"
import { type ProofFile, proofProperties } from "../proofs/proof-files.ts"
import { junitReport, sarifReport } from "../proofs/reports.ts"
import { requestText } from "../proofs/request-text.ts"
import { withProver } from "../proofs/with-prover.ts"
import { type CommandLine, defineAction } from "../session/define-action.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson, formatTime } from "../terminal/format.ts"
import type { Output } from "../terminal/output.ts"

const optionsSchema = z.object({
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/, "--limit must be a whole number of seconds from 1 to 9999")
    .default("10")
    .transform(Number),
  junit: z.string().optional(),
  sarif: z.string().optional(),
})

interface ProvedFile extends Omit<ProofFile, "properties" | "policies"> {
  readonly results: readonly (ProofResult & { readonly line: number })[]
}

export function addPolicyProveCommand(policies: Command, line: CommandLine): void {
  defineAction(
    line,
    policies
      .command("prove")
      .argument("[paths...]", "folders or test files (default: the current folder)")
      .summary("prove properties for all requests, offline")
      .description(
        "Proves the `proofs` of *.policy-test.yaml files about the policies in the same folders, for every possible " +
          "request, or shows a request that contradicts them. Works without the service. Exit status 1 when a " +
          "property does not hold, or cannot be proved in time.",
      )
      .option("--limit <seconds>", "the time for each property (default: 10)")
      .option("--junit <file>", "also write the results as JUnit XML")
      .option("--sarif <file>", "also write what is not proved as SARIF"),
    { options: optionsSchema, arguments: z.array(z.string()) },
    async ({ host, output }, { limit, junit, sarif }, paths) => {
      const files: ProofFile[] = []
      for (const path of paths.length === 0 ? ["."] : paths)
        files.push(...(await proofProperties(host, path)))
      if (files.length === 0) throw new UsageFailure("No *.policy-test.yaml files with proofs found.")
      const proved = await proveFiles(files, host.wallClock(), limit * 1_000, (file, result) => {
        if (output.mode === "text") printResult(output, file, result)
      })
      const results = proved.flatMap((file) => file.results)
      const count = (result: ProofResult["result"]) => results.filter((each) => each.result === result).length
      const counts = { proved: count("proved"), disproved: count("disproved"), unknown: count("unknown") }
      if (output.mode === "json") output.json(formatJson({ ...counts, files: proved }))
      if (junit !== undefined) await writeResultFile(host, junit, [Buffer.from(junitReport(proved))])
      if (sarif !== undefined) await writeResultFile(host, sarif, [Buffer.from(sarifReport(proved))])
      const from = [...new Set(files.flatMap(({ policyFiles }) => policyFiles))].join(", ")
      output.note(
        `${counts.proved} proved, ${counts.disproved} disproved, ${counts.unknown} unknown, about the policies of ${from || "no file"}`,
      )
      return counts.proved === results.length ? EXIT.ok : EXIT.failed
    },
  )
}

async function proveFiles(
  files: readonly ProofFile[],
  nowMs: number,
  limitMs: number,
  onResult: (file: string, result: ProofResult) => void,
): Promise<ProvedFile[]> {
  const { runProofs } = await import("@sealway/proofs")
  return withProver(async ({ solvers, session }) => {
    const proved: ProvedFile[] = []
    for (const { properties, policies, ...file } of files) {
      const results: (ProofResult & { readonly line: number })[] = []
      for await (const result of runProofs(solvers, session, properties, policies, nowMs)) {
        results.push({ ...result, line: properties[results.length]?.line ?? 1 })
        onResult(file.file, result)
      }
      proved.push({ ...file, results })
    }
    return proved
  }, limitMs)
}

const WORDS = { proved: "proved ", disproved: "FAILED ", unknown: "UNKNOWN" } as const

function printResult(
  output: Output,
  file: string,
  { name, role, policies, result, untilMs, notes, counterexample }: ProofResult,
) {
  const until =
    untilMs === null ? "" : ` (until ${formatTime(untilMs)}, by the rules of time zones now in force)`
  output.line(`${WORDS[result]} ${file}: ${role}: ${name} (about ${policiesText(policies)})${until}`)
  for (const note of notes) output.line(`          ${note}.`)
  if (counterexample === null) return
  output.line(`          ${counterexample.decision}: ${requestText(counterexample)}`)
  for (const { name: policy, effect, matched, failedConditions } of counterexample.policies) {
    const why = matched ? "applies" : `does not apply: ${failedConditions.join(", ")}`
    output.line(`            ${effect} ${policy} ${why}`)
  }
}
