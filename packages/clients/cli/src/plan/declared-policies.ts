import type { PolicyInput, RoleInput } from "@sealway/policies/files"
import { problemsFailure } from "../files/file-problems.ts"
import type { YamlDocument } from "../files/yaml-file.ts"
import { UsageFailure } from "../terminal/failures.ts"
import type { CliHost } from "../terminal/host.ts"
import { readPolicyFolder } from "./policy-folder.ts"

/** Roles and policies as declared in files. */
export interface DeclaredPolicies {
  readonly roles: readonly RoleInput[]
  readonly policies: readonly PolicyInput[]
}

/**
 * Reads the roles and policies of a folder.
 *
 * @throws UsageFailure with every problem and its line; or when the folder declares nothing, which is more likely a
 * wrong folder than the intention to delete everything
 */
export async function readDeclaredPolicies(host: CliHost, path: string): Promise<DeclaredPolicies> {
  const { policies: documents } = await readPolicyFolder(host, path)
  if (documents.length === 0) throw new UsageFailure(`${path} has no YAML files with roles or policies.`)
  return checkDeclaredPolicies(documents)
}

/** @throws UsageFailure with every problem and its line */
export async function checkDeclaredPolicies(documents: readonly YamlDocument[]): Promise<DeclaredPolicies> {
  // Loaded where it is needed, so that no other command waits for a policy engine.
  const { readPolicyFiles } = await import("@sealway/policies/files")
  // A separate name for each document, to locate its problems.
  const named = documents.map((document, index) => ({ name: String(index), document }))
  const result = readPolicyFiles(
    named.map(({ name, document }) => ({ file: name, content: document.content })),
  )
  if (result.ok) return result
  const byName = new Map(named.map(({ name, document }) => [name, document]))
  throw problemsFailure(result.problems, (file) => byName.get(file))
}
