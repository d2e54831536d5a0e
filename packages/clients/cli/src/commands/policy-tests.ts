import type { PolicyTestResult } from "@sealway/policies/files"
import type { Command } from "commander"
import * as z from "zod"
import { problemsFailure } from "../files/file-problems.ts"
import { checkDeclaredPolicies } from "../plan/declared-policies.ts"
import { readPolicyFolder } from "../plan/policy-folder.ts"
import { type CommandLine, defineAction, NO_OPTIONS } from "../session/define-action.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { UsageFailure } from "../terminal/failures.ts"
import { formatJson } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Output } from "../terminal/output.ts"

interface TestedFile {
  readonly file: string
  readonly role: string
  readonly results: readonly PolicyTestResult[]
}

export function addPolicyTestCommand(policies: Command, line: CommandLine): void {
  defineAction(
    line,
    policies
      .command("test")
      .argument("[paths...]", "folders or test files (default: the current folder)")
      .summary("run policy tests, offline")
      .description(
        "Runs the *.policy-test.yaml files in folders against the policies in the same folders, with the engine that " +
          "the service uses, but without calling the service. Exit status 1 when a test fails.",
      ),
    { options: NO_OPTIONS, arguments: z.array(z.string()) },
    async ({ host, output }, _options, paths) => {
      const files: TestedFile[] = []
      for (const path of paths.length === 0 ? ["."] : paths) files.push(...(await runTestsOf(host, path)))
      if (files.length === 0) throw new UsageFailure("No *.policy-test.yaml files found.")
      const results = files.flatMap((file) => file.results)
      const failed = results.filter(({ passed }) => !passed).length
      if (output.mode === "json") output.json(formatJson({ passed: results.length - failed, failed, files }))
      else if (output.mode === "text") for (const file of files) printFile(output, file)
      output.note(`${results.length - failed} passed, ${failed} failed`)
      return failed === 0 ? EXIT.ok : EXIT.failed
    },
  )
}

async function runTestsOf(host: CliHost, path: string): Promise<TestedFile[]> {
  const { policyTestFileSchema, readDocument, runPolicyTests } = await import("@sealway/policies/files")
  const { policies: documents, tests } = await readPolicyFolder(host, path)
  const { roles, policies } = await checkDeclaredPolicies(documents)
  const files: TestedFile[] = []
  for (const test of tests) {
    const read = readDocument(policyTestFileSchema, { file: test.file, content: test.content })
    if (!read.ok) throw problemsFailure(read.problems, () => test)
    const results = await runPolicyTests(read.value, policies, roles)
    files.push({ file: test.file, role: read.value.role, results })
  }
  return files
}

function printFile(output: Output, { file, role, results }: TestedFile): void {
  output.line(`${file}: role ${role}`)
  for (const { name, passed, failure, policies } of results) {
    output.line(passed ? `  ok      ${name}` : `  FAILED  ${name}: ${failure ?? "the test failed"}.`)
    if (passed) continue
    for (const { name: policy, effect, matched, failedConditions } of policies) {
      const why = matched ? "applies" : `does not apply: ${failedConditions.join(", ")}`
      output.line(`            ${effect} ${policy} ${why}`)
    }
  }
}
