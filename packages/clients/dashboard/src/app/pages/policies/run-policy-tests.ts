import { failureOfPolicyTest } from "@sealway/kernel/policy-test"
import { type DataPolicyInput, explainDataPolicies, type Transport } from "@sealway/sdk/api"
import { PolicyTestFileError, readPolicyTestFile } from "./policy-test-file.ts"

export interface PolicyTestResult {
  readonly role: string
  readonly name: string
  /** Why it failed; null when it passed. */
  readonly failure: string | null
}

/**
 * Runs a file of policy tests by the service's own engine. Nothing is decrypted, counted or recorded.
 *
 * @param text YAML, as `sealway policies test` reads it
 * @param all the app's policies, as they are or as they would be
 * @throws PolicyTestFileError when it is no file of tests
 */
export async function runPolicyTests(
  transport: Transport,
  text: string,
  all: readonly DataPolicyInput[],
  signal: AbortSignal,
): Promise<readonly PolicyTestResult[]> {
  const { role, policies: names, tests } = readPolicyTestFile(await parseYaml(text))
  const attached = all.filter(({ roles }) => roles.includes(role))
  const policies = attached.filter(({ name }) => names === undefined || names.includes(name))
  const missing = (names ?? []).filter((name) => !policies.some((policy) => policy.name === name))
  const results: PolicyTestResult[] = []
  for (const { name, context, expect, decidedBy } of tests) {
    const answer = await explainDataPolicies(transport, { body: { role, context, policies } }, { signal })
    const deciding = answer.policies.filter(({ decided }) => decided).map((policy) => policy.name)
    const expected = { expect, decidedBy, hasTime: context.time !== undefined }
    results.push({ role, name, failure: failureOfPolicyTest(expected, { ...answer, deciding, missing }) })
  }
  return results
}

/** The parser is loaded when somebody runs tests. Times stay texts, as the service takes them. */
async function parseYaml(text: string): Promise<unknown> {
  const { parse, YAMLParseError } = await import("yaml")
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error
    throw new PolicyTestFileError("The file is not valid YAML.", { cause: error })
  }
}
