import type { NamedProperty, PolicyInput } from "@sealway/policies/files"
import { problemsFailure } from "../files/file-problems.ts"
import { checkDeclaredPolicies } from "../plan/declared-policies.ts"
import { readPolicyFolder } from "../plan/policy-folder.ts"
import type { CliHost } from "../terminal/host.ts"

/** A file with proofs, and the policies that they are about. */
export interface ProofFile {
  readonly file: string
  readonly properties: readonly (NamedProperty & { readonly line: number })[]
  readonly policies: readonly PolicyInput[]
  /** The files that have these policies. */
  readonly policyFiles: readonly string[]
}

/**
 * Reads the proofs in a folder, or in one file of tests, and all policies of that folder.
 *
 * @throws UsageFailure with every problem and its line
 */
export async function proofProperties(host: CliHost, path: string): Promise<ProofFile[]> {
  const { namedProperty, policyTestFileSchema, readDocument, regionProblem } = await import(
    "@sealway/policies/files"
  )
  const { createCedarSession, instantiateCedar } = await import("@sealway/policies/analysis")
  const session = createCedarSession(instantiateCedar)
  const { policies: documents, tests } = await readPolicyFolder(host, path)
  const { policies } = await checkDeclaredPolicies(documents)
  const policyFiles = documents.map(({ file }) => file)
  const files: ProofFile[] = []
  for (const document of tests) {
    const read = readDocument(policyTestFileSchema, document)
    if (!read.ok) throw problemsFailure(read.problems, () => document)
    const { role, proofs = [] } = read.value
    const properties = proofs.map((proof, index) => {
      const property = namedProperty(proof, role)
      const pointer = `/proofs/${index}`
      const reason = regionProblem(session.cedar(), property)
      if (reason !== null) throw problemsFailure([{ file: document.file, pointer, reason }], () => document)
      return { ...property, line: document.lineOf(pointer) }
    })
    if (properties.length > 0) files.push({ file: document.file, properties, policies, policyFiles })
  }
  return files
}
